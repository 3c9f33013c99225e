package proptest

import (
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// lockPath is the lock that everybody wants.
const lockPath = "/lock"

// A World is hosts, processes and a server, and the calls on their way. It belongs into a synctest bubble, and to one goroutine.
type World struct {
	Config Config

	server   *memfs.Server
	admin    *memfs.Client // the server's own view
	hosts    []*Host
	procs    []*Proc // all that ever were, in the order of their start
	hung     bool    // the server does not answer
	grace    bool    // it was rebooted, and an NFS 4 server waits for its clients
	ready    []*call // sent and not answered, in an order that does not depend on the Go scheduler
	late     []*call // those that had been answered before they have their effect
	stalls   int     // calls answered since time last moved
	junked   int
	troubled bool // somebody was cut short
	failing  bool // some call was to be answered with an error that it had not met

	judge  judge
	count  count
	script []Action
	trace  trace

	direct bool // calls go on at once, without a schedule: for tests of the calls alone

	mu        sync.Mutex // guards what calls and callbacks share with the scheduler
	arrived   []*call
	listeners []*listener
	ended     []*actor // whose Acquire or Release has just returned
	woken     chan struct{}
}

// count is what happened how often.
type count struct {
	calls, locks, takeovers int
	excused                 int // moments at which two contexts lived because a process was stopped, or had just run again
	assumed                 int // the same, because the server's clock was stepped while a holder was silent
	limits                  int // times that the documented limit was met
}

// New returns a world with no hosts yet. Close must be called in the end.
func New(c Config) *World {
	w := &World{Config: c, server: memfs.NewServer(), woken: make(chan struct{}, 1)}
	w.admin = w.server.Local()
	w.server.Tick = c.tick()
	w.trace.began = time.Now()
	w.judge.w = w
	w.judge.stamps, w.judge.foreign = map[string]*stampRecord{}, map[string]string{}
	w.judge.readers = map[string][]*memfs.Client{}
	return w
}

// Failure is the promise that was broken, nil if none was: with what happened, and the script that shows it again.
func (w *World) Failure() error {
	if w.judge.verdict == nil {
		return nil
	}
	return w.judge.verdict
}

func (w *World) process(name string) *Proc {
	for _, p := range w.procs {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (w *World) host(name string) *Host {
	for _, h := range w.hosts {
		if h.name == name {
			return h
		}
	}
	return nil
}
