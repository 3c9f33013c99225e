package proptest

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

// A profile says what a property draws: which worlds, and how often which action.
type profile struct {
	mounts   []Mount
	mixed    bool           // hosts may mount what is shared in different ways, and one be the server itself
	hosts    int            // 1 to 3: at most
	procs    int            // 2 to 5: at most
	weights  map[string]int // of verbs
	faults   []string       // what may happen at a call
	settings []setting
	siblings bool // processes in containers of one machine, for the most part
	kernels  bool // processes of several users and containers, and numbers used again
	modes    bool // locks whose directory has a mode that was asked for
}

type setting struct{ h, stale time.Duration }

var brisk = []setting{{300 * time.Millisecond, 900 * time.Millisecond}, {500 * time.Millisecond, 3 * time.Second}, {time.Second, 6 * time.Second}}

// A drawer draws the actions of one schedule.
type drawer struct {
	w     *World
	p     profile
	deck  []string
	names int
}

func newDrawer(t *rapid.T, p profile) *drawer {
	c := Config{Mount: rapid.SampledFrom(p.mounts).Draw(t, "mount"), Fine: rapid.Bool().Draw(t, "fine")}
	c.Usual = rapid.IntRange(0, 3).Draw(t, "cached") > 0
	c.Latency = rapid.SampledFrom([]time.Duration{0, 0, time.Millisecond, 20 * time.Millisecond}).Draw(t, "latency")
	d := &drawer{w: New(c), p: p}
	for _, verb := range sortedKeys(p.weights) {
		for range p.weights[verb] {
			d.deck = append(d.deck, verb)
		}
	}
	hosts := rapid.IntRange(1, p.hosts).Draw(t, "hosts")
	for i := range hosts {
		a := Action{Verb: "host", On: fmt.Sprintf("h%d", i)}
		if wall := rapid.SampledFrom([]time.Duration{0, time.Hour, -time.Hour}).Draw(t, "wall"); wall != 0 {
			a.Opt = append(a.Opt, "wall="+wall.String())
		}
		if p.kernels && i == 1 && rapid.Bool().Draw(t, "clone") && c.Mount != Local { // a clone has its own copy of what is local
			a.Opt = append(a.Opt, "like=h0")
		}
		if p.mixed && rapid.IntRange(0, 5).Draw(t, "other mount") == 0 {
			kinds := []Mount{NFS3, NFS4, SMB, NFS4New}
			if i == 0 {
				kinds = append(kinds, Local, Local)
			}
			a.Opt = append(a.Opt, "mount="+rapid.SampledFrom(kinds).Draw(t, "kind").String())
		}
		if drift := rapid.SampledFrom([]int{0, 200, -200}).Draw(t, "drift"); drift != 0 {
			a.Opt = append(a.Opt, fmt.Sprintf("drift=%d", drift))
		}
		_ = d.w.Do(a)
	}
	for range rapid.IntRange(2, p.procs).Draw(t, "procs") {
		d.start(t)
	}
	return d
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// last draws on which host the newcomer comes in the end.
func (d *drawer) last(t *rapid.T) string {
	if i := rapid.IntRange(-1, len(d.w.hosts)-1).Draw(t, "last"); i >= 0 {
		return d.w.hosts[i].name
	}
	return ""
}

// start starts a process somewhere.
func (d *drawer) start(t *rapid.T) {
	set := rapid.SampledFrom(d.p.settings).Draw(t, "setting")
	h := d.w.hosts[rapid.IntRange(0, len(d.w.hosts)-1).Draw(t, "host")]
	a := Action{Verb: "start", On: fmt.Sprintf("p%d", d.names), Opt: []string{h.name, "h=" + set.h.String(), "stale=" + set.stale.String()}}
	if d.p.modes && rapid.IntRange(0, 3).Draw(t, "mode") == 0 {
		a.Opt = append(a.Opt, "mode=770")
	}
	a.Opt = append(a.Opt, d.place(t, h)...)
	d.names++
	_ = d.w.Do(a)
}

// act draws an action and does it.
func (d *drawer) act(t *rapid.T) {
	a, ok := d.action(t)
	if ok {
		_ = d.w.Do(a) // what is broken is looked for at the end of the step; what makes no sense does nothing
	}
}

var spans = []time.Duration{10 * time.Millisecond, 200 * time.Millisecond, time.Second, 3 * time.Second, 8 * time.Second}

func (d *drawer) action(t *rapid.T) (Action, bool) {
	a := Action{Verb: rapid.SampledFrom(d.deck).Draw(t, "verb")}
	v := verbs[a.Verb]
	switch a.Verb {
	case "plot":
		d.plot(t)
		return a, false
	case "start":
		if d.names < 8 {
			d.start(t)
		}
		return a, false
	case "cut", "heal", "suspend", "reboot", "shift", "open", "close":
		a.On = d.w.hosts[rapid.IntRange(0, len(d.w.hosts)-1).Draw(t, "host")].name
	default:
		if !v.on {
			break
		}
		p, ok := d.proc(t, a.Verb)
		if !ok {
			return a, false
		}
		a.On = p.name
	}
	switch a.Verb {
	case "run":
		a.For = rapid.SampledFrom(spans).Draw(t, "for")
		if p, ok := d.proc(t, a.Verb); ok {
			a.Opt = []string{p.name}
		}
	case "pass", "suspend":
		a.For = rapid.SampledFrom(spans).Draw(t, "for")
	case "shift", "clock":
		a.For = rapid.SampledFrom([]time.Duration{time.Hour, -time.Hour, 10 * time.Second, -3 * time.Second}).Draw(t, "for")
	case "acquire":
		a.For = rapid.SampledFrom([]time.Duration{-1, -1, -1, 0, 500 * time.Millisecond, 5 * time.Second}).Draw(t, "wait")
	case "fault":
		d.fault(t, &a)
	case "kill":
		if rapid.Bool().Draw(t, "zombie") {
			a.Opt = []string{"zombie"}
		}
		if d.p.siblings && rapid.IntRange(0, 4).Draw(t, "heir") == 0 {
			a.Opt = append(a.Opt, "heir")
		}
	case "open":
		if rapid.Bool().Draw(t, "dir") {
			a.Opt = []string{"dir"}
		}
	case "junk":
		a.Opt = []string{rapid.SampledFrom([]string{"file", "dir", "dropping", "residue", "stamplike"}).Draw(t, "junk")}
	case "forge":
		a.Opt = []string{rapid.SampledFrom([]string{"corrupt", "version"}).Draw(t, "forgery")}
	case "extra":
		a.Opt = []string{rapid.SampledFrom([]string{"1", "6"}).Draw(t, "extra")}
	case "ungroup":
		if rapid.Bool().Draw(t, "zombies") {
			a.Opt = []string{"zombies"}
		}
	case "script":
		a.Opt = []string{rapid.SampledFrom([]string{"mkdir", "mkdir", "rmdir", "touch", "file", "rm", "rm", "unlock", "move"}).Draw(t, "command")}
	}
	return a, true
}

// proc draws a process to which the verb can happen.
func (d *drawer) proc(t *rapid.T, verb string) (*Proc, bool) {
	var list []*Proc
	for _, p := range d.w.procs {
		switch {
		case verb == "ungroup":
			if p.group == nil || p.group.State() >= simkernel.Zombie {
				continue
			}
		case verb == "forge":
		case verb == "inspect" && len(p.actors) > 0, verb == "acquire" && p.onlooker:
			continue
		case verb == "reap":
			if !p.dead || p.task.State() != simkernel.Zombie {
				continue
			}
		case p.dead,
			verb == "acquire" && len(p.active(acquiring)) > 1,
			(verb == "release" || verb == "check") && len(p.active(holding)) == 0,
			verb == "cancel" && len(p.active(acquiring)) == 0,
			verb == "cont" && !p.stopped,
			verb == "stop" && p.stopped:
			continue
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, false
	}
	return list[rapid.IntRange(0, len(list)-1).Draw(t, "proc")], true
}
