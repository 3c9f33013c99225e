package chaos

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A madeUp trial is written down as a text, a line each:
//
//	worker p1 on a              a process p1 on host a; its probe is a!
//	worker p2 on a in 2         the same, when the host has other pids
//	ticks 1s                    mtimes have whole seconds
//	1.5 p1 enter L u1           a record: time or from-to, who, kind, lock, token
//	1.5..4 p1 alive L u1        one each 50 ms; of srv each 200 ms, of a probe each 50 ms
//	3 died p1                   it was killed
//	3 step 1h                   the server's date
//	3-5 outage                  the server's power
//
// Records of srv are the watch's. The locks' waiters tick as the text says.
func madeUp(t *testing.T, text string) Trial {
	t.Helper()
	trial := Trial{
		Settings: Settings{
			Heartbeat: 200 * time.Millisecond, Stale: 3 * time.Second, Poll: 200 * time.Millisecond,
			ServerClock: true, Slack: 300 * time.Millisecond,
		},
		Procs: map[string]Proc{},
		End:   20 * time.Second,
	}
	for line := range strings.Lines(text) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) == "" {
			continue
		}
		if err := trial.read(strings.Fields(line)); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	byTime := func(a, b Record) int { return int(a.At.To - b.At.To) }
	slices.SortStableFunc(trial.Records, byTime)
	slices.SortStableFunc(trial.Watch, byTime)
	return trial
}

func (t *Trial) read(f []string) error {
	if f[0] == "worker" {
		n := len(t.Procs) + 1
		namespace := "1"
		if len(f) > 4 {
			namespace = f[5]
		}
		t.Procs[f[1]] = Proc{Host: f[3], Kernel: "boot" + f[3] + "." + namespace, ID: fmt.Sprint(n, ".77")}
		t.Procs[f[3]+"!"] = Proc{Host: f[3]}
		return nil
	}
	if f[0] == "ticks" {
		tick, err := time.ParseDuration(f[1])
		t.Settings.Tick = tick
		return err
	}
	at, last, err := span(f[0])
	if err != nil {
		return err
	}
	switch f[1] {
	case "died":
		p := t.Procs[f[2]]
		p.Died, p.Death = true, at
		t.Procs[f[2]] = p
		return nil
	case "step":
		by, err := time.ParseDuration(f[2])
		t.Steps = append(t.Steps, Step{at, by})
		return err
	case "outage":
		t.Outages = append(t.Outages, at)
		return nil
	}
	r := Record{At: at, Who: f[1], Kind: Kind(f[2])}
	if len(f) > 3 {
		r.Lock = undash(f[3])
	}
	if len(f) > 4 {
		r.Token = undash(f[4])
	}
	if len(f) > 5 { // who owns the stamp
		p := t.Procs[f[5]]
		r.Text = fmt.Sprintf("dirlock-1.%s.%s.%s.0", r.Token, p.ID, p.Kernel)
	}
	list, every := &t.Records, 50*time.Millisecond
	if r.Who == "srv" {
		list, every = &t.Watch, 200*time.Millisecond
	}
	for ; r.At.To <= last; r.At.From, r.At.To = r.At.From+every, r.At.To+every {
		*list = append(*list, r)
	}
	return nil
}

// span reads "1.5", "1.5-2" (a moment) and "1.5..4" (many).
func span(word string) (at Moment, last time.Duration, err error) {
	from, to, many := strings.Cut(word, "..")
	if !many {
		if from, to, many = strings.Cut(word, "-"); !many {
			to = from
		}
		many = false
	} else {
		many = true
	}
	seconds := func(s string) (d time.Duration) {
		if err == nil {
			d, err = time.ParseDuration(s + "s")
		}
		return d
	}
	a, b := seconds(from), seconds(to)
	if many {
		return At(a), b, err
	}
	return Moment{a, b}, b, err
}

func TestRecordsAreReadBack(t *testing.T) {
	for _, r := range []Record{
		{At: Moment{1, 2}, Kind: Tick},
		{At: Moment{1500, 2500}, Kind: Enter, Lock: "lock-0", Token: "abc"},
		{At: Moment{-1, 2}, Kind: Wrong, Lock: "lock", Text: "two words\nand \"more\""},
	} {
		got, err := Parse(r.String())
		if err != nil || got != r {
			t.Errorf("%q: %+v, %v", r, got, err)
		}
	}
	for _, bad := range []string{"", "1 2 tick", "x 2 tick - -", "1 x tick - -", "1 2 tick - - text", "1 2 tick - - \"te"} {
		if r, err := Parse(bad); err == nil {
			t.Errorf("%q was read as %+v", bad, r)
		}
	}
}

func TestClocksAreTranslated(t *testing.T) {
	var c Clock
	if c.Known() {
		t.Error("a clock that nobody read is known")
	}
	c.Add(100, 5, 110) // 95 to 105 ahead
	c.Add(200, 98, 205)
	c.Add(300, 205, 400)
	if got := c.Machine(Moment{10, 20}); got != (Moment{112, 125}) || c.Error() != 3 {
		t.Errorf("%v, error %d", got, c.Error())
	}
	c.Add(400, 300, 401) // 100 to 101: it does not fit
	if c.Error() != 0 {
		t.Errorf("error %d", c.Error())
	}
}
