package chaos

import "testing"

// p1 of host a holds L until it is killed or so, p2 of b waits for it, and b has answers all the time. Settings: Stale is 3 s, a takeover may be
// 0.2 s of polling and 0.3 s of slack later, and whoever comes anew watches for 0.6 s.
const abandoned = `
worker p1 on a
worker p2 on b
worker p3 on a
0 srv begin
0 srv ready
0..20 a! reached
0..20 b! reached
1 srv made L
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..2 p1 alive L u1
`

func TestJudgeOfRepairs(t *testing.T) {
	for _, c := range []struct {
		name, want, text string
		check            func(Report) bool
	}{
		{"repaired in time by another host", "", abandoned + `
2 died p1
1.5 p2 wait L
1.5..5.4 p2 tick
5.1 srv remove L u1
5.2 p2 enter L u2
`, func(r Report) bool { return r.Awaited == 1 && r.Robbed == 1 && len(r.Latest) == 0 }},

		{"repaired a little later than at best", "", abandoned + `
2 died p1
1.5 p2 wait L
1.5..5.4 p2 tick
5.4 srv remove L u1
5.5 p2 enter L u2
`, func(r Report) bool { return r.Awaited == 1 && r.Latest["another host"] > 0 }},

		{"not repaired by another host", "repair", abandoned + `
2 died p1
1.5 p2 wait L
1.5..9 p2 tick
`, nil},

		{"alive and silent: cut off, or stopped", "repair", abandoned + `
1.5 p2 wait L
1.5..9 p2 tick
2.1..4.1 p1 alive L u1
4.1 p1 lost L u1
`, nil},

		{"nobody waits", "", abandoned + "2 died p1\n1.5..9 p2 tick\n", nil},

		{"others wait for another lock", "", abandoned + "2 died p1\n1.5 p2 wait M\n1.5..9 p2 tick\n", nil},

		{"the waiter was stopped", "", abandoned + `
2 died p1
1.5 p2 wait L
1.5..4 p2 tick
8..9 p2 tick
9 srv remove L u1
`, nil},

		{"the waiter was stopped, and had time afterwards", "repair", abandoned + `
2 died p1
1.5 p2 wait L
1.5..4 p2 tick
8..9.5 p2 tick
`, nil},

		{"the waiter waits in many calls, all shorter than it takes to confirm", "", abandoned + `
2 died p1
4 p2 wait L
4..4.5 p2 tick
4.5 p2 gave L
4.6 p2 wait L
4.6..5.1 p2 tick
5.1 p2 gave L
5.2 p2 wait L
5.2..5.7 p2 tick
5.7 p2 gave L
`, nil},

		{"not repaired on the same kernel", "repair", abandoned + `
2 died p1
1.5 p3 wait L
1.5..3.2 p3 tick
`, nil},

		{"repaired on the same kernel", "", abandoned + `
2 died p1
1.5 p3 wait L
1.5..2.9 p3 tick
2.9 srv remove L u1
3 p3 enter L u2
`, func(r Report) bool { return r.Awaited == 1 && r.Latest["same kernel"] > 0 }},

		{"not repaired yet on the same kernel with other pids", "", abandoned + `
worker p4 on a in 2
2 died p1
1.5 p4 wait L
1.5..3.2 p4 tick
`, nil},

		{"the kernel says that it lives", "", abandoned + "1.5 p3 wait L\n1.5..9 p3 tick\n", nil},

		{"a directory without a stamp stays", "repair", `
worker p2 on b
0 srv begin
0 srv ready
0..20 b! reached
1 srv made L
1.5 p2 wait L
1.5..9 p2 tick
`, nil},

		{"a directory without a stamp stays behind after a stamp", "repair", abandoned + `
2 died p1
2 srv remove L u1
1.5 p2 wait L
1.5..9 p2 tick
`, nil},

		{"a directory without a stamp goes", "", `
worker p2 on b
0 srv begin
0 srv ready
0..20 b! reached
1 srv made L
4 srv gone L
1.5 p2 wait L
1.5..9 p2 tick
`, nil},
	} {
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

// Who cannot reach the server cannot repair, and begins anew when it can.
func TestJudgeKnowsWhoReachesTheServer(t *testing.T) {
	const waiting = `
worker p1 on a
worker p2 on b
0 srv begin
0 srv ready
1 srv create L u1 p1
1..2 srv beat L u1
2 died p1
1.5 p2 wait L
1.5..12 p2 tick
`
	for _, c := range []struct {
		name, want, text string
		smb              bool
	}{
		{"never", "", waiting, false},
		{"not for long enough", "", waiting + "1..4 b! reached\n7..8 b! reached\n", false},
		{"for long enough to confirm", "repair", waiting + "1..4 b! reached\n7..8.3 b! reached\n", false},
		{"for long enough to confirm, but not to see an age", "", waiting + "1..4 b! reached\n7..8.3 b! reached\n", true},
		{"for long enough to see an age", "repair", waiting + "1..4 b! reached\n7..11 b! reached\n", true},
		{"long enough, but the date went back", "", waiting + "1..9 b! reached\n4.5 step -1h\n5.5 srv remove L u1\n", false},
		{"the date went back, and long enough", "repair", waiting + "1..9 b! reached\n4.5 step -1h\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial := madeUp(t, c.text)
			trial.Settings.ServerClock = !c.smb
			if r := Judge(trial); r.rules() != c.want {
				t.Errorf("the judge says %q, not %q: %+v", r.rules(), c.want, r)
			}
		})
	}
}
