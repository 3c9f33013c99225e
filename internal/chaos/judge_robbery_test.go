package chaos

// Trials in which a lock is taken from its holder, for good reasons and bad ones.
var robberies = []judged{
	{"robbed while it beat", "robbed", two + `
1 srv create L u1 p1
1..3 srv beat L u1
1 p1 enter L u1
1..3 p1 alive L u1
3 srv remove L u1
3.2 p1 lost L u1
`, nil},

	{"stopped, and robbed before it was silent for Stale", "robbed", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1..2 p1 alive L u1
4.5 srv remove L u1
4.6 p2 enter L u2
7 p1 lost L u1 # stopped from 2 to 7
`, nil},

	{"killed, and replaced as soon as its kernel said so", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1..2 p1 alive L u1
2.02 died p1
2.1 srv remove L u1
2.2 p2 enter L u2
`, func(r Report) bool { return r.Robbed == 1 }},

	{"stopped for long, and robbed by one of the same kernel", "robbed", two + `
worker p3 on a
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1..2 p1 alive L u1
6 p3 took L u1
6 srv remove L u1
7 p1 lost L u1
`, nil},

	{"stopped for long, and robbed by one of another kernel", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1..2 p1 alive L u1
6 p2 took L u1
6 srv remove L u1
7 p1 lost L u1
`, nil},

	{"stopped for long, and robbed by one of the same kernel with other pids", "", two + `
worker p3 on a in 2
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1..2 p1 alive L u1
6 p3 took L u1
6 srv remove L u1
7 p1 lost L u1
`, nil},

	{"robbed a second early", "robbed", two + early, nil},

	{"robbed a second early where mtimes have whole seconds", "", "ticks 1s\n" + two + early, func(r Report) bool { return r.Robbed == 1 }},

	{"killed, and replaced by one of the same kernel", "", two + `
worker p3 on a
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1..2 p1 alive L u1
2.1 died p1
4 p3 took L u1
4 srv remove L u1
`, nil},

	{"robbed by the mtime rule, and a last beat came late", "", two + `
1 srv create L u1 p1
1 p1 enter L u1
1..3 p1 alive L u1
4.4 srv beat L u1
4.5 srv remove L u1
4.6 p1 tick
`, nil},

	{"robbed early after the server's date went an hour ahead in a silence", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..2 p1 alive L u1
2.5 step 1h
3.4 srv remove L u1
3.5 p2 enter L u2
3.6 p1 alive L u1
3.6 p1 lost L u1
`, func(r Report) bool { return r.Assumed == 2 }},

	{"robbed early after the server's date went back in a silence", "overlap robbed", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..2 p1 alive L u1
2.5 step -1h
3.4 srv remove L u1
3.5 p2 enter L u2
3.6 p1 alive L u1
3.6 p1 lost L u1
`, nil},

	{"robbed after the server's date went ahead between two beats", "robbed", two + `
1 srv create L u1 p1
1..4 srv beat L u1
1 p1 enter L u1
1.1..4 p1 alive L u1
2.5 step 1h
4 srv remove L u1
4.2 p1 lost L u1
`, nil},

	{"the server was off, and nobody knows of the beats before it", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..4.5 p1 alive L u1
2.6-8 outage # the lease ends at 4.6
9 srv begin
9.1 srv there L u1
9.2 srv ready
4.6 p1 lost L u1
`, nil},

	{"the server was off for long, and the holder went on", "lease", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..7 p1 alive L u1
2.6-8 outage # the lease ends at 4.6
9 srv begin
9.1 srv there L u1
9.2 srv ready
7 p1 lost L u1
`, nil},

	{"a stamp went while nobody watched", "", two + `
1 srv create L u1 p1
1..2 srv beat L u1
1 p1 enter L u1
1.1..4.5 p1 alive L u1
4.6 p1 leave L u1
4-8 outage
9 srv begin
9 srv ready
`, func(r Report) bool { return r.Robbed == 0 }},
}
