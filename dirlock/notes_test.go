package dirlock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/stamp"
)

var offsets = []time.Duration{0, -time.Hour, 100 * time.Second, 24 * time.Hour, -3 * time.Second}

// Processes that each wait for 10 s, one after another, take over from a dead owner together.
func TestNotesBackToBack(t *testing.T) {
	for _, off := range offsets {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.newcomer("one", off)
			a.acquire(0)
			a.die()
			calls := 0
			total := since(func() {
				for calls < 6 {
					calls++
					if s.newcomer(fmt.Sprint("two", calls), -off).try() {
						return
					}
				}
			})
			if calls != 4 {
				t.Errorf("offset %v: taken by call %d", off, calls)
			}
			between(t, "takeover", total, 30*time.Second, repairBound)
			s.nothingLeft()
		})
	}
}

// One that comes long after the first needs the confirm window only.
func TestNotesWithPauses(t *testing.T) {
	for _, off := range offsets {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.newcomer("one", off)
			a.acquire(0)
			a.die()
			if s.newcomer("two", -off).try() {
				t.Fatal("taken at first sight")
			}
			if left := s.beside(); len(left) != 1 {
				t.Fatalf("beside the lock: %q", left)
			}
			time.Sleep(5 * time.Minute)
			last := s.newcomer("three", 2*off)
			between(t, "takeover", since(func() {
				if !last.try() {
					t.Error("not taken")
				}
			}), 6*time.Second, 6500*time.Millisecond)
			s.nothingLeft()
		})
	}
}

// A call that waits for less than the confirm window is extended when a note says that only watching is missing.
func TestNotesExtendTheWait(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.newcomer("one", time.Hour)
		a.acquire(0)
		a.die()
		s.newcomer("two", 0).try()
		time.Sleep(time.Minute)
		b := s.newcomer("three", 0)
		between(t, "takeover", since(func() { b.acquire(2 * time.Second) }), 6*time.Second, 8300*time.Millisecond)
	})
}

// A holder that beats is never taken over, wherever its clock stands and steps, and needs no notes.
func TestNotesNeverHarmTheLiving(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		r := rand.New(rand.NewPCG(1, 2))
		a := s.newcomer("one", 0)
		a.client.Offset = func() time.Duration { return time.Duration(r.IntN(7200)-3600) * time.Second }
		l := a.acquire(0)
		for i := range 20 {
			b := s.newcomer(fmt.Sprint("two", i), time.Duration(i)*time.Minute)
			if b.try() {
				t.Fatal("robbed")
			}
			if n := b.noted(); n != 0 {
				t.Errorf("%d notes about a holder that beats", n)
			}
			s.server.Step(time.Hour)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		s.nothingLeft()
	})
}

// A holder that was slow for a while, so that it has a note, goes on beating: the note has no meaning any more, even if the
// server's clock is stepped. When the lock is released nothing is left.
func TestNotesOfOneThatWasSlow(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.newcomer("one", -time.Minute)
		l := a.acquire(0)
		failing := time.Now().Add(time.Second)
		a.on(func(op faultfs.Op) (func(error) error, error) {
			if now := time.Now(); op.Call == "touch" && now.After(failing) && now.Before(failing.Add(12*time.Second)) {
				return nil, errors.New("simulated: the server does not answer")
			}
			return nil, nil
		})
		time.Sleep(time.Second)
		b := s.newcomer("two", 0)
		if b.try() || b.noted() != 1 || len(s.beside()) != 1 {
			t.Fatalf("%d notes, beside: %q", b.noted(), s.beside())
		}
		time.Sleep(3 * time.Second)
		for i := range 5 {
			s.server.Step(time.Hour)
			if s.newcomer(fmt.Sprint("three", i), 0).try() {
				t.Fatal("robbed by a note from before a heartbeat")
			}
		}
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		s.nothingLeft()
	})
}

// Whatever the pattern of beats, and whenever the clocks step back, nobody is taken over within Stale of a beat.
func TestNotesNeverBeforeStale(t *testing.T) {
	for seed := range uint64(40) {
		bubble(t, func(t *testing.T, s *sim) {
			var mu sync.Mutex
			r := rand.New(rand.NewPCG(seed, 1))
			draw := func(n int) int {
				mu.Lock()
				defer mu.Unlock()
				return r.IntN(n)
			}
			ms := func(n int) time.Duration { return time.Duration(draw(n)) * time.Millisecond }
			g := s.ghost(0, stamp.ClockHolder)
			var last atomic.Pointer[time.Time]
			beat := func() {
				if now := time.Now(); g.Touch(g.path) == nil {
					last.Store(&now)
				}
			}
			g.Offset = func() time.Duration { return ms(3600_000) - 30*time.Minute }
			beat()
			go func() { // beats, with silences of up to Stale, and dies
				for range 6 {
					time.Sleep(ms(29_900))
					beat()
				}
			}()
			for i := range 40 {
				p := s.newcomer(fmt.Sprint("w", i), ms(1000_000))
				m := p.mutex()
				m.Wait = time.Second + ms(15_000)
				if draw(3) == 0 {
					s.server.Step(-ms(20_000))
				}
				l, err := m.Acquire(context.Background())
				if err == nil {
					if silent := time.Since(*last.Load()); silent < 30*time.Second {
						t.Errorf("seed %d: taken over after %v of silence", seed, silent)
					}
					_ = l.Release()
					s.nothingLeft()
					return
				}
				time.Sleep(ms(10_000))
			}
			t.Errorf("seed %d: never taken over", seed)
		})
	}
}
