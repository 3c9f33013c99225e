package chaos

import (
	"slices"
	"strings"
	"testing"
)

// rules gives the rules of a report's faults, each once.
func (r Report) rules() string {
	var list []string
	for _, f := range r.Faults {
		if len(list) == 0 || list[len(list)-1] != f.Rule {
			list = append(list, f.Rule)
		}
	}
	return strings.Join(list, " ")
}

const two = `
worker p1 on a
worker p2 on b
0 srv begin
0 srv ready
`

// The stamp of a live holder is removed 2.5 s after its last beat.
const early = `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1..2 p1 alive L u1
4.5 srv remove L u1
4.6 p2 enter L u2
5 p1 lost L u1
`

// judged is a trial that was made up, and the rules that the judge says are broken in it.
type judged struct {
	name, want, text string
	check            func(Report) bool // of what else it says
}

func TestJudge(t *testing.T) {
	for _, c := range slices.Concat(holdings, robberies) {
		t.Run(c.name, func(t *testing.T) {
			r := Judge(madeUp(t, c.text))
			if got := r.rules(); got != c.want {
				t.Errorf("the judge says %q, not %q: %+v", got, c.want, r)
			} else if c.check != nil && !c.check(r) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Trials in which a lock is held, and by how many.
var holdings = []judged{
	{"one after the other", "", two + `
0..2 p1 tick
1 p1 wait L
1 srv made L
1 srv create L u1 p1
1..2 srv beat L u1
1-1.1 p1 enter L u1
1.1..2 p1 alive L u1
1.5-1.6 p1 checked L u1
2.1 p1 leave L u1
2.15 srv remove L u1
2.15 srv gone L
1.5 p2 wait L
1.5..2.2 p2 tick
2.2 srv made L
2.2 srv create L u2 p2
2.2 p2 enter L u2
2.2..2.9 p2 alive L u2
2.9 p2 leave L u2
2.95 srv remove L u2
`, func(r Report) bool { return r.Entered == 2 && r.Robbed == 0 && r.Unseen == 0 }},

	{"two at once", "overlap", two + `
1 srv create L u1 p1
1..3 srv beat L u1
1 p1 enter L u1
1.1..3 p1 alive L u1
2 srv create L u2 p2
2 p2 enter L u2
2..2.5 p2 alive L u2
`, nil},

	{"two at once, and the clocks cannot tell", "", two + `
1 srv create L u1 p1
1 p1 enter L u1
1.1-1.3 p1 alive L u1
1.31 p1 leave L u1
1.2-1.4 p2 enter L u2
`, nil},

	{"the first left, but said that it was alive after the second had entered", "overlap", two + `
1 srv create L u1 p1
1 p1 enter L u1
1.5-1.6 p1 alive L u1
1.6 p1 leave L u1
1.4 p2 enter L u2
`, nil},

	{"other locks", "", two + `
1 p1 enter L u1
1..2 p1 alive L u1
1 p2 enter M u2
1..2 p2 alive M u2
`, nil},

	{"a third one overlaps the first, not the second", "overlap", two + `
worker p3 on b
1 srv create L u1 p1
1..5 srv beat L u1
1 p1 enter L u1
1..4 p1 alive L u1
2 p2 enter L u2
2 p2 leave L u2
3 p3 enter L u3
`, func(r Report) bool { return len(r.Faults) == 2 }},

	{"stopped past its lease, and told soon after it goes on", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..2 p1 alive L u1
5.5 srv remove L u1
5.6 p2 enter L u2
7 p1 alive L u1 # stopped from 2 to 7
7.3 p1 alive L u1
7.35 p1 lost L u1
`, func(r Report) bool { return r.Excused == 1 && r.Lost == 1 && r.Robbed == 1 }},

	{"stopped past its lease, and still not told a second after it goes on", "lease overlap", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..2 p1 alive L u1
5.5 srv remove L u1
5.6 p2 enter L u2
7..8.5 p1 alive L u1
`, nil},

	{"stopped past its lease, and Check said that it holds", "lease overlap", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..2 p1 alive L u1
5.5 srv remove L u1
5.6 p2 enter L u2
7-7.1 p1 checked L u1
`, nil},

	{"stopped in the midst of Check", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..2 p1 alive L u1
5.5 srv remove L u1
5.6 p2 enter L u2
2-7.1 p1 checked L u1
7.2 p1 lost L u1
`, nil},

	{"cut off, awake, and it went on past its lease", "lease", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..4.5 p1 alive L u1
4.5 p1 lost L u1
5.5 srv remove L u1
5.6 p2 enter L u2
`, nil},

	{"cut off, awake, and it learned in time", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..4.1 p1 alive L u1
4.1 p1 lost L u1
5.5 srv remove L u1
5.6 p2 enter L u2
`, func(r Report) bool { return r.Excused == 0 && r.Entered == 2 }},

	{"slept through its lease, and took it anew", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..2 p1 alive L u1
4.5 srv create L u3 p1
4.5 srv remove L u1
4.5..6 srv beat L u3
4.4 p1 alive L u1
4.5 p1 alive L u3
4.55..6 p1 alive L u3
6 p1 leave L u3
6.1 srv remove L u3
`, func(r Report) bool { return r.Robbed == 0 }},

	{"took it anew after a beat that came late, and released at once", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
3.6 srv beat L u1
1 p1 enter L u1
1.1..2 p1 alive L u1
4.5 srv create L u3 p1
4.52 srv remove L u1
4.53 srv remove L u3
4.6 p1 leave L u1
`, func(r Report) bool { return r.Robbed == 1 }},

	{"something wrong", "wrong", two + "1 p1 wrong L\n", nil},
}
