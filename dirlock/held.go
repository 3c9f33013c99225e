package dirlock

import (
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// held makes the error of a call that ends without the lock.
func (a *acquisition) held(block obstacle, cause error) error {
	a.readContent(&block)
	return a.heldBy(block, cause)
}

// heldBy is held without another call to the file system.
func (a *acquisition) heldBy(block obstacle, cause error) error {
	e := &HeldError{
		Path:     a.set.path,
		Verdict:  block.verdict,
		Waited:   a.Clock.Mono() - a.started,
		Takeover: block.verdict.Wait,
		Cause:    cause,
		Problem:  block.problem,
	}
	if e.Problem == nil {
		e.Problem = block.refusal
	}
	if e.Takeover == 0 && !e.Verdict.Takeover { // of no verdict at all, say
		e.Takeover = -1
	}
	if block.name != "" {
		h := newHolder(block.name, block.stamp, block.beat, block.content)
		e.Holder = &h
	}
	return e
}

// readContent adds what the stamp in the way says to people, once a stamp. That is read on local file systems only: a stamp
// that was opened on NFS by a host that then dies makes its holder's next beat hang.
func (a *acquisition) readContent(block *obstacle) {
	if block.name == "" || !block.local {
		return
	}
	if a.saidBy != block.name {
		a.inTurn(a.values, func() {
			if dir, err := a.FS.OpenDir(a.path); err == nil {
				a.saidBy, a.said = block.name, readContent(dir, block.name)
				dir.Close()
			}
		})
	}
	if a.saidBy == block.name {
		block.content = a.said
	}
}

func newHolder(name string, s stamp.Stamp, beat stamp.Beat, c stamp.Content) Holder {
	h := Holder{
		Token:    name,
		Stamp:    s,
		PID:      s.PID,
		Host:     s.Label,
		PIDNS:    s.PIDNS,
		Age:      max(beat.Age, 0),
		AgeKnown: beat.AgeKnown,
	}
	if !s.Boot.IsZero() {
		h.Boot = s.Boot.String()
	}
	if c.UUID == s.UUID { // it is the content of this very stamp
		if c.Host != "" {
			h.Host = c.Host
		}
		h.Since, h.Container, h.Program, h.Note = c.Since, c.Container, c.Program, c.Note
	}
	return h
}

// readContent returns what a stamp says to people; zero if it cannot be read or makes no sense.
func readContent(dir fsys.Dir, name string) stamp.Content {
	data, err := dir.Read(name, stamp.MaxContent)
	if err != nil {
		return stamp.Content{}
	}
	c, err := stamp.DecodeContent(data)
	if err != nil {
		return stamp.Content{}
	}
	return c
}

func (a *acquisition) logTakeover(block obstacle) {
	a.set.log(levelWarn, "dirlock: takeover",
		attrPath(a.set.path), attrToken(block.name), attrReason(block.verdict.Reason),
		attrDuration("heartbeat_age", block.beat.Age), attrDuration("watched", block.beat.Unchanged))
}

func (a *acquisition) logAcquired(l *Lock, waited time.Duration) {
	a.set.log(levelInfo, "dirlock: acquired",
		attrPath(a.set.path), attrToken(l.name), attrDuration("waited", waited))
}
