package proptest

import (
	"time"

	"pgregory.net/rapid"
)

// Plots are short sequences of actions that draw what is hard to come by step by step: two processes are held up, each at a
// call of its own, and go on in a drawn order. Each action of a plot is an ordinary one, and stands in the script as such.

var holdUps = []string{"mkdir:lock", "create:own", "list:lock", "stat:other", "stat:own", "unlink:other", "unlink:own", "rmdir:lock", "opendir:lock", "touch:own", "info:lock", "touch:probe"}

// plot draws one and does it.
func (d *drawer) plot(t *rapid.T) {
	victim, ok1 := d.proc(t, "stop")
	thief, ok2 := d.proc(t, "stop")
	if !ok1 || !ok2 || victim.onlooker || thief.onlooker {
		return
	}
	long := 2 * max(victim.mutex.Stale, thief.mutex.Stale)
	brief := []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, 700 * time.Millisecond}
	do := func(a Action) { _ = d.w.Do(a) }
	want := func(p *Proc) {
		if len(p.active(acquiring)) == 0 {
			do(Action{Verb: "acquire", On: p.name, For: -1})
		}
	}
	switch rapid.SampledFrom([]string{"ambush", "ambush", "strain", "sleeper"}).Draw(t, "plot") {
	case "ambush": // both are held up on their way in
		how := rapid.SampledFrom([]string{"hold", "stop"}).Draw(t, "how")
		do(Action{Verb: "fault", On: victim.name, Op: rapid.SampledFrom(holdUps).Draw(t, "at"), What: how, When: d.when(t), Skip: rapid.IntRange(0, 1).Draw(t, "skip")})
		want(victim)
		do(Action{Verb: "run", For: rapid.SampledFrom(append(brief, long)).Draw(t, "first")})
		do(Action{Verb: "fault", On: thief.name, Op: rapid.SampledFrom(holdUps).Draw(t, "at"), What: how, When: d.when(t)})
		want(thief)
		do(Action{Verb: "run", For: rapid.SampledFrom(append(brief, long)).Draw(t, "then")})
		d.goOn(t, victim, thief, brief)
	case "strain": // a heartbeat is answered late, and no other gets through
		want(victim)
		do(Action{Verb: "run", For: time.Second})
		do(Action{Verb: "fault", On: victim.name, Op: rapid.SampledFrom([]string{"touch:own", "stat:own"}).Draw(t, "at"), When: d.when(t), What: "hold"})
		want(thief)
		do(Action{Verb: "run", For: victim.mutex.Stale * time.Duration(rapid.IntRange(2, 9).Draw(t, "tenths")) / 10})
		do(Action{Verb: "let", On: victim.name})
		do(Action{Verb: "run", For: rapid.SampledFrom(brief).Draw(t, "then")})
		do(Action{Verb: "cut", On: victim.host.name})
		do(Action{Verb: "run", For: long})
		do(Action{Verb: "heal", On: victim.host.name})
	case "sleeper": // a holder sleeps through its lease, and wakes while a thief is at work
		want(victim)
		do(Action{Verb: "run", For: time.Second})
		do(Action{Verb: "fault", On: thief.name, Op: rapid.SampledFrom(holdUps).Draw(t, "at"), What: "hold", When: d.when(t), Skip: rapid.IntRange(0, 1).Draw(t, "skip")})
		do(Action{Verb: "stop", On: victim.name})
		want(thief)
		do(Action{Verb: "run", For: long})
		if rapid.Bool().Draw(t, "again") {
			do(Action{Verb: "fault", On: victim.name, Op: rapid.SampledFrom(holdUps).Draw(t, "at"), What: "hold", When: d.when(t)})
		}
		d.goOn(t, victim, thief, brief)
	}
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
