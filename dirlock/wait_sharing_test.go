package dirlock

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
)

// lookTimes notes when the process looks: at the times of the calls that begin so.
func (p *simProc) lookTimes(call string) *[]time.Time {
	var times []time.Time
	p.on(every(call, func(faultfs.Op) (func(error) error, error) {
		times = append(times, time.Now())
		return nil, nil
	}))
	return &times
}

// Fifty waiters of one process ask as much as one does.
func TestWaitersShareTheirLooks(t *testing.T) {
	for kind, prepare := range kinds {
		t.Run(kind, func(t *testing.T) {
			asked := map[int]int{}
			for _, n := range []int{1, 50} {
				bubble(t, func(t *testing.T, s *sim) {
					a, b := s.proc("one"), s.proc("two")
					prepare(s, a, b)
					l := a.acquire(0)
					all := b.queue(n, time.Millisecond, nil)
					time.Sleep(time.Second)
					before := b.calls()
					time.Sleep(100 * time.Second)
					synctest.Wait()
					asked[n] = b.calls() - before
					a.leave()
					a.release(l)
					all()
				})
			}
			if one, many := asked[1], asked[50]; many > one+one/20+1 || many < one-one/20-1 || one == 0 {
				t.Errorf("one makes %d calls in 100 s, and 50 make %d", one, many)
			}
		})
	}
}

// Where nobody tells, a waiter backs off from 10 ms to lastPoll, with jitter, and makes one call a look while the stamp stays: on a
// network mount, too, where it could ask for the time.
func TestPollingIsCheap(t *testing.T) {
	for _, network := range []bool{false, true} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("two")
			a.client.Kind.Local, b.client.Kind.Local = !network, !network
			l := a.acquire(0)
			times := b.lookTimes("stat dirlock-1")
			begin := time.Now()
			had := b.goes(t.Context(), b.patient())
			time.Sleep(10 * time.Second)
			synctest.Wait()
			b.on(nil)
			looks, calls, clocks := len(*times), b.calls(), b.did("clock")
			const first = 10 // to get there, the first look, and to read the content: resolve, stat, mkdir, opendir, traits, list, and opendir, read
			if calls > looks+first {
				t.Errorf("%d calls for %d looks in 10 s", calls, looks)
			}
			if least, most := int(10*time.Second/lastPoll), int(10*time.Second/(lastPoll/2))+6; looks < least || looks > most {
				t.Errorf("%d looks in 10 s, want %d to %d", looks, least, most)
			}
			if network && clocks > 0 {
				t.Errorf("the server's time was asked for %d times in 10 s, in all of which beats came", clocks)
			}
			last, different := begin, map[time.Duration]bool{}
			for i, at := range *times {
				gap := at.Sub(last)
				last = at
				different[gap] = true
				if i == 0 {
					between(t, "the first look", gap, 0, 0)
					continue
				}
				most := min(firstPoll<<(i-1), lastPoll)
				if i > 10 {
					most = lastPoll
				}
				between(t, "the next look", gap, most/2, most)
			}
			a.leave()
			a.release(l)
			b.sound((<-had).lock)
		})
	}
}

// The jitter is drawn anew for each pause, and half of the pause is its most.
func TestPausesAreDrawn(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		var asked []time.Duration
		b.World.Draw = func(limit time.Duration) time.Duration {
			if limit > 0 {
				asked = append(asked, limit)
			}
			return limit / time.Duration(1+len(asked))
		}
		l := a.acquire(0)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want := []time.Duration{5, 10, 20, 40, 80, 160, 175, 175}
		for i, w := range want {
			if asked[i] != w*time.Millisecond {
				t.Fatalf("drawn: %v, want %v ms", asked, want)
			}
		}
		a.leave()
		a.release(l)
		b.sound((<-had).lock)
	})
}

// What a stamp says to people is read once a stamp, by one who waits for longer than a moment; never on a network mount.
func TestContentIsReadOnce(t *testing.T) {
	for kind, prepare := range kinds {
		t.Run(kind, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a, b, c := s.proc("one"), s.proc("two"), s.proc("three")
				prepare(s, a, b, c)
				l := a.acquire(0)
				had := b.goes(t.Context(), b.patient())
				want := 0
				for i := range 5 {
					time.Sleep(10 * time.Second)
					if kind != "network" {
						want++
					}
					if n := b.did("read"); n != want {
						t.Errorf("after the holder no. %d: %d contents were read, want %d", i+1, n, want)
					}
					b.on(every("mkdir", slow(time.Millisecond, 0))) // so that it is the other's
					a.leave()
					a.release(l)
					l = c.acquire(0)
					a, c = c, a
				}
				b.on(nil)
				time.Sleep(time.Second)
				a.leave()
				a.release(l)
				b.sound((<-had).lock)
			})
		})
	}
}
