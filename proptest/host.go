package proptest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/kernel"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
	"github.com/aac6cccc/mkdirlock/internal/simkernel"
	"github.com/aac6cccc/mkdirlock/internal/world"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A Host is one running kernel after another, with a clock of its own, and a mount of what is shared.
type Host struct {
	w     *World
	name  string
	kind  Mount
	mount *memfs.Client
	boots int    // how often it was started
	like  string // the host that it is a clone of, with that one's boot id; "": none

	machine *simkernel.Machine // of this boot
	booted  time.Time
	ticks   uint64                          // how far the machine's clock has come
	spaces  map[string]*simkernel.Namespace // of containers

	wall   time.Duration // how far its clock is ahead of the true time; guarded by w.mu
	drift  int64         // ppm
	cut    bool          // off the network
	asleep bool          // suspended
	open   []*memfs.OpenFile
}

// A Proc is one process.
type Proc struct {
	w      *World
	clock  clock
	host   *Host
	name   string
	serial int
	probe  string
	id     stamp.Identity
	task   *simkernel.Process
	sys    kernel.System // as it sees it
	boot   int
	mutex  dirlock.Mutex // what its locks are made from

	group    *simkernel.Process // leads the process group that works under its locks; nil: none
	onlooker bool               // it only inspects
	blind    bool               // its next listing does not show its own stamps
	sawJunk  bool               // its last listing of the lock showed what is not ours
	marred   bool               // a fault was put to one of its calls
	cleanup  bool               // or to one that it needs for clearing up

	told     []*Proc // of whose end the kernel told it
	listened int     // how often it asked to be told of one

	mounted bool        // it has asked what kind of mount it has; guarded by w.mu
	dead    bool        // guarded by w.mu: calls ask for it
	open    []io.Closer // guards; by w.mu, too
	stopped bool
	plans   []*plan
	actors  []*actor
	jitter  *rand.Rand
	uuids   uint64
	guards  int // how many it may keep open
}

// plan is what is to happen at a call of a process.
type plan struct {
	Action
	left  int // calls that pass first
	times int // calls that it happens to
}

// ahead is how far the host's clock is ahead of the true time.
func (h *Host) ahead() time.Duration {
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	return h.wall
}

// shift lets its date jump.
func (w *World) shift(h *Host, a Action) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	h.wall += a.For
	return nil
}

// sameKernel reports whether two processes can ask one kernel about each other.
func (p *Proc) sameKernel(q *Proc) bool {
	return p.host == q.host && p.boot == q.boot && p.id.PIDNS == q.id.PIDNS
}

// world is the surroundings that the shipped code gets.
func (p *Proc) world() *world.World {
	return &world.World{
		FS:        gate{p, p.host.mount},
		Clock:     &p.clock,
		Slot:      uint8(p.serial),
		Guards:    p.guards,
		Stuck:     1000,
		Self:      func() stamp.Identity { return p.id },
		Ask:       p.ask,
		AskAcross: p.askAcross,
		Lead:      func(group int) (uint64, error) { return kernel.StartOf(p.sys, p.id, group) },
		UUID:      p.uuid,
		Draw:      p.draw,
		Wall:      func() time.Time { return time.Now().Add(p.host.ahead()) },
		Tell:      func() (string, string) { return p.name, "" },

		WatchDir:  p.watchDir,
		WatchExit: p.watchExit,
	}
}

// uuid returns the next of a series of the process's own.
func (p *Proc) uuid() uuid.UUID {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.uuids++
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%d %d", p.serial, p.uuids))
}

// draw is jitter, from a series of the process's own that has nothing to do with any other's.
func (p *Proc) draw(limit time.Duration) time.Duration {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return time.Duration(p.jitter.Int64N(int64(max(limit, 1))))
}

// options reads "key=value" words.
func options(words []string) map[string]string {
	m := map[string]string{}
	for _, word := range words {
		k, v, _ := strings.Cut(word, "=")
		m[k] = v
	}
	return m
}
