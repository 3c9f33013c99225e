package proptest

import (
	"fmt"
	"hash/fnv"
	"path"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// trace is what happened, kept cheaply and spelt only when somebody wants to read it.
type trace struct {
	began  time.Time
	events []event
}

type event struct {
	at     time.Duration
	p      *Proc
	op     string
	path   string
	err    error
	note   string
	action *Action
}

func (t *trace) add(e event) {
	e.at = time.Since(t.began)
	t.events = append(t.events, e)
}

func (t *trace) call(c *call, note string) {
	t.add(event{p: c.p, op: c.op, path: c.path, err: c.answer, note: note})
}

func (t *trace) returned(a *actor) {
	if a.what == "check" && a.err != nil { // why not: lost or released, that is a race with its own Release
		t.add(event{p: a.p, op: a.what, note: fmt.Sprintf("by #%d: not held", a.n)})
		return
	}
	t.add(event{p: a.p, op: a.what, note: fmt.Sprintf("by #%d", a.n), err: a.err})
}

func (e event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%12.6fs ", e.at.Seconds())
	if e.action != nil {
		fmt.Fprintf(&b, "# %s", e.action)
		return b.String()
	}
	fmt.Fprintf(&b, "  %-6s %-8s", e.p.name, e.op)
	if e.path != "" {
		fmt.Fprintf(&b, " %s", shorten(path.Base(e.path)))
	}
	if e.note != "" {
		fmt.Fprintf(&b, " [%s]", e.note)
	}
	if e.err != nil {
		fmt.Fprintf(&b, " -> %s", shorten(e.err.Error()))
	}
	return b.String()
}

// shorten makes a stamp's name, or a sentence with one, readable: the uuid's first digits tell it from the others.
func shorten(s string) string {
	const prefix, digits = stamp.Prefix + "1.", 6
	var b strings.Builder
	for {
		i := strings.Index(s, prefix)
		if i < 0 || len(s) < i+len(prefix)+digits {
			break
		}
		end := i + len(prefix) + digits
		b.WriteString(s[:end])
		b.WriteByte('~')
		s = strings.TrimLeft(s[end:], "abcdefghijklmnopqrstuvwxyz0123456789.-")
	}
	b.WriteString(s)
	const most = 200
	if b.Len() > most {
		return b.String()[:most] + "..."
	}
	return b.String()
}

// lines spells the events, the last n of them; all if n is 0.
func (t *trace) lines(n int) string {
	events := t.events
	if n > 0 && len(events) > n {
		events = events[len(events)-n:]
	}
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

// Hash names the trace: equal schedules have equal ones.
func (w *World) Hash() uint64 {
	h := fnv.New64a()
	for _, e := range w.trace.events {
		fmt.Fprintln(h, e)
	}
	return h.Sum64()
}

// Trace is what happened so far, a line each; the package's documentation says how to read one.
func (w *World) Trace() string { return w.trace.lines(0) }

// Script is what was done so far, with which the same will happen.
func (w *World) Script() Script { return Script{w.Config, w.script} }
