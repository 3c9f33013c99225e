package dirlock

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// mounted is a file system each of whose directories at the top is a mount.
type mounted struct{ fsys.FS }

func (mounted) Mount(p string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	return first
}

// onMounts puts the process on several network mounts.
func (p *simProc) onMounts(names ...string) {
	p.client.Kind.Local = false
	p.World.FS = mounted{p.World.FS}
	for _, name := range names {
		p.must(p.server.Local().Mkdir("/"+name, 0o755))
	}
}

// hangsBelow makes all calls of p below a directory hang. Heartbeats, which have a bound of their own, hang too but are not counted.
func hangsBelow(p *simProc, dir string) *hang {
	h := &hang{healed: make(chan struct{})}
	p.on(func(op faultfs.Op) (func(error) error, error) {
		if !strings.HasPrefix(op.Path, dir+"/") {
			return nil, nil
		}
		if op.Call != "touch" {
			h.inside.Add(1)
			defer h.inside.Add(-1)
		}
		<-h.healed
		return nil, nil
	})
	return h
}

// holds fails the test unless as many calls as may be are stuck.
func (h *hang) holds(t *testing.T, want int32) {
	t.Helper()
	synctest.Wait()
	if n := h.inside.Load(); n != want {
		t.Errorf("%d calls are stuck, want %d", n, want)
	}
}

// at is a mutex of the process for a path.
func (p *simProc) at(format string, args ...any) *Mutex {
	m := p.mutex()
	m.Path = fmt.Sprintf(format, args...)
	return m
}

// fresh fails the test if a server has anything but the directories that are the mounts.
func (s *sim) fresh() {
	s.t.Helper()
	for _, n := range s.server.Snapshot() {
		if path.Dir(n.Path) != "/" {
			s.t.Errorf("left behind: %s", n.Path)
		}
	}
}

// Ten paths on a mount that hangs, five callers each: four calls are stuck at any time, the callers leave in time, other mounts go on,
// and what was begun is undone when it answers.
func TestManyPathsOnAHungMount(t *testing.T) {
	for _, stuck := range []string{"from the beginning", "in mkdir", "in create"} {
		t.Run(stuck, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a := s.proc("one")
				a.onMounts("hung", "other")
				h := hangsBelow(a, "/hung")
				if call, ok := strings.CutPrefix(stuck, "in "); ok {
					h = hangs(a, call+map[string]string{"mkdir": " path", "create": " dirlock-1"}[call])
				}
				var callers sync.WaitGroup
				for i := range 50 {
					callers.Go(func() {
						m := a.at("/hung/path%d", i%10)
						m.Wait = time.Duration(i+1) * time.Second
						took := since(func() {
							if _, err := m.Acquire(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
								t.Error(err)
							}
						})
						between(t, "the end of the wait", took, m.Wait, m.Wait+grace)
					})
				}
				for range 40 {
					time.Sleep(time.Second)
					h.holds(t, mostStuck)
					if stuck == "from the beginning" {
						l, err := a.at("/other/path").TryAcquire()
						s.must(err)
						s.must(l.Release())
					}
				}
				callers.Wait()
				h.heal()
				time.Sleep(2 * strayFor)
				s.fresh()
				a.idle()
				a.on(nil)
				for i := range 10 {
					l, err := a.at("/hung/path%d", i).TryAcquire()
					s.must(err)
					s.must(l.Release())
				}
			})
		})
	}
}

// Check, Inspect and Release are bounded as acquisitions are, and one path does not keep another from being asked about as long as
// fewer than four hang.
func TestManyQuestionsToAHungMount(t *testing.T) {
	for _, c := range []struct {
		what string
		call func(m *Mutex, l *Lock) error
		most time.Duration
		want error
	}{
		{"Check", func(_ *Mutex, l *Lock) error { return l.Check() }, 20 * time.Second, ErrLost},
		{"Inspect", func(m *Mutex, _ *Lock) error { return second(m.Inspect()) }, defaultWait, context.DeadlineExceeded},
		{"Release", func(_ *Mutex, l *Lock) error { return l.Release() }, defaultStale, nil},
	} {
		for _, paths := range []int{1, 3, 10} {
			t.Run(fmt.Sprint(c.what, " of ", paths), func(t *testing.T) {
				bubble(t, func(t *testing.T, s *sim) {
					a := s.proc("one")
					a.onMounts("hung", "other")
					var muts []*Mutex
					var locks []*Lock
					for i := range paths {
						m := a.at("/hung/path%d", i)
						l, err := m.TryAcquire()
						s.must(err)
						muts, locks = append(muts, m), append(locks, l)
					}
					time.Sleep(1500 * time.Millisecond) // the next heartbeats begin with a touch
					h := hangsBelow(a, "/hung")
					var callers sync.WaitGroup
					for i := range 100 {
						callers.Go(func() {
							var err error
							took := since(func() { err = c.call(muts[i%paths], locks[i%paths]) })
							if c.want != nil && !errors.Is(err, c.want) || err == nil {
								t.Error(err)
							}
							between(t, "the answer", took, 0, c.most+grace)
						})
					}
					for range int(c.most/time.Second) - 1 {
						time.Sleep(time.Second)
						h.holds(t, int32(min(paths, mostStuck)))
						r, err := a.at("/other/path").Inspect()
						if s.must(err); r.State != StateFree {
							t.Error(r.State)
						}
					}
					callers.Wait()
					h.heal()
					a.on(nil)
					for _, l := range locks {
						_ = l.Release()
					}
					time.Sleep(time.Minute)
					s.fresh()
					a.idle()
				})
			})
		}
	}
}
