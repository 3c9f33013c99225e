package dirlock

import (
	"context"
	"strconv"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/world"
)

// A waiter for a lock that changes hands all the time, and callers that give up on it, keep no memory of those who had it.
func TestBusyLockFillsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 300 {
				l, err := a.mutex().Acquire(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(30 * time.Millisecond)
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		}()
		b.on(func(op faultfs.Op) (func(error) error, error) {
			if op.Call == "mkdir" {
				return nil, syscall.EEXIST // it always comes too late
			}
			return nil, nil
		})
		for _, wait := range []time.Duration{5 * time.Second, 25 * time.Millisecond, 3 * time.Second} {
			m := b.mutex()
			m.Wait = wait
			if l, err := m.Acquire(context.Background()); err == nil {
				t.Error("it came too late, and got it")
				_ = l.Release()
			}
		}
		<-done
		synctest.Wait()
		b.process.mu.Lock()
		defer b.process.mu.Unlock()
		if n := len(b.memories); n > 1 {
			t.Errorf("%d memories of one path", n)
		}
		for path, m := range b.memories {
			if len(m.watched) > 2 {
				t.Errorf("%s: %d stamps are remembered", path, len(m.watched))
			}
		}
		if len(b.own) != 0 || len(b.strays) != 0 || len(b.paths.m)+len(b.lines.m) != 0 {
			t.Errorf("left: %d own, %d strays, %d slots", len(b.own), len(b.strays), len(b.paths.m)+len(b.lines.m))
		}
	})
}

// A waiter whose turn comes goes on from what the one before it saw, however long that one takes to clear up.
func TestNextInLineGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		s.forge("one", 7).plant("")
		time.Sleep(time.Minute) // silent for long enough, and to be watched for 6 s
		b := s.proc("two")
		b.client.Kind = fsys.Traits{Type: "nfs", Beats: fsys.ClockFS, Dev: 7}
		b.on(every("rmdir lock"+auxSuffix, slow(0, 100*time.Millisecond)))
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_, _ = b.mutex().Acquire(ctx)
		}()
		time.Sleep(time.Millisecond)
		m := b.mutex()
		m.Wait = -1
		var l *Lock
		var err error
		took := since(func() { l, err = m.Acquire(t.Context()) })
		if err != nil {
			t.Fatal(err)
		}
		between(t, "the lock", took, 6*time.Second, 7*time.Second)
		b.sound(l)
	})
}

// Who never came to look leaves no memory, and takes none away.
func TestNoLookNoMemory(t *testing.T) {
	p := newProcess(world.Real())
	saw := &acquisition{process: p, path: "/lock", watched: map[string]*watch{"x": {}}}
	saw.remember()
	(&acquisition{process: p, path: "/lock"}).remember()
	if len(p.memories["/lock"].watched) != 1 {
		t.Error("forgotten")
	}
}

// Of more paths than a process needs the ones that were left longest ago are forgotten.
func TestMemoriesAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p := s.proc("one").process
		for i := range mostMemories + 10 {
			(&acquisition{process: p, path: strconv.Itoa(i), watched: map[string]*watch{"x": {}}}).remember()
			time.Sleep(time.Millisecond)
		}
		if n := len(p.memories); n != mostMemories {
			t.Errorf("%d are remembered", n)
		}
		if _, ok := p.memories["9"]; ok {
			t.Error("an old one is remembered")
		}
		if _, ok := p.memories["10"]; !ok {
			t.Error("a newer one is forgotten")
		}
	})
}
