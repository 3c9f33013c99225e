package dirlock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/container"
)

var visibilities = []container.Visibility{container.Unknown, container.Machine, container.Shared, container.OwnLayer,
	container.OwnTmpfs, container.OwnVolume, container.ReadOnlyRoot}

// placed makes a process believe that everything lies in such a place, and counts how often it asked.
func (p *simProc) placed(v container.Visibility) *int {
	asked := 0
	p.World.Where = func(string) container.Place {
		asked++
		return container.Place{Visibility: v, Evidence: "simulated"}
	}
	return &asked
}

// A lock that only one container sees is warned of, once for its path, however often it is taken; others are not.
func TestPrivatePlaceWarnsOnce(t *testing.T) {
	for _, v := range visibilities {
		t.Run(v.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				var log bytes.Buffer
				p := s.proc("a")
				asked := p.placed(v)
				m := p.mutex()
				for range 3 { // nobody hears of it yet
					lock, err := m.TryAcquire()
					s.must(err)
					s.must(lock.Release())
				}
				m.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
				for _, path := range []string{simPath, simPath, "/other", simPath} {
					m.Path = path
					lock, err := m.Acquire(s.ctx)
					s.must(err)
					s.must(lock.Release())
				}
				text := log.String()
				want := 0
				if v.Private() {
					want = 2
				}
				if n := strings.Count(text, "seen by this container only"); n != want || strings.Count(text, "simulated") != want {
					t.Errorf("%d warnings, want %d:\n%s", n, want, text)
				}
				if want > 0 && (!strings.Contains(text, "path="+simPath) || !strings.Contains(text, "path=/other") || !strings.Contains(text, v.String())) {
					t.Error(text)
				}
				if v != container.Machine && *asked != 2 {
					t.Errorf("asked %d times about two paths", *asked)
				}
			})
		})
	}
}

// A waiter does not ask again, however often it looks.
func TestPlaceIsAskedOncePerWait(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		holder, waiter := s.proc("a"), s.proc("b")
		lock, err := holder.mutex().TryAcquire()
		s.must(err)
		asked := waiter.placed(container.OwnLayer)
		m := waiter.mutex()
		m.Wait = 5 * time.Second
		_, err = m.Acquire(s.ctx)
		if !errors.Is(err, ErrHeld) {
			t.Error(err)
		}
		synctest.Wait()
		if *asked != 1 {
			t.Errorf("asked %d times", *asked)
		}
		s.must(lock.Release())
	})
}

// What is mounted meanwhile may be mounted there.
func TestPlaceIsAskedAgainAfterMounting(t *testing.T) {
	var ps places
	n := 0
	where := func(string) container.Place { n++; return container.Place{Visibility: container.Shared} }
	for _, gen := range []uint64{1, 1, 2, 2, 3} {
		ps.find("/p", gen, where)
	}
	if n != 3 {
		t.Errorf("asked %d times", n)
	}
	for i := range 3 * mostPlaces {
		ps.find(fmt.Sprint("/", i), 3, where)
	}
	if len(ps.m) > mostPlaces {
		t.Errorf("%d paths are kept", len(ps.m))
	}
}

// Who asks for strictness gets an error before anything is made, and it says what is wrong and what to do.
func TestRequireShared(t *testing.T) {
	for _, v := range visibilities {
		t.Run(v.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				p := s.proc("a")
				p.placed(v)
				m := p.mutex()
				m.RequireShared = true
				lock, err := m.TryAcquire()
				lock2, err2 := m.Acquire(s.ctx)
				if v == container.Machine || v == container.Shared {
					s.must(err)
					if err2 == nil || !errors.Is(err2, ErrHeld) {
						t.Error(err2)
					}
					s.must(lock.Release())
					return
				}
				for _, err := range []error{err, err2, m.Do(s.ctx, func(context.Context) error { return nil })} {
					ns, ok := errors.AsType[*NotSharedError](err)
					if !ok || !errors.Is(err, ErrNotShared) || errors.Is(err, ErrHeld) || ns.Path != simPath || ns.Place.Visibility != v {
						t.Fatalf("%#v", err)
					}
					for _, want := range []string{"dirlock: ", simPath, "simulated", "volume"} {
						if !strings.Contains(err.Error(), want) {
							t.Errorf("%q does not say %q", err, want)
						}
					}
				}
				if lock != nil || lock2 != nil || s.there(simPath) {
					t.Error("something was made")
				}
				r, err := m.Inspect()
				if err != nil || r.State != StateFree || r.Place.Visibility != v {
					t.Errorf("%+v, %v", r, err)
				}
			})
		})
	}
}

// Where nothing is known of containers nothing is refused.
func TestRequireSharedWithoutContainers(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		m := s.proc("a").mutex()
		m.RequireShared = true
		lock, err := m.TryAcquire()
		s.must(err)
		r, err := m.Inspect()
		if err != nil || r.Place != (container.Place{}) {
			t.Errorf("%+v, %v", r, err)
		}
		s.must(lock.Release())
	})
}

// Who holds the lock never depends on where it lies: the same scene goes the same way, whatever is believed of the place.
func TestPlaceDecidesNothing(t *testing.T) {
	var want []string
	for _, v := range visibilities {
		var said []string
		bubble(t, func(t *testing.T, s *sim) {
			first, second, other := s.proc("a"), s.proc("a"), s.proc("b")
			for _, p := range []*simProc{first, second, other} {
				p.placed(v)
			}
			begin := time.Now()
			say := func(args ...any) { said = append(said, fmt.Sprint(time.Since(begin), args)) }
			_, err := first.mutex().Acquire(s.ctx)
			say("first", err)
			m := second.mutex()
			m.Wait = time.Second
			_, err = m.Acquire(s.ctx)
			say("second, while the first lives", errors.Is(err, ErrHeld))
			first.die()
			lock, err := second.mutex().Acquire(s.ctx)
			say("second, of a dead one", err)
			_, err = other.mutex().TryAcquire()
			say("other", errors.Is(err, ErrHeld))
			say("released", lock.Release())
			lock, err = other.mutex().TryAcquire()
			say("other", err)
			say("released", lock.Release(), s.there(simPath))
		})
		if want == nil {
			want = said
		}
		if !slices.Equal(said, want) {
			t.Errorf("%s:\n%q\nelse\n%q", v, said, want)
		}
	}
}
