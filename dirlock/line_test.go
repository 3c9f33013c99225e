package dirlock

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Waiters of one process have the lock first come, first served, and without a pause between them.
func TestLineInOrder(t *testing.T) {
	for kind, prepare := range kinds {
		t.Run(kind, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a, b := s.proc("one"), s.proc("two")
				prepare(s, a, b)
				l := a.acquire(0)
				const n, hold = 20, 10 * time.Millisecond
				all := b.queue(n, hold, nil)
				time.Sleep(3 * time.Second)
				a.leave()
				a.release(l)
				var order []int
				took := since(func() { order, _ = all() })
				if !slices.Equal(order, upTo(n)) {
					t.Errorf("it went round in the order %v", order)
				}
				between(t, "all", took, n*hold, n*hold+lastPoll)
				s.nothingLeft()
				b.idle()
			})
		})
	}
}

// Who waits for longer before a takeover does not keep back who may take over sooner.
func TestLinesOfDifferentPatience(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		b := s.proc("two")
		s.forge("one", 7).plant("")
		long, short := b.patient(), b.patient()
		long.Stale = time.Hour
		short.Wait = 2 * repairBound
		begin := time.Now()
		slow := b.goes(t.Context(), long)
		time.Sleep(time.Second)
		got := <-b.goes(t.Context(), short)
		s.must(got.err)
		between(t, "the takeover by the later one", got.at.Sub(begin), defaultStale, repairBound)
		b.leave()
		b.release(got.lock)
		got = <-slow
		s.must(got.err)
		b.sound(got.lock)
		b.idle()
	})
}

// One that gives up in the middle, at the front or at the end of the line stops nobody, and is told who holds the lock.
func TestLineWithoutOne(t *testing.T) {
	for kind, prepare := range kinds {
		for _, who := range []int{0, 2, 4} {
			t.Run(kind, func(t *testing.T) {
				bubble(t, func(t *testing.T, s *sim) {
					a, b := s.proc("one"), s.proc("two")
					prepare(s, a, b)
					l := a.acquire(0)
					const n, limit = 5, 2 * time.Second
					all := b.queue(n, time.Millisecond, func(i int, m *Mutex) {
						if i == who {
							m.Wait = limit
						}
					})
					time.Sleep(limit + 100*time.Millisecond)
					a.leave()
					a.release(l)
					order, errs := all()
					rest := slices.DeleteFunc(upTo(n), func(i int) bool { return i == who })
					if !slices.Equal(order, rest) {
						t.Errorf("without %d it went round in the order %v", who, order)
					}
					held, ok := errors.AsType[*HeldError](errs[who])
					if !ok || held.Holder == nil || held.Holder.PID != a.id.PID || !errors.Is(held, context.DeadlineExceeded) || held.Waited < limit || held.Waited > limit+grace {
						t.Errorf("%d was told: %v", who, errs[who])
					}
					s.nothingLeft()
					b.idle()
				})
			})
		}
	}
}

// One behind whose time is short is told of the holder too, if the front has seen it by then.
func TestOneBehindIsToldAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		l := a.acquire(0)
		ctx, cancel := context.WithCancel(t.Context())
		front := b.goes(ctx, b.patient())
		synctest.Wait()
		m := b.mutex()
		m.Wait = 2 * time.Millisecond
		got := <-b.goes(t.Context(), m)
		if held, ok := errors.AsType[*HeldError](got.err); !ok || held.Holder == nil || held.Holder.PID != a.id.PID {
			t.Error(got.err)
		}
		cancel()
		<-front
		b.idle()
		a.sound(l)
	})
}

// The front is cancelled while it sleeps and while its look is under way: the next one stands first, and has the lock in its turn.
func TestLineWhoseFrontIsCancelled(t *testing.T) {
	for _, looking := range []bool{false, true} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("two")
			l := a.acquire(0)
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("why")
			front := b.goes(ctx, b.patient())
			time.Sleep(time.Millisecond)
			next := b.goes(t.Context(), b.patient())
			time.Sleep(time.Second)
			if looking {
				b.on(first(1, "stat", slow(100*time.Millisecond, 0)))
				time.Sleep(lastPoll)
			}
			began := time.Now()
			cancel(why)
			got := <-front
			if held, ok := errors.AsType[*HeldError](got.err); !ok || !errors.Is(held, why) || held.Holder == nil {
				t.Error(got.err)
			}
			between(t, "the end", got.at.Sub(began), 0, grace)
			time.Sleep(time.Second)
			a.leave()
			a.release(l)
			released := time.Now()
			got = <-next
			s.must(got.err)
			between(t, "the lock", got.at.Sub(released), 0, lastPoll)
			b.sound(got.lock)
			b.idle()
		})
	}
}

// Wait is prolonged for one behind as for the one in front, if that has met an owner that only has to be watched: neither could win
// otherwise. Once.
func TestWaitOfOneBehindIsProlonged(t *testing.T) {
	const watching = 6 * time.Second // a fifth of Stale
	for _, free := range []bool{true, false} {
		bubble(t, func(t *testing.T, s *sim) {
			b := s.proc("two")
			s.forge("one", 7).plant("")
			time.Sleep(time.Hour)
			begin := time.Now()
			front := b.goes(t.Context(), b.patient())
			time.Sleep(time.Millisecond)
			m := b.mutex()
			m.Wait = 100 * time.Millisecond
			behind := b.goes(t.Context(), m)
			got := <-front
			s.must(got.err)
			between(t, "the takeover", got.at.Sub(begin), watching, watching+lastPoll)
			b.leave()
			if free {
				b.release(got.lock)
				got = <-behind
				s.must(got.err)
				b.sound(got.lock)
				return
			}
			b.enter(got.lock)
			got2 := <-behind
			if !errors.Is(got2.err, ErrHeld) {
				t.Error(got2.err)
			}
			between(t, "the end of the other's wait", got2.at.Sub(begin), watching+lastPoll, m.Wait+watching+lastPoll+grace+time.Millisecond)
			b.sound(got.lock)
			b.idle()
		})
	}
}

// TryAcquire stands in no line: it says at once who holds the lock, and takes one that is free although others wait for their turn.
func TestTryAcquireStandsInNoLine(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		l := a.acquire(0)
		all := b.queue(5, 10*time.Millisecond, nil)
		time.Sleep(time.Second)
		between(t, "the answer", since(func() {
			_, err := b.mutex().TryAcquire()
			if held, ok := errors.AsType[*HeldError](err); !ok || held.Holder == nil || held.Holder.PID != a.id.PID {
				t.Error(err)
			}
		}), 0, 0)
		synctest.Wait()
		a.leave()
		a.release(l)
		l, err := b.mutex().TryAcquire()
		s.must(err)
		b.enter(l)
		time.Sleep(time.Second)
		b.leave()
		b.release(l)
		if order, _ := all(); !slices.Equal(order, upTo(5)) {
			t.Errorf("it went round in the order %v", order)
		}
		b.idle()
	})
}
