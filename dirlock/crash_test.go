package dirlock

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
)

// repairBound is within what an abandoned lock must be repaired by itself: Stale, the confirm window, and polls.
const repairBound = defaultStale + 6*time.Second + time.Second

// A role is what a process does in these tests, once the lock directory is as it likes it.
type role struct {
	name string
	// prepare makes the scene; act is what is then interrupted at each of its calls.
	prepare func(s *sim, p *simProc) (act func())
}

func roles(junk bool) []role {
	put := func(s *sim) {
		if !junk {
			return
		}
		c := s.server.Local()
		for _, name := range []string{"/report.txt", "/.nfs0001", "/.DS_Store"} {
			if err := c.Create(simPath+name, []byte("junk"), 0o644); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	acquire := func(s *sim, p *simProc) func() {
		return func() {
			m := p.mutex()
			m.Wait = -1
			if l, err := m.Acquire(s.ctx); err == nil {
				p.enter(l)
				time.Sleep(2500 * time.Millisecond)
				p.leave()
				_ = l.Release()
			}
		}
	}
	list := []role{
		{"releaser", func(s *sim, p *simProc) func() {
			l := p.acquire(0)
			put(s)
			return func() {
				p.leave()
				_ = l.Release()
			}
		}},
		{"thief", func(s *sim, p *simProc) func() {
			d := s.proc("host")
			d.acquire(0)
			put(s)
			d.die()
			return acquire(s, p)
		}},
		{"foreign thief", func(s *sim, p *simProc) func() {
			d := s.proc("elsewhere")
			d.acquire(0)
			put(s)
			d.die()
			return acquire(s, p)
		}},
	}
	if !junk {
		list = append(list, role{"acquirer", acquire}, role{"acquirer of an old directory", func(s *sim, p *simProc) func() {
			if err := s.server.Local().Mkdir(simPath, 0o755); err != nil {
				s.t.Fatal(err)
			}
			return acquire(s, p)
		}})
	}
	return list
}

// at returns a hook that does f at the n-th call, counted from 1, and nothing at others. A waiter's polls are all alike and
// are counted for two rounds only, save those around the moment when the mtime rule comes to its decision.
func at(n int, f func(faultfs.Op) (func(error) error, error)) faultfs.Hook {
	var mu sync.Mutex
	seen := map[string]int{}
	start := time.Now()
	return func(op faultfs.Op) (func(error) error, error) {
		mu.Lock()
		seen[op.String()]++
		deciding := time.Since(start) > defaultStale-lastPoll
		if seen[op.String()] <= 2 || deciding {
			n--
		}
		now := n == 0
		if now {
			n = -1
		}
		mu.Unlock()
		if now {
			return f(op)
		}
		return nil, nil
	}
}

// waiterHosts are where the one who comes after is: on the same host, and on another. The race detector, which makes all this
// slow, learns nothing from the second.
func waiterHosts() []string {
	if testing.Short() {
		return []string{"host"}
	}
	return []string{"host", "other"}
}

// Whoever dies, wherever it dies: the lock is repaired by itself, and nothing piles up.
func TestCrashAtEveryCall(t *testing.T) {
	for _, junk := range []bool{false, true} {
		for _, r := range roles(junk) {
			for _, host := range waiterHosts() {
				t.Run(fmt.Sprintf("%s/junk=%v/%s", r.name, junk, host), func(t *testing.T) { crashEverywhere(t, r, junk, host) })
			}
		}
	}
}

func crashEverywhere(t *testing.T, r role, junk bool, host string) {
	for n := 1; ; n++ {
		finished := false
		var hit atomic.Pointer[string]
		bubble(t, func(t *testing.T, s *sim) {
			p := s.proc("host")
			act := r.prepare(s, p)
			p.on(at(n, func(op faultfs.Op) (func(error) error, error) {
				name := op.String()
				hit.Store(&name)
				p.die()
				return nil, nil
			}))
			done := make(chan struct{})
			go func() {
				defer close(done)
				act()
			}()
			select {
			case <-done:
			case <-time.After(2 * time.Minute):
			}
			where := "nowhere"
			if name := hit.Load(); name != nil {
				where = *name
			} else {
				finished = true
			}
			// The documented limit: junk, and a crash between release's two calls, where no listing had seen it before.
			w := s.proc(host)
			took := since(func() {
				m := w.mutex()
				m.Wait = 2 * time.Minute
				l, err := m.Acquire(context.Background())
				if err != nil {
					t.Errorf("dead at call %d (%s): wedged: %v; there: %q", n, where, err, s.names())
					return
				}
				w.enter(l)
				if err := l.Release(); err != nil {
					t.Errorf("dead at call %d (%s): %v", n, where, err)
				}
			})
			if took > repairBound {
				t.Errorf("dead at call %d (%s): repaired after %v", n, where, took)
			}
			if !junk {
				s.nothingLeft()
			} else {
				for _, name := range []string{"/report.txt", "/.nfs0001"} {
					if _, err := s.server.Local().Stat(simPath + name); err != nil {
						t.Errorf("dead at call %d (%s): somebody's file is gone: %v", n, where, err)
					}
				}
			}
		})
		if finished || t.Failed() {
			if n < 4 {
				t.Errorf("only %d calls were tried", n)
			}
			return
		}
	}
}

// A call that takes longer than Stale, at each place in turn, while another process wants the lock: never two holders, and
// nobody's stamp is harmed.
func TestDelayAtEveryCall(t *testing.T) {
	for _, r := range roles(false) {
		for _, host := range waiterHosts() {
			t.Run(r.name+"/"+host, func(t *testing.T) { delayEverywhere(t, r, host) })
		}
	}
}

func delayEverywhere(t *testing.T, r role, host string) {
	for n := 1; ; n++ {
		for _, afterwards := range []bool{false, true} {
			var delayed atomic.Bool
			bubble(t, func(t *testing.T, s *sim) {
				p := s.proc("host")
				act := r.prepare(s, p)
				pause := func() { time.Sleep(3*defaultStale + 11*time.Millisecond) }
				p.on(at(n, func(op faultfs.Op) (func(error) error, error) {
					delayed.Store(true)
					if !afterwards {
						pause()
						return nil, nil
					}
					return func(err error) error { pause(); return err }, nil
				}))
				done := make(chan struct{})
				go func() {
					defer close(done)
					act()
				}()
				time.Sleep(time.Millisecond)
				w := s.proc(host)
				for range 5 { // take it, keep it for a while, again
					m := w.mutex()
					m.Wait = time.Minute
					l, err := m.Acquire(context.Background())
					if err != nil {
						continue
					}
					w.enter(l)
					time.Sleep(25 * time.Second)
					w.leave()
					if err := l.Release(); err != nil {
						t.Errorf("call %d: the successor's lock was harmed: %v", n, err)
					}
				}
				<-done
				p.die()
			})
			if t.Failed() {
				t.Logf("at call %d, after=%v", n, afterwards)
				return
			}
			if !delayed.Load() {
				return
			}
		}
	}
}
