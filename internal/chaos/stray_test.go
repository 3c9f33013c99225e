package chaos

import "testing"

func TestJudgeOfStrays(t *testing.T) {
	const stray = `
worker p1 on a
0 srv begin
0 srv ready
0..20 a! reached
0..20 p1 tick
1 p1 wait L
1.1 srv create L u1 p1
`
	for _, c := range []struct{ name, want, text string }{
		{"it holds", "", stray + "1.2 p1 enter L u1\n1.2..15 p1 alive L u1\n1.2..15 srv beat L u1\n15 p1 leave L\n15 p1 left L\n15 srv remove L u1\n"},
		{"it gave up, and left it", "stray", stray + "2 p1 gave L\n"},
		{"it gave up, and removed it late", "", stray + "2 p1 gave L\n4.5 srv remove L u1\n"},
		{"it gave up, and died", "", stray + "2 p1 gave L\n4 died p1\n"},
		{"it gave up, and asks again", "", stray + "2 p1 gave L\n4 p1 wait L\n"},
		{"it gave up, and asks for another one", "stray", stray + "2 p1 gave L\n4 p1 wait M\n"},
		{"it released, and left it", "stray", stray + "2 p1 enter L u1\n3 p1 leave L\n3.1 p1 left L\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := Judge(madeUp(t, c.text)); r.rules() != c.want {
				t.Errorf("the judge says %q, not %q: %+v", r.rules(), c.want, r)
			}
		})
	}
}

// Who cannot reach the server cannot remove it.
func TestJudgeKnowsWhoCannotRemove(t *testing.T) {
	r := Judge(madeUp(t, `
worker p1 on a
0 srv begin
0 srv ready
0..3 a! reached
0..20 p1 tick
1 p1 wait L
1.1 srv create L u1 p1
2 p1 gave L
`))
	if r.rules() != "" {
		t.Errorf("%+v", r)
	}
}
