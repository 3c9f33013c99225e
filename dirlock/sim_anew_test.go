package dirlock

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
)

// pause is SIGSTOP: none of its calls goes on, and both clocks are where they were when it looks at them.
func (c *simClock) pause() {
	mono, boot := c.Mono(), c.Boot()
	c.cmu.Lock()
	defer c.cmu.Unlock()
	c.mono, c.boot, c.wake = mono, boot, make(chan struct{})
}

// resume is SIGCONT.
func (c *simClock) resume() {
	c.cmu.Lock()
	defer c.cmu.Unlock()
	close(c.wake)
	c.wake, c.resumed = nil, time.Now()
}

// Where the thief is when the holder wakes up: it has judged the lapsed stamp, and is about to do this, or has just done it.
var thiefAt = []struct {
	call  string
	after bool
}{
	{"unlink dirlock-1", false},
	{"unlink dirlock-1", true},
	{"create dirlock-1", false},
	{"create dirlock-1", true},
	{"touch dirlock-1", false},
}

// How the holder falls asleep: between two beats, or as it sends one, or before it hears of it. The answer to a slow beat comes when
// the watchdog has long rung.
var asleepAt = map[string]func(a *simProc){
	"between beats":      func(a *simProc) { a.pause() },
	"before a beat":      func(a *simProc) { a.on(first(1, "touch", then(a.pause))) },
	"before a slow beat": func(a *simProc) { a.on(first(1, "touch", all(then(a.pause), slow(0, 400*time.Millisecond)))) },
	"after its beat":     func(a *simProc) { a.on(first(1, "touch", afterwards(a.pause))) },
}

// A holder wakes up and takes its lapsed lock anew, while a thief who has judged it goes on, wherever it stands, before or after
// each call of the holder: one of them has the lock, at no time both, and nothing is left behind.
func TestSimTakenAnewAgainstAThief(t *testing.T) {
	for how, sleep := range asleepAt {
		for _, at := range thiefAt {
			t.Run(fmt.Sprintf("%s/%s %v", how, at.call, at.after), func(t *testing.T) {
				least := 7
				switch {
				case at == thiefAt[0]:
				case how == "before a beat": // the name is gone, and it is luck whether that beat tells first or the watchdog rings
					least = 0
				default: // the holder sees that for itself
					least = 2
				}
				for _, pace := range []time.Duration{0, 20 * time.Millisecond, 45 * time.Millisecond} {
					n := 1
					for hit := true; hit; n++ {
						for _, after := range []bool{false, true} {
							bubble(t, func(t *testing.T, s *sim) {
								sc := &anew{sim: s, holder: s.proc("one"), thief: s.proc("two"), pace: pace, goOn: make(chan struct{})}
								sc.scene(sleep, at.call, at.after)
								hit = sc.wakeUp(n, after)
							})
						}
						if t.Failed() {
							t.Fatalf("the thief went on at call %d, at a pace of %v", n, pace)
						}
					}
					if n-2 < least {
						t.Fatalf("only %d calls of the holder, at a pace of %v", n-2, pace)
					}
				}
			})
		}
	}
}

// An anew is one scene.
type anew struct {
	*sim
	holder, thief *simProc
	pace          time.Duration // what a call of the thief takes; of the holder 30 ms, unless it is zero
	mine          *Lock         // the holder's
	old           string
	theirs        atomic.Pointer[Lock]
	goOn          chan struct{} // closed when the thief may
	done          chan struct{} // closed when it has the lock
}

// scene brings it to where both are about to act: the holder is paused, and the thief has judged it.
func (sc *anew) scene(sleep func(*simProc), call string, after bool) {
	sc.mine = sc.holder.acquire(0)
	sc.old = sc.mine.Stamp().Name()
	time.Sleep(1500 * time.Millisecond)
	sleep(sc.holder)
	there := make(chan struct{})
	wait := func() { close(there); <-sc.goOn }
	stop := then(wait)
	if after {
		stop = afterwards(wait)
	}
	sc.thief.on(all(then(sc.one), first(1, call, stop), every("", slow(0, sc.pace))))
	sc.done = make(chan struct{})
	go func() {
		defer close(sc.done)
		m := sc.thief.mutex()
		m.Wait = 2 * time.Minute
		l, err := m.Acquire(context.Background())
		if err != nil {
			sc.t.Error("the thief:", err)
			return
		}
		sc.theirs.Store(l)
		sc.one()
	}()
	<-there
}

// one fails the test if both hold the lock, as far as the holder can know: it has taken it anew.
func (sc *anew) one() {
	theirs := sc.theirs.Load()
	if theirs == nil || theirs.Context().Err() != nil || sc.mine.Context().Err() != nil {
		return
	}
	if now, _, settling, err := sc.mine.current(); err == nil && settling == nil && now.Name() != sc.old {
		sc.t.Error("two holders")
	}
}

// wakeUp lets the holder go on, and the thief at the holder's n-th call since then; it reports whether there was one.
func (sc *anew) wakeUp(n int, after bool) bool {
	var calls atomic.Int32
	takes := min(sc.pace, 1) * 30 * time.Millisecond
	act := func() { close(sc.goOn); time.Sleep(300*time.Millisecond - 9*takes) } // less than what the holder gives the file system
	sc.holder.on(all(then(sc.one), func(op faultfs.Op) (func(error) error, error) {
		switch {
		case calls.Add(1) != int32(n):
			return slow(0, takes)(op)
		case after:
			return afterwards(act)(op)
		}
		return then(act)(op)
	}))
	sc.holder.resume()
	err := sc.mine.Check()
	sc.one()
	hit := calls.Load() >= int32(n)
	if !hit {
		calls.Store(int32(n)) // the beats that follow are not meant
		close(sc.goOn)
	}
	switch {
	case err == nil:
		if sc.theirs.Load() != nil {
			sc.t.Error("Check says that it is held, and the thief has it")
		}
		time.Sleep(5 * time.Second)
		if err := errors.Join(context.Cause(sc.mine.Context()), sc.mine.Check()); err != nil || sc.theirs.Load() != nil {
			sc.t.Errorf("it was taken anew, and then: %v, thief: %v", err, sc.theirs.Load() != nil)
		}
		sc.holder.leave()
		sc.holder.release(sc.mine)
	case errors.Is(err, ErrLost):
		if sc.mine.Context().Err() == nil {
			sc.t.Error("lost, and the context lives")
		}
		if err := sc.mine.Release(); !errors.Is(err, ErrLost) {
			sc.t.Error("Release:", err)
		}
	default:
		sc.t.Error("Check:", err)
	}
	<-sc.done
	if theirs := sc.theirs.Load(); theirs != nil {
		sc.thief.enter(theirs)
		time.Sleep(3 * time.Second)
		sc.thief.sound(theirs)
	}
	return hit
}
