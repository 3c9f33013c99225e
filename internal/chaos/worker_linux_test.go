package chaos

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// A worker takes locks, one after the other, and tells of it.
type worker struct {
	role
	voice *voice
	rand  *rand.Rand

	mu   sync.Mutex // what is told while it is held is in the order in which it happened
	lock *dirlock.Lock
	name string // of the lock
	lost bool   // and said so

	works atomic.Int64 // how often it did something on the server
}

func newWorker(r role, v *voice) *worker {
	return &worker{role: r, voice: v, rand: rand.New(rand.NewPCG(r.Seed, 1))}
}

// sampling is how often a worker says that it runs and what it has.
const sampling = 50 * time.Millisecond

func (w *worker) mutex(wait time.Duration) *dirlock.Mutex {
	w.name = fmt.Sprintf("lock-%d", w.rand.IntN(w.Locks))
	return w.named(wait)
}

func (w *worker) named(wait time.Duration) *dirlock.Mutex {
	s, name := w.Settings, w.name
	logger := slog.New(slog.NewTextHandler(teller(func(text string) {
		w.voice.tell(Record{At: now(), Kind: Log, Lock: name, Text: text})
		if m := takeover.FindStringSubmatch(text); m != nil {
			w.voice.tell(Record{At: now(), Kind: Took, Lock: name, Token: m[1]})
		}
	}), nil))
	return &dirlock.Mutex{
		Path: filepath.Join(w.Dir, name), Wait: wait, Heartbeat: s.Heartbeat, Stale: s.Stale, Poll: s.Poll, Logger: logger,
	}
}

// takeover finds the uuid of the stamp that was removed in what the logger hears.
var takeover = regexp.MustCompile(`msg="dirlock: takeover".* token=dirlock-[0-9]+\.([0-9a-f]{32})`)

// A teller is called for each write.
type teller func(string)

func (t teller) Write(p []byte) (int, error) {
	t(strings.TrimSpace(string(p)))
	return len(p), nil
}

// upTo draws a time.
func (w *worker) upTo(most time.Duration) time.Duration {
	return time.Duration(w.rand.Int64N(int64(most)))
}

func (w *worker) work(end <-chan struct{}) error {
	go func() {
		for ; ; time.Sleep(sampling) {
			w.sample()
			if w.Broken == "thief" {
				w.rob()
			}
		}
	}()
	for {
		select {
		case <-end:
			return w.rest()
		case <-time.After(w.upTo(200 * time.Millisecond)):
		}
		w.turn(end)
	}
}

// turn is one try to take a lock, and what is done under it.
func (w *worker) turn(end <-chan struct{}) {
	m := w.mutex(w.Settings.Stale + w.upTo(4*w.Settings.Stale))
	asked := bootTime()
	var lock *dirlock.Lock
	var err error
	switch w.rand.IntN(8) {
	case 0:
		w.told(Try, "")
		lock, err = m.TryAcquire()
	case 1:
		if _, err := m.Inspect(); err != nil {
			w.told(Gave, "inspect: "+err.Error())
		}
		fallthrough
	default:
		ctx, cancel := context.WithCancel(context.Background())
		stop := make(chan struct{})
		go func() { // who is told to end does not wait any longer
			select {
			case <-end:
				cancel()
			case <-stop:
			}
		}()
		w.told(Wait, "")
		lock, err = m.Acquire(ctx)
		close(stop)
		cancel()
	}
	if err != nil {
		w.gave(err)
		return
	}
	w.enter(lock, asked)
	w.inside(lock)
	w.leave(lock)
}

// rest waits until what the lock's package does behind the back of its callers is done. Nothing must be left then.
func (w *worker) rest() error {
	const few = 8 // this one, the sampler, who reads the words, and the runtime's
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if runtime.NumGoroutine() <= few {
			return nil
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			w.told(Wrong, "goroutines are left:\n"+string(stacks[:runtime.Stack(stacks, true)]))
			return nil
		}
	}
}

// visit takes each lock once, and says how long that took.
func (w *worker) visit() error {
	for i := range w.Locks {
		w.name = fmt.Sprintf("lock-%d", i)
		m := w.named(time.Minute)
		asked := bootTime()
		lock, err := m.Acquire(context.Background())
		if err != nil {
			return err
		}
		w.enter(lock, asked)
		w.leave(lock)
	}
	return nil
}
