package dirlock

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
	"github.com/aac6cccc/mkdirlock/stamp"
)

const simAux = simPath + auxSuffix

// onSMB is how a host mounts the server by SMB: its touches carry its own clock, which is off by so much.
func onSMB(c *memfs.Client, off time.Duration) {
	c.Kind = fsys.Traits{Type: "smb2", Beats: fsys.ClockClient, DeletePending: true, Dev: 7}
	c.Offset = func() time.Duration { return off }
}

// newcomer is a new process on a host of its own.
func (s *sim) newcomer(host string, off time.Duration) *simProc {
	p := s.proc(host)
	onSMB(p.client, off)
	return p
}

// try is one call that waits for the default time. It reports whether it got the lock.
func (p *simProc) try() bool {
	p.t.Helper()
	return p.wait(0)
}

func (p *simProc) wait(d time.Duration) bool {
	p.t.Helper()
	m := p.mutex()
	m.Wait = d
	l, err := m.Acquire(context.Background())
	switch {
	case err == nil:
		p.enter(l)
		p.leave()
		if err := l.Release(); err != nil {
			p.t.Error(err)
		}
	case !errors.Is(err, ErrHeld) || !errors.Is(err, context.DeadlineExceeded):
		p.t.Error(err)
	}
	return err == nil
}

// noted counts the notes that the process tried to make.
func (p *simProc) noted() int { return p.did("mkdir " + notePrefix) }

// did counts the calls of the process that begin like that.
func (p *simProc) did(call string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, op := range p.trace {
		if strings.HasPrefix(op, call) {
			n++
		}
	}
	return n
}

// beside lists what is beside the lock.
func (s *sim) beside() []string {
	d, err := s.server.Local().OpenDir(simPath + auxSuffix)
	if err != nil {
		return nil
	}
	list, _ := d.List()
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

// A ghost is an owner's stamp, on SMB, that beats when the test says so.
type ghost struct {
	*memfs.Client
	path string
}

func (s *sim) ghost(off time.Duration, clock stamp.ClockSource) *ghost {
	s.t.Helper()
	return s.ghostOf(off, clock, time.Second)
}

func (s *sim) ghostOf(off time.Duration, clock stamp.ClockSource, heartbeat time.Duration) *ghost {
	s.t.Helper()
	c := s.server.Local()
	onSMB(c, off)
	owner := stamp.Stamp{Version: 1, UUID: uuid.New(), PID: 77, Start: 77, Heartbeat: heartbeat, Stale: 30 * time.Second,
		Clock: clock, HostHash: stamp.HostHash("ghost"), Label: "ghost"}
	copy(owner.Boot[:], "ghost")
	g := &ghost{c, simPath + "/" + owner.Name()}
	g.must(c.Mkdir(simPath, 0o755), s)
	g.must(c.Create(g.path, nil, 0o644), s)
	g.must(c.Touch(g.path), s)
	return g
}

func (g *ghost) must(err error, s *sim) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (g *ghost) mtime() time.Time {
	i, _ := g.Stat(g.path)
	return i.Mtime
}
