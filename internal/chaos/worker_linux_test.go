package chaos

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// A worker takes locks, one after the other, and tells of it.
type worker struct {
	role
	voice *voice
	rand  *rand.Rand

	mu     sync.Mutex // what is told while it is held is in the order in which it happened
	lock   *dirlock.Lock
	name   string // of the lock
	lost   bool   // and said so
	ending bool
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
	}), nil))
	return &dirlock.Mutex{
		Path: filepath.Join(w.Dir, name), Wait: wait, Heartbeat: s.Heartbeat, Stale: s.Stale, Poll: s.Poll, Logger: logger,
	}
}

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

// told says something of the lock that it wants.
func (w *worker) told(kind Kind, text string) {
	w.voice.tell(Record{At: now(), Kind: kind, Lock: w.name, Text: text})
}

// gave tells why it has no lock. That others have it, and that the file system does not answer, is to be expected.
func (w *worker) gave(err error) {
	text := "other: " + err.Error()
	switch {
	case errors.Is(err, dirlock.ErrHeld):
		text = "held"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		text = "no answer"
	case errors.Is(err, dirlock.ErrNotLock):
		w.told(Wrong, err.Error())
	}
	w.told(Gave, text)
}

func (w *worker) enter(lock *dirlock.Lock, asked time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lock, w.lost = lock, false
	w.voice.tell(Record{At: since(asked), Kind: Enter, Lock: w.name, Token: token(lock)})
}

// token is the uuid of its stamp, as it stands in the file's name.
func token(lock *dirlock.Lock) string {
	return strings.ReplaceAll(lock.Stamp().UUID.String(), "-", "")
}

// sample says what it has at this instant.
func (w *worker) sample() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lock == nil || w.lost {
		w.voice.tell(Record{At: now(), Kind: Tick})
		return
	}
	stamp, from := token(w.lock), bootTime()
	if err := context.Cause(w.lock.Context()); err != nil && w.Broken != "deaf" {
		w.loses(from, stamp, err)
		return
	}
	w.voice.tell(Record{At: since(from), Kind: Alive, Lock: w.name, Token: stamp})
}

// loses tells of a loss, once. The caller has w.mu.
func (w *worker) loses(from time.Duration, stamp string, err error) {
	if w.lost {
		return
	}
	w.lost = true
	w.voice.tell(Record{At: since(from), Kind: Lost, Lock: w.name, Token: stamp, Text: err.Error()})
	if !errors.Is(err, dirlock.ErrLost) {
		w.told(Wrong, "the lock's context ended with "+err.Error())
	}
}

// inside is what it does under the lock: it asks now and then, for a while, whether it still has it.
func (w *worker) inside(lock *dirlock.Lock) {
	long := 600 * time.Millisecond
	if w.rand.IntN(6) == 0 {
		long = 3 * w.Settings.Stale / 2
	}
	for until := time.Now().Add(w.upTo(long)); time.Now().Before(until); {
		select {
		case <-time.After(w.upTo(200 * time.Millisecond)):
		case <-lock.Context().Done():
			if w.Broken != "deaf" {
				return
			}
			time.Sleep(time.Until(until))
			return
		}
		if w.check(lock) {
			return
		}
	}
}

// check asks the file system whether it has the lock, and reports whether it has lost it.
func (w *worker) check(lock *dirlock.Lock) (lost bool) {
	stamp, from := token(lock), bootTime()
	err := lock.Check()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil && !w.lost:
		if token(lock) == stamp { // else it is not known which was asked for
			w.voice.tell(Record{At: since(from), Kind: Checked, Lock: w.name, Token: stamp})
		}
	case err == nil:
		w.told(Wrong, "Check says that the lock is held after its context has ended")
	case errors.Is(err, dirlock.ErrLost) && w.Broken != "deaf":
		w.loses(from, stamp, err)
		return true
	}
	return w.lost
}

func (w *worker) leave(lock *dirlock.Lock) {
	w.mu.Lock()
	w.lock = nil
	lost := w.lost
	w.told(Leave, "")
	w.mu.Unlock()
	err := lock.Release()
	text := ""
	if err != nil {
		text = err.Error()
	}
	if lost && !errors.Is(err, dirlock.ErrLost) {
		w.told(Wrong, fmt.Sprintf("after a loss Release said %v", err))
	}
	w.told(Left, text)
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
