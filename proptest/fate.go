package proptest

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// settle decides a call's fate, by the plans made for its process.
func (w *World) settle(c *call) {
	before, after := c.p.planned(c)
	if !c.acted {
		if before != nil && !w.strikes(c, before) {
			return
		}
		w.act(c)
		if after != nil && !w.strikes(c, after) {
			return
		}
	}
	w.reply(c)
}

// act has a call's effect.
func (w *World) act(c *call) {
	w.judge.before(c)
	w.count.calls++
	of := w.leaving(c)
	c.answer = c.do()
	c.acted = true
	w.judge.after(c)
	w.has(c, of)
	w.trace.call(c, "")
}

// reply gives a call its answer.
func (w *World) reply(c *call) {
	if i := slices.Index(w.ready, c); i >= 0 {
		w.ready = slices.Delete(w.ready, i, i+1)
	}
	c.done <- c.answer
}

// strikes lets a plan come true, and reports whether the call goes on.
func (w *World) strikes(c *call, p *plan) bool {
	note := p.When.String() + " " + p.What
	switch p.What {
	case "stop":
		w.stop(c.p)
		w.trace.call(c, note)
		return false
	case "hold":
		c.held = true
		w.trace.call(c, note)
		return false
	case "kill":
		w.trace.call(c, note)
		w.kill(c.p)
		return false
	case "miss": // a listing that does not show one's own stamps
		c.p.blind = true
		w.trace.call(c, note)
		return true
	case "replay": // sent again, since the answer was lost
		w.trace.call(c, note)
		w.act(c)
		return true
	case "late": // answered, and on its way all the same
		w.late = append(w.late, &call{p: c.p, op: c.op, path: c.path, do: c.do, done: make(chan error, 1)})
	}
	c.answer = pathError(c, p.Err)
	w.trace.call(c, note)
	w.reply(c)
	return false
}

// land lets those calls have their effect that were answered before.
func (w *World) land() {
	late := w.late
	w.late = nil
	for _, c := range late {
		w.act(c)
	}
}

// meant reports whether a plan is for such a call: "unlink" is any, "unlink:other" that of somebody else's stamp, "unlink:own" of
// one's own, "stat:probe" that of a probe of the clock, "rmdir:lock" that of the lock directory.
func (pl *plan) meant(c *call) bool {
	op, of, _ := strings.Cut(pl.Op, ":")
	if op != "" && op != c.op {
		return false
	}
	name := path.Base(c.path)
	switch of {
	case "":
		return true
	case "lock":
		return c.path == lockPath
	case "probe":
		return strings.HasPrefix(name, "probe-")
	case "vacant":
		return name == stamp.Vacant
	}
	if !strings.HasPrefix(name, stamp.Prefix) || name == stamp.Vacant {
		return false
	}
	r := c.p.w.judge.stamps[name]
	return (r == nil || r.owner == c.p) == (of == "own") // one that is not there yet is about to be made
}

// planned returns what is to happen at a call, which uses the plans up.
func (p *Proc) planned(c *call) (before, after *plan) {
	p.plans = slices.DeleteFunc(p.plans, func(pl *plan) bool {
		if c.acted || !pl.meant(c) {
			return false
		}
		if pl.left > 0 {
			pl.left--
			return false
		}
		switch {
		case pl.When == Before && before == nil:
			before = pl
		case pl.When == After && after == nil:
			after = pl
		default:
			return false
		}
		pl.times--
		return pl.times <= 0
	})
	return before, after
}

func pathError(c *call, e syscall.Errno) error { return &fs.PathError{Op: c.op, Path: c.path, Err: e} }

// doFault lets something happen at a call of a process that is to come.
func (w *World) doFault(p *Proc, a Action) error {
	if err := a.checkFault(); err != nil {
		return err
	}
	times, err := a.times()
	if err != nil {
		return err
	}
	w.failing = w.failing || a.Err != 0
	p.marred = p.marred || a.What != "stop" && a.What != "hold"
	switch op, _, _ := strings.Cut(a.Op, ":"); {
	case op == "create" && (a.What == "replay" || a.What == "fail" && a.Err != errStale), op == "mkdir" && a.What == "fail", a.What == "miss":
	default:
		p.cleanup = true
	}
	p.plans = append(p.plans, &plan{a, a.Skip, times})
	return nil
}
