package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

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

// inside is what it does under the lock: for a while it asks now and then whether it still has it, or waits to be told. Then it
// does something on the server, so that whoever is cut off in there stays until the lock's context ends.
func (w *worker) inside(lock *dirlock.Lock) {
	long := 600 * time.Millisecond
	if w.rand.IntN(4) == 0 {
		long = 3 * w.Settings.Stale / 2
	}
	until := time.Now().Add(w.upTo(long))
	if w.Broken == "deaf" { // for long enough to be cut off meanwhile
		until = time.Now().Add(5 * w.Settings.Stale / 2)
	}
	lost := lock.Context().Done()
	if w.Broken == "deaf" {
		lost = nil
	}
	asks := w.rand.IntN(2) == 0
	for time.Now().Before(until) {
		pause := time.Until(until)
		if asks {
			pause = w.upTo(200 * time.Millisecond)
		}
		select {
		case <-time.After(pause):
		case <-lost:
			return
		}
		if asks && w.check(lock) && w.Broken != "deaf" {
			return
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		host, _ := os.Hostname()
		_ = reach(filepath.Join(w.Dir, fmt.Sprintf("probe-%s-%d-work-%d", host, os.Getpid(), w.works.Add(1))))
	}()
	select {
	case <-done:
	case <-lost:
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
		if lock.Context().Err() == nil {
			w.told(Wrong, "Check says that the lock is lost, and its context has not ended")
		}
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
