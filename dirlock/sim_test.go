package dirlock

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
	"github.com/aac6cccc/mkdirlock/internal/world"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A sim is a few processes on a few hosts that share a directory, in a bubble of fake time. The protocol is the one that
// ships; the file system, the clocks and the kernels' answers are made up.
type sim struct {
	t      *testing.T
	ctx    context.Context // ends with the bubble
	server *memfs.Server

	mu     sync.Mutex
	inside []string // who is in the critical section: the judge of "two holders"
	pids   int
}

const simPath = "/lock"

// bubble runs f in a bubble of fake time.
func bubble(t *testing.T, f func(*testing.T, *sim)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer func() { // those who wait for a process that is dead, and what is still being chased, come to their end
			cancel()
			time.Sleep(2 * strayFor)
		}()
		f(t, &sim{t: t, ctx: ctx, server: memfs.NewServer()})
	})
}

// A simProc is one process.
type simProc struct {
	*sim
	*process
	name   string
	id     stamp.Identity
	client *memfs.Client

	mu      sync.Mutex
	dead    bool
	asleep  time.Duration // how much suspend its Boot clock has counted
	started time.Time
	hook    faultfs.Hook
	trace   []string
}

var simProcs sync.Map // "host/pid" within one sim -> *simProc

// proc starts a process on a host. Processes of one host ask one kernel.
func (s *sim) proc(host string) *simProc {
	s.mu.Lock()
	s.pids++
	pid := 1000 + s.pids
	s.mu.Unlock()
	p := &simProc{sim: s, name: fmt.Sprintf("%s/%d", host, pid), client: s.server.Local(), started: time.Now()}
	p.id = stamp.Identity{PID: pid, Start: uint64(pid), PIDNS: 4026531836, Host: host}
	copy(p.id.Boot[:], host)
	simProcs.Store(simKey{s, host, pid}, p)
	p.process = newProcess(&world.World{
		FS:    faultfs.New(p.client, p.before),
		Clock: p,
		Self:  func() stamp.Identity { return p.id },
		Ask:   p.ask,
		Lead:  func(int) (uint64, error) { return 0, errors.ErrUnsupported },
		UUID:  uuid.New,
		Draw: func(limit time.Duration) time.Duration {
			return time.Duration(pid) * 1009 * time.Microsecond % max(limit, 1)
		},
		Wall: time.Now,
		Tell: func() (string, string) { return p.name, "" },
	})
	return p
}

type simKey struct {
	s    *sim
	host string
	pid  int
}

func (p *simProc) Mono() time.Duration { return time.Since(p.started) }

func (p *simProc) Boot() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.started) + p.asleep
}

func (p *simProc) ask(id stamp.Identity, s stamp.Stamp) stamp.Evidence {
	other, ok := simProcs.Load(simKey{p.sim, id.Host, s.PID})
	if !ok || other.(*simProc).isDead() {
		return stamp.Evidence{Answer: stamp.Dead, How: "simulated: ESRCH"}
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
}

// suspend puts the host to sleep: only the Boot clock notices.
func (p *simProc) suspend(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asleep += d
}

// on sets what happens at the process's calls from now on.
func (p *simProc) on(hook faultfs.Hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook = hook
}

func (p *simProc) before(op faultfs.Op) (func(error) error, error) {
	p.mu.Lock()
	dead, hook := p.dead, p.hook
	p.trace = append(p.trace, op.String())
	p.mu.Unlock()
	if dead {
		runtime.Goexit()
	}
	if hook == nil {
		return nil, nil
	}
	after, err := hook(op)
	if p.isDead() {
		runtime.Goexit()
	}
	return after, err
}

// at returns a hook that does f at the n-th call, counted from 1, and nothing at others. A waiter's polls are all alike and
// are counted for two rounds only, save those around the moment when the mtime rule comes to its decision.
func at(n int, f func(faultfs.Op) (func(error) error, error)) faultfs.Hook {
	var mu sync.Mutex
	seen := map[string]int{}
	start := time.Now()
	return func(op faultfs.Op) (func(error) error, error) {
		mu.Lock()
		seen[op.String()]++
		deciding := time.Since(start) > defaultStale-lastPoll
		if seen[op.String()] <= 2 || deciding {
			n--
		}
		now := n == 0
		if now {
			n = -1
		}
		mu.Unlock()
		if now {
			return f(op)
		}
		return nil, nil
	}
}

func (p *simProc) mutex() *Mutex { return &Mutex{Path: simPath, process: p.process} }

// enter notes that a holder is inside while its context lives, and fails the test if another one is.
func (p *simProc) enter(l *Lock) {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	if len(p.sim.inside) > 0 && l.Context().Err() == nil {
		p.t.Errorf("two holders at %v: %v and %s", time.Since(p.started), p.sim.inside, p.name)
	}
	if l.Context().Err() != nil {
		return
	}
	p.sim.inside = append(p.sim.inside, p.name)
	context.AfterFunc(l.Context(), func() { p.leave() })
}

func (p *simProc) leave() {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	for i, name := range p.sim.inside {
		if name == p.name {
			p.sim.inside = append(p.sim.inside[:i:i], p.sim.inside[i+1:]...)
			return
		}
	}
}

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

// die ends the process while it holds the lock.
func (p *simProc) die() {
	p.kill()
	p.leave()
}

// names lists what is in the lock directory.
func (s *sim) names() []string {
	d, err := s.server.Local().OpenDir(simPath)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.List()
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

// nothingLeft fails the test if anything is left of the lock.
func (s *sim) nothingLeft() {
	s.t.Helper()
	c := s.server.Local()
	for _, p := range []string{simPath, simPath + auxSuffix} {
		if _, err := c.Stat(p); !fsys.Is(err, fsys.NotExist) {
			s.t.Errorf("left behind: %s %q", p, s.names())
		}
	}
}

func simStamp(l *Lock) string { return path.Join(simPath, l.Stamp().Name()) }
