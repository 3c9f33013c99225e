package proptest

import (
	"syscall"
	"time"

	"pgregory.net/rapid"
)

// Plots are short sequences of actions that draw what is hard to come by step by step: two processes are held up, each at a
// call of its own, and go on in a drawn order. Each action of a plot is an ordinary one, and stands in the script as such.

var holdUps = []string{"mkdir:lock", "create:own", "list:lock", "stat:other", "stat:own", "unlink:other", "unlink:own", "rmdir:lock", "opendir:lock", "touch:own", "info:lock", "touch:probe", "open:own", "guard:own", "guard:own", "probe:other"}

// plot draws one and does it.
func (d *drawer) plot(t *rapid.T) {
	victim, ok := d.proc(t, "stop")
	if !ok || victim.onlooker {
		return
	}
	thief := d.other(t, victim)
	long := 2 * max(victim.mutex.Stale, thief.mutex.Stale)
	brief := []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, 700 * time.Millisecond}
	do := func(a Action) { _ = d.w.Do(a) }
	want := func(p *Proc) {
		if len(p.active(acquiring))+len(p.active(holding)) == 0 {
			do(Action{Verb: "acquire", On: p.name, For: -1})
		}
	}
	hold := func(p *Proc, op string, w When) {
		do(Action{Verb: "fault", On: p.name, Op: op, What: "hold", When: w, Skip: rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "skip")})
	}
	run := func(of ...time.Duration) { do(Action{Verb: "run", For: rapid.SampledFrom(of).Draw(t, "for")}) }
	at := func(ops ...string) string { return rapid.SampledFrom(ops).Draw(t, "at") }
	errno := func() syscall.Errno {
		return rapid.SampledFrom([]syscall.Errno{errStale, syscall.EIO, syscall.EACCES}).Draw(t, "errno")
	}
	plots := []string{"ambush", "ambush", "late", "strain", "strain", "sleeper", "muddle", "parting", "impatience"}
	if d.p.siblings {
		plots = []string{"ambush", "late", "sleeper", "parting", "guard", "guard", "guard", "heir"}
	}
	plot := rapid.SampledFrom(plots).Draw(t, "plot")
	if plot == "strain" || plot == "sleeper" { // of whoever has the lock
		for _, p := range d.w.procs {
			if p != victim && !p.dead && !p.stopped && len(p.active(holding)) > 0 {
				victim, thief = p, d.other(t, p)
			}
		}
	}
	switch plot {
	case "ambush": // both are held up on their way in
		hold(victim, at(holdUps...), d.when(t))
		want(victim)
		run(append(brief, long)...)
		hold(thief, at(holdUps...), d.when(t))
		want(thief)
		run(append(brief, long)...)
		d.goOn(t, victim, thief, brief)
	case "late": // an answer comes when the owner was judged already
		hold(victim, at("create:own", "create:own", "list:lock", "stat:own", "touch:own"), After)
		want(victim)
		run(brief...)
		hold(thief, "unlink:other", Before)
		want(thief)
		run(long)
		d.goOn(t, victim, thief, brief)
	case "guard": // one has made its stamp and not come to hold it, when the other has missed enough beats to try the guard
		thief = d.sibling(t, victim)
		f := Action{Verb: "fault", On: victim.name, Op: at("guard:own", "guard:own", "open:own", "create:own", "list:lock"), What: "hold"}
		if f.Op == "create:own" {
			f.When = After
		}
		do(f)
		want(victim)
		run(brief...)
		if rapid.Bool().Draw(t, "both") {
			hold(thief, at("unlink:other", "unlink:other", "probe:other"), d.when(t))
		}
		want(thief)
		run(victim.mutex.Heartbeat*7/2, victim.mutex.Heartbeat*5)
		d.goOn(t, victim, thief, brief)
	case "heir": // the holder ends, and something of its own has its guard and does not let go
		thief = d.sibling(t, victim)
		want(victim)
		run(time.Second)
		do(Action{Verb: "kill", On: victim.name, Opt: []string{"heir"}})
		want(thief)
	case "strain": // a heartbeat is answered late, and no other gets through
		want(victim)
		run(time.Second)
		hold(victim, at("touch:own", "touch:own", "stat:own"), After)
		want(thief)
		run(victim.mutex.Stale * time.Duration(rapid.IntRange(2, 9).Draw(t, "tenths")) / 10)
		do(Action{Verb: "let", On: victim.name})
		do(Action{Verb: "step", On: victim.name})
		do(Action{Verb: "cut", On: victim.host.name})
		run(long)
		do(Action{Verb: "heal", On: victim.host.name})
	case "sleeper": // a holder sleeps through its lease, and wakes while a thief is at work
		want(victim)
		run(time.Second)
		if rapid.Bool().Draw(t, "at the unlink") {
			hold(thief, "unlink:other", Before)
		} else {
			hold(thief, at(holdUps...), d.when(t))
		}
		do(Action{Verb: "stop", On: victim.name})
		want(thief)
		run(long)
		if rapid.Bool().Draw(t, "again") {
			hold(victim, at(holdUps...), d.when(t))
		}
		d.goOn(t, victim, thief, brief)
	case "muddle": // one stamps the directory long after it made it, and cannot see who is there by then
		hold(victim, at("opendir:lock", "info:lock", "create:own"), d.when(t))
		want(victim)
		run(long)
		want(thief)
		run(long)
		do(Action{Verb: "fault", On: victim.name, Op: at("stat:other", "list:lock"), What: "fail", Err: errno()})
		d.goOn(t, victim, thief, brief)
	case "parting": // what it takes to give the lock up fails
		want(victim)
		run(time.Second)
		do(Action{Verb: "fault", On: victim.name, Op: at("opendir:lock", "list:lock", "unlink:own", "rmdir:lock"), What: "fail", Err: errno()})
		do(Action{Verb: "release", On: victim.name})
		run(brief...)
	case "impatience": // who asked has gone when the answer comes, or goes before it has found its way about
		f := Action{Verb: "fault", On: victim.name, Op: at("create:own", "list:lock"), When: After}
		switch f.What = at("hold", "replay", "miss"); f.What {
		case "replay":
			f.Op = "create:own"
		case "miss":
			f.Op, f.When = "list:lock", Before
		}
		do(f)
		do(Action{Verb: "acquire", On: victim.name, For: rapid.SampledFrom([]time.Duration{0, 500 * time.Millisecond}).Draw(t, "wait")})
		run(time.Second, 2*time.Second)
		do(Action{Verb: "let", On: victim.name})
		run(brief...)
	}
}

// other draws somebody else, on another host if there is one.
func (d *drawer) other(t *rapid.T, than *Proc) *Proc {
	var far, near []*Proc
	for _, p := range d.w.procs {
		switch {
		case p.dead, p.stopped, p.onlooker:
		case p.host != than.host:
			far = append(far, p)
		default:
			near = append(near, p)
		}
	}
	if len(far) == 0 || rapid.IntRange(0, 3).Draw(t, "near") == 0 {
		far = near // which has than itself, too
	}
	return far[rapid.IntRange(0, len(far)-1).Draw(t, "other")]
}

// sibling draws somebody on the same host in another pid namespace, if there is one.
func (d *drawer) sibling(t *rapid.T, of *Proc) *Proc {
	var list []*Proc
	for _, p := range d.w.procs {
		if p.host == of.host && p.id.PIDNS != of.id.PIDNS && !p.dead && !p.stopped && !p.onlooker {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return d.other(t, of)
	}
	return list[rapid.IntRange(0, len(list)-1).Draw(t, "sibling")]
}

func (d *drawer) when(t *rapid.T) When {
	if rapid.Bool().Draw(t, "after") {
		return After
	}
	return Before
}

// goOn lets both go on, in a drawn order.
func (d *drawer) goOn(t *rapid.T, a, b *Proc, brief []time.Duration) {
	if rapid.Bool().Draw(t, "other way round") {
		a, b = b, a
	}
	for _, p := range []*Proc{a, b, a} {
		_ = d.w.Do(Action{Verb: "cont", On: p.name})
		_ = d.w.Do(Action{Verb: "let", On: p.name})
		_ = d.w.Do(Action{Verb: "run", For: rapid.SampledFrom(brief).Draw(t, "moment")})
	}
}
