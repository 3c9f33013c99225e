package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

const (
	lengthVariable = "MKDIRLOCK_CHAOS"      // how long on each file system, such as 20m; a minute by default
	seedVariable   = "MKDIRLOCK_CHAOS_SEED" // 1 by default; another one each time, if the length is given
	logVariable    = "MKDIRLOCK_CHAOS_LOG"  // a directory for all that was told
)

// Three hosts with four processes each, and a server, to all of which everything happens that may happen to them.
func TestChaos(t *testing.T) {
	netlab.Need(t)
	for _, kind := range []string{"nfs4", "nfs3", "smb"} {
		t.Run(kind, func(t *testing.T) { chaos(t, kind) })
	}
}

func length(t *testing.T, kind string) (length time.Duration, seed uint64) {
	length, seed = time.Minute, 1
	if slices.Contains(inUserSpace, kind) {
		length = 42 * time.Second // two storms
	}
	var err error
	if text := os.Getenv(lengthVariable); text != "" {
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		seed = uint64(time.Now().UnixNano())
	}
	if text := os.Getenv(seedVariable); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	return length, seed
}

// settings are short, so that a minute has many faults, and long enough for kernels that share two processors.
func settings(kind string) Settings {
	s := Settings{
		Heartbeat: 400 * time.Millisecond, Stale: 4 * time.Second, Poll: 200 * time.Millisecond,
		ServerClock: kind == "nfs3" || kind == "nfs4", Slack: time.Second, Anew: 1200 * time.Millisecond, // Confirm
	}
	if kind == "sshfs" {
		s.Tick = time.Second
	}
	return s
}

func chaos(t *testing.T, kind string) {
	long, seed := length(t, kind)
	r := role{Settings: settings(kind), Locks: 3}
	plan := Plan{
		Seed: seed, Length: long, Clients: []string{"a", "b", "c"}, Workers: 4, Locks: r.Locks, Stale: r.Settings.Stale,
		Storm: 11 * time.Second, Lull: 8 * time.Second,
	}
	events := NewSchedule(plan)
	if slices.Contains(inUserSpace, kind) {
		events = endure(events, kind, plan.Clients)
	}
	c := newCampaign(t, kind, plan.Clients, r)
	report, all := c.run(plan, events)
	c.tell(report, all, events)
	if len(report.Faults)+len(c.problem) > 0 {
		t.Logf("again: %s=%d, with this schedule:\n%s", seedVariable, seed, Script(events))
	}
	c.enough(report)
}

// A holder that does not hear of the end of its lease is seen.
func TestDeafHolderIsSeen(t *testing.T) {
	netlab.Need(t)
	r := role{Settings: settings("nfs3"), Locks: 1, Broken: "deaf"}
	plan := Plan{Clients: []string{"a", "b"}, Workers: 2, Length: 24 * time.Second}
	var events []Event
	for i, client := range []string{"a", "b", "a"} {
		events = append(events, Event{time.Duration(2+7*i) * time.Second, Cut, client, 6 * time.Second})
	}
	c := newCampaign(t, "nfs3", plan.Clients, r)
	report, all := c.run(plan, events)
	if !strings.Contains(report.rules(), RuleLease) {
		c.tell(report, all, events)
		t.Errorf("the judge saw nothing: %+v", report)
	}
}

// run has everybody at work while all that happens which the schedule says, and judges it.
func (c *campaign) run(plan Plan, events []Event) (Report, []Record) {
	c.begun = time.Now()
	c.keep("srv", "", "watch", 0)
	for i, client := range plan.Clients {
		c.keep(client+"/probe", client, "probe", 0)
		for n := range plan.Workers {
			c.keep(fmt.Sprintf("%s/%d", client, n), client, "worker", plan.Seed+uint64(1000*(plan.Workers*i+n)))
		}
	}
	c.suffer(events)
	time.Sleep(plan.Length - c.now())
	end := c.now()
	c.finish()
	trial := c.trial(c.role.Settings)
	trial.End = end
	all := slices.Concat(trial.Records, trial.Watch, c.notes)
	slices.SortStableFunc(all, func(a, b Record) int { return int(a.At.To - b.At.To) })
	return Judge(trial), all
}

// finish has everybody end, and looks whether the locks can be had and nothing is left of them.
func (c *campaign) finish() {
	close(c.over)
	c.end("worker", "probe")
	for _, client := range c.lab.Clients() {
		p := c.posts[client.Name]
		r := c.role
		r.Name, r.Dir = "visitor", p.dir
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		from := c.now()
		res, err := p.host.Run(ctx, []string{r.env()}, c.program)
		cancel()
		if err != nil || res.Code != 0 {
			c.wrong("a newcomer on %s: %v, %d, %s", client.Name, err, res.Code, res.Stderr)
		}
		c.t.Logf("a newcomer on %s had all locks in %v", client.Name, (c.now() - from).Round(time.Millisecond))
	}
	// Of two who clear away at once what they read the clock by, each may find the other still at it, and who dies over it leaves it. Whoever reads it next
	// clears it away, what nobody has touched for an hour included.
	left := c.lab.Server.Must("sh", "-c", "cd "+c.lab.Share+trialDir+" && find . -mindepth 1 ! -name 'probe-*' ! -name '*.dirlock' ! -path '*.dirlock/now-*'")
	if left != "" {
		c.wrong("left behind:\n%s", left)
	}
	c.end("watch")
}

// tell says what came of it.
func (c *campaign) tell(r Report, all []Record, events []Event) {
	faults := r.Faults
	r.Faults = nil
	c.t.Logf("%d events: %+v", len(events), r)
	c.t.Logf("answers: %v", answers(all))
	for boot, clock := range c.clocks {
		if clock.Error() > 20*time.Millisecond {
			c.t.Logf("the clock of %s is known to within %v", boot, clock.Error())
		}
	}
	if dir := os.Getenv(logVariable); dir != "" {
		var text strings.Builder
		for _, rec := range all {
			fmt.Fprintf(&text, "%v %s %s %s %s %q\n", rec.At, rec.Who, rec.Kind, dash(rec.Lock), dash(rec.Token), rec.Text)
		}
		if err := os.WriteFile(filepath.Join(dir, c.kind+".log"), []byte(text.String()), 0o644); err != nil {
			c.t.Error(err)
		}
	}
	for _, p := range c.problem {
		c.t.Error(p)
	}
	for i, f := range faults {
		c.t.Errorf("%s: %8.3fs %s: %s", f.Rule, f.At.Seconds(), f.Lock, f.What)
		if i < 3 {
			c.t.Log(near(all, f))
		}
	}
}

// enough fails a trial in which too little happened to mean anything.
func (c *campaign) enough(r Report) {
	minutes := c.now().Minutes()
	if r.Entered < int(30*minutes) || r.Lost+r.Robbed < int(3*minutes) || r.Awaited < int(minutes) {
		c.t.Errorf("too little happened: %+v", r)
	}
}

// answers counts what workers were told, by how it begins.
func answers(records []Record) map[string]int {
	count := map[string]int{}
	for _, r := range records {
		if r.Kind == Gave || r.Kind == Lost || r.Kind == Left {
			count[string(r.Kind)+" "+shorten(r.Text)]++
		}
	}
	return count
}

func shorten(text string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(text) {
		if !strings.Contains(word, "/") && !strings.ContainsAny(word, "0123456789") {
			b.WriteString(word + " ")
		}
	}
	return strings.TrimSpace(b.String()[:min(b.Len(), 160)])
}

// near is what was told around a fault: of its lock, and of what was done.
func near(all []Record, f Fault) string {
	var b strings.Builder
	for _, r := range all {
		if r.At.To < f.At-8*time.Second || r.At.From > f.At+time.Second || r.Kind == Tick || r.Kind == Reached {
			continue
		}
		if r.Lock == f.Lock || r.Who == "fault" {
			fmt.Fprintf(&b, "%v %s %s %s %s\n", r.At, r.Who, r.Kind, r.Token, r.Text)
		}
	}
	return b.String()
}
