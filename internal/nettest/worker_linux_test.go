package nettest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// asWorker is the variable that has this binary be a worker.
const asWorker = "MKDIRLOCK_NETTEST_WORKER"

// A worker is the process on a host that holds the locks.
type worker struct {
	mu    sync.Mutex // of what follows, and of the output
	out   *json.Encoder
	locks map[string]*dirlock.Lock
	watch map[string]chan struct{}
}

// serve does what it is told, each order apart from the others, until its input ends.
func serve(in io.Reader, out io.Writer) {
	w := &worker{out: json.NewEncoder(out), locks: map[string]*dirlock.Lock{}, watch: map[string]chan struct{}{}}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			w.tell(report{What: toldDone, Err: err.Error()})
			continue
		}
		go w.do(o)
	}
}

// now is a clock that runs while the host is suspended, and that no change of the date moves.
func now() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

func (w *worker) tell(r report) {
	if r.At == 0 {
		r.At = now()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.out.Encode(r); err != nil {
		os.Exit(1) // the test is gone
	}
}

func (o order) mutex() *dirlock.Mutex {
	return &dirlock.Mutex{Path: o.Path, Wait: o.Wait, Heartbeat: o.Heartbeat, Stale: o.Stale, Poll: o.Poll}
}

func (o order) answer(what string, err error) report {
	r := report{N: o.N, What: what, Path: o.Path, At: now()}
	if err != nil {
		r.Err, r.Held, r.Lost = err.Error(), errors.Is(err, dirlock.ErrHeld), errors.Is(err, dirlock.ErrLost)
	}
	return r
}

func (w *worker) do(o order) {
	begin := time.Now()
	switch o.Do {
	case "ping":
		w.tell(o.answer(toldDone, nil))
	case "acquire":
		w.acquire(o, func() (*dirlock.Lock, error) { return o.mutex().Acquire(context.Background()) })
	case "try":
		w.acquire(o, o.mutex().TryAcquire)
	case "release":
		w.release(o)
	case "check":
		w.mu.Lock()
		l := w.locks[o.Path]
		w.mu.Unlock()
		r := o.answer(toldDone, l.Check())
		r.Took = time.Since(begin)
		w.tell(r)
	case "inspect":
		got, err := o.mutex().Inspect()
		r := o.answer(toldDone, err)
		r.Text, r.Took = string(got.State), time.Since(begin)
		w.tell(r)
	case "turns":
		w.turns(o)
	case "read": // what nobody should do
		names, _ := filepath.Glob(filepath.Join(o.Path, stamp.Prefix+"*"))
		_, err := os.ReadFile(strings.Join(names, ""))
		w.tell(o.answer(toldDone, err))
	case "watch", "unwatch":
		w.gaps(o)
	case "call":
		w.call(o)
	case "race":
		w.race(o)
	default:
		w.tell(o.answer(toldDone, errors.New("no such word: "+o.Do)))
	}
}

// acquire takes the lock and tells when it ends.
func (w *worker) acquire(o order, take func() (*dirlock.Lock, error)) bool {
	begin := time.Now()
	l, err := take()
	r := o.answer(toldAcquired, err)
	r.Took = time.Since(begin)
	if err != nil {
		r.What = toldFailed
		w.tell(r)
		return false
	}
	r.Text = l.Stamp().Name()
	w.mu.Lock()
	w.locks[o.Path] = l
	w.mu.Unlock()
	w.tell(r)
	context.AfterFunc(l.Context(), func() {
		at := now()
		if cause := context.Cause(l.Context()); !errors.Is(cause, dirlock.ErrReleased) {
			r := o.answer(toldLost, cause)
			r.At = at
			w.tell(r)
		}
	})
	return true
}

func (w *worker) release(o order) bool {
	w.mu.Lock()
	l := w.locks[o.Path]
	w.mu.Unlock()
	w.tell(o.answer(toldReleasing, nil))
	begin := time.Now()
	err := l.Release()
	r := o.answer(toldReleased, err)
	r.Took = time.Since(begin)
	w.tell(r)
	return err == nil
}

// turns takes and releases the lock, again and again.
func (w *worker) turns(o order) {
	begin := time.Now()
	done := 0
	for ; done < o.Rounds && (o.Past == 0 || time.Since(begin) < o.Past); done++ {
		if !w.acquire(o, func() (*dirlock.Lock, error) { return o.mutex().Acquire(context.Background()) }) {
			break
		}
		time.Sleep(o.Hold)
		if !w.release(o) {
			break
		}
	}
	r := o.answer(toldDone, nil)
	r.Count, r.Took = done, time.Since(begin)
	w.tell(r)
}
