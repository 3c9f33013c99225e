package stamp

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// statLine is the beginning of a stat, with a state, group, thread count and start.
func statLine(comm, state, group, threads, start string) string {
	return "7 (" + comm + ") " + state + " 1 " + group + " 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 " + threads + " 0 " + start + " 51888128 4836\n"
}

func TestParseStat(t *testing.T) {
	good := stat{state: 'S', group: 12, threads: 3, start: 345}
	for _, comm := range []string{"sh", "", "a b", "a) Z 1 2 3 (b", ") S 1 1", "\n", "((", "\xff"} {
		if got, err := parseStat([]byte(statLine(comm, "S", "12", "3", "345"))); err != nil || got != good {
			t.Errorf("%q: %+v, %v", comm, got, err)
		}
	}
	if got, err := parseStat([]byte(statLine("x", "X", "-1", "0", "18446744073709551615"))); err != nil || got.group != -1 || got.start != 1<<64-1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{
		"", ")", "7 (sh", "7 (sh) S 1 12", statLine("x", "", "1", "1", "1"), statLine("x", "SS", "1", "1", "1"),
		statLine("x", "S", "a", "1", "1"), statLine("x", "S", "1", "-1", "1"), statLine("x", "S", "1", "1", "-1"),
		statLine("x", "S", "1", "1", "18446744073709551616"), statLine("x", "S", "1", "1.5", "1"),
	} {
		if got, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

func TestStatZombie(t *testing.T) {
	for _, c := range []struct {
		state        byte
		threads      int
		zombie, torn bool
	}{
		{'Z', 1, true, false}, {'X', 1, true, false},
		{'Z', 2, false, false}, {'X', 2, false, false}, // a leader that left
		{'Z', 0, false, true}, {'X', 0, false, true}, // taken apart
		{'S', 1, false, false}, {'R', 9, false, false}, {'T', 1, false, false}, {'x', 1, false, false},
	} {
		st := stat{state: c.state, threads: c.threads}
		if st.zombie() != c.zombie || st.torn() != c.torn {
			t.Errorf("%c with %d threads: zombie %v, torn %v", c.state, c.threads, st.zombie(), st.torn())
		}
	}
}

func TestParseNSpid(t *testing.T) {
	for status, want := range map[string][]int{
		"":                                     nil,
		"Pid:\t3\n":                            nil,
		"NSpid:\n":                             nil,
		"NSpid:\t7\n":                          {7},
		"Name:\tx\nNSpid:\t7\t1\nNSpgid:\t9\n": {7, 1},
		"NSpid:\t7":                            {7},
		"NSpid:\t7 x\n":                        nil,
		"NSpid:\t0\n":                          nil,
		"NSpid:\t-7\n":                         nil,
		"Name:\tNSpid: 5\nNSpid:\t7\n":         {7},
	} {
		if got := parseNSpid([]byte(status)); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", status, got, want)
		}
	}
}

func TestOwnNSpid(t *testing.T) {
	for status, want := range map[string]bool{
		"NSpid:\t7\n": true, "NSpid:\t8\n": false, "NSpid:\t8\t7\n": false, "NSpid:\t7\t7\n": false, "NSpid:\t7\t1\n": false, "": false,
	} {
		if got := ownNSpid([]byte(status), 7); got != want {
			t.Errorf("%q: %v", status, got)
		}
	}
}

func TestParseNamespace(t *testing.T) {
	for link, want := range map[string]uint64{
		"pid:[4026531836]": 4026531836, "pid:[18446744073709551616]": 0, "pid:[]": 0, "pid:[-1]": 0,
		"time:[4026531834]": 0, "pid:[1": 0, "pid:1]": 0, "": 0, "/proc/1/ns/pid": 0, "pid:[1] ": 0,
	} {
		if got := parseNamespace("pid", link); got != want {
			t.Errorf("%q: %d, want %d", link, got, want)
		}
	}
}

func TestParseBootID(t *testing.T) {
	const id = "48df7070-feee-4cbb-aa19-25913cc9adc6"
	if got := parseBootID(id + "\n"); got.String() != strings.ReplaceAll(id, "-", "") {
		t.Errorf("got %v", got)
	}
	for _, bad := range []string{
		"", id + "\n\n", " " + id, id[:35], strings.ReplaceAll(id, "-", ""), "{" + id + "}", "urn:uuid:" + id,
		"x" + id[1:], "48df70-70feee-4cbb-aa19-25913cc9adc6", "00000000-0000-0000-0000-000000000000",
	} {
		if got := parseBootID(bad); !got.IsZero() {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func TestProcHidden(t *testing.T) {
	const root = "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
	proc := func(super string) string {
		return "22 27 0:21 / /proc rw,relatime shared:5 - proc proc " + super + "\n"
	}
	over := "23 22 0:22 / /proc rw - tmpfs tmpfs rw\n"
	for info, open := range map[string]bool{
		root + proc("rw"):                                     true,
		root + proc("rw,hidepid=0"):                           true,
		root + proc("rw,hidepid=off,gid=5"):                   true,
		root + proc("rw,gid=5,subset=pid"):                    true,
		root + proc("rw,hidepid=1"):                           false,
		root + proc("rw,hidepid=2"):                           false,
		root + proc("rw,hidepid=4"):                           false,
		root + proc("rw,hidepid=invisible"):                   false,
		root + proc("rw,hidepid=noaccess"):                    false,
		root + proc("rw,hidepid=ptraceable"):                  false,
		root + proc("rw,hidepid="):                            false,
		root + proc("rw,hidepid=00"):                          false,
		root + proc("rw,hidepid=0,hidepid=2"):                 false,
		"":                                                    false,
		root:                                                  false,
		root + proc("rw") + over:                              false,
		root + over + proc("rw"):                              true,
		root + proc("rw,hidepid=2") + proc("rw"):              true,
		root + proc("rw") + proc("rw,hidepid=2"):              false,
		"22 27 0:21 /sub /proc rw - proc proc rw\n":           false,
		"22 27 0:21 / /proc rw,hidepid=2 - proc proc rw\n":    false,
		"22 27 0:21 / /proc rw - proc proc\n":                 false,
		"22 27 0:21 / /proc rw master:1 shared:2 - proc - rw": true,
		"22 27 0:21 / /proc/sys ro - proc proc rw\n":          false,
		"22 27 0:21 / /proc\n":                                false,
	} {
		if why := procHidden([]byte(info)); (why == "") != open {
			t.Errorf("%q: %q", info, why)
		}
	}
}

func FuzzParseProc(f *testing.F) {
	for _, name := range []string{"stat", "status", "mountinfo"} {
		text, err := os.ReadFile("/proc/self/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(statLine("a) Z (b", "Z", "-1", "0", "1")))
	f.Add([]byte("pid:[4026531836]"))
	f.Add([]byte("48df7070-feee-4cbb-aa19-25913cc9adc6\n"))
	f.Add([]byte("22 27 0:21 / /proc rw - proc proc rw,hidepid=2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if st, err := parseStat(text); err == nil {
			if st.threads < 0 || st.zombie() && st.torn() {
				t.Errorf("%q: %+v", text, st)
			}
		} else if (st != stat{}) {
			t.Errorf("%q: %+v with %v", text, st, err)
		}
		for _, pid := range parseNSpid(text) {
			if pid <= 0 {
				t.Errorf("%q: pid %d", text, pid)
			}
		}
		parseNamespace("pid", string(text))
		parseBootID(string(text))
		if why := procHidden(text); why == "" && !strings.Contains(string(text), "/proc") {
			t.Errorf("%q: open", text)
		}
	})
}
