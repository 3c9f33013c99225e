package dirlock

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
	"github.com/aac6cccc/mkdirlock/internal/world"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A simProc is one process.
type simProc struct {
	*sim
	*process
	simClock
	name   string
	id     stamp.Identity
	client *memfs.Client
	lies   lies

	mu    sync.Mutex
	dead  bool
	hook  faultfs.Hook
	trace []string
}

// simKey is what a kernel knows a process by.
type simKey struct {
	boot stamp.Boot
	pid  int
}

// proc starts a process on a host. Processes of one host ask one kernel.
func (s *sim) proc(host string) *simProc {
	s.mu.Lock()
	s.pids++
	pid := 1000 + s.pids
	s.mu.Unlock()
	id := stamp.Identity{PID: pid, Start: uint64(pid), PIDNS: 4026531836, Host: host}
	copy(id.Boot[:], host)
	return s.procAs(id)
}

// procAs starts a process that is who id says.
func (s *sim) procAs(id stamp.Identity) *simProc {
	p := &simProc{sim: s, name: fmt.Sprintf("%s/%d", id.Host, id.PID), client: s.server.Local(), id: id}
	p.client.Kernel = id.Boot.String()
	p.simClock.started = time.Now()
	s.mu.Lock()
	s.kernels[simKey{id.Boot, id.PID}] = p
	s.mu.Unlock()
	p.process = newProcess(&world.World{
		FS:     faultfs.New(lying{p.client, &p.lies}, p.before),
		Clock:  &p.simClock,
		Slot:   uint8(id.PID),
		Guards: 16,
		AskAcross: func(stamp.Identity, stamp.Stamp) stamp.Evidence {
			return stamp.Evidence{How: "simulated: not seen from here"}
		},
		Self: func() stamp.Identity { return p.id },
		Ask:  s.ask,
		Lead: func(int) (uint64, error) { return 0, errors.ErrUnsupported },
		UUID: uuid.New,
		Draw: func(limit time.Duration) time.Duration {
			return time.Duration(id.PID) * 1009 * time.Microsecond % max(limit, 1)
		},
		Wall: time.Now,
		Tell: func() (string, string) { return p.name, "" },
	})
	return p
}

// ask is the kernel of the one who asks.
func (s *sim) ask(id stamp.Identity, about stamp.Stamp) stamp.Evidence {
	s.mu.Lock()
	p := s.kernels[simKey{id.Boot, about.PID}]
	s.mu.Unlock()
	switch {
	case p == nil || p.isDead():
		return stamp.Evidence{Answer: stamp.Dead, How: "simulated: ESRCH"}
	case p.id.Start != about.Start:
		return stamp.Evidence{Answer: stamp.Dead, How: "simulated: started again"}
	}
	return stamp.Evidence{Answer: stamp.Alive, How: "simulated: alive"}
}

func (p *simProc) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// kill ends the process: none of its calls has an effect from now on.
func (p *simProc) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	p.lies.closeAll()
}

// die ends the process while it holds the lock.
func (p *simProc) die() {
	p.kill()
	p.leave()
}

// on sets what happens at the process's calls from now on.
func (p *simProc) on(hook faultfs.Hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook = hook
}

// proceed goes on with a call unless the process is dead, and not while it is paused.
func (p *simProc) proceed() {
	p.awake()
	if p.isDead() {
		runtime.Goexit()
	}
}

func (p *simProc) before(op faultfs.Op) (func(error) error, error) {
	p.proceed()
	p.mu.Lock()
	hook := p.hook
	p.trace = append(p.trace, op.String())
	p.mu.Unlock()
	var after func(error) error
	if hook != nil {
		var err error
		after, err = hook(op)
		p.proceed()
		if err != nil {
			return nil, err
		}
	}
	p.judge(p, op)
	return func(err error) error {
		if after != nil {
			err = after(err)
		}
		p.proceed()
		return err
	}, nil
}

func (p *simProc) mutex() *Mutex { return &Mutex{Path: simPath, process: p.process} }

// acquire takes the lock or fails the test.
func (p *simProc) acquire(wait time.Duration) *Lock {
	p.t.Helper()
	m := p.mutex()
	m.Wait = wait
	l, err := m.Acquire(context.Background())
	if err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
	p.enter(l)
	return l
}

// release gives the lock up or fails the test.
func (p *simProc) release(l *Lock) {
	p.t.Helper()
	if err := l.Release(); err != nil {
		p.t.Errorf("%s: release: %v", p.name, err)
	}
}
