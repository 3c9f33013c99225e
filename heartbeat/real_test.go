package heartbeat

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A realClock is good enough where nobody suspends the machine.
type realClock struct{ start time.Time }

func (c realClock) Mono() time.Duration { return time.Since(c.start) }
func (c realClock) Boot() time.Duration { return time.Since(c.start) }

// A file is a target on a real directory. It beats with this host's clock, which is right on a local file system.
type file string

func (f file) Touch() error { now := time.Now(); return os.Chtimes(string(f), now, now) }

func (f file) Mtime() (time.Time, error) {
	i, err := os.Lstat(string(f))
	if err != nil {
		return time.Time{}, err
	}
	return i.ModTime(), nil
}

func dirs(t *testing.T) map[string]string {
	d := map[string]string{"disk": t.TempDir()}
	if runtime.GOOS == "linux" { // others have no tmpfs in a known place
		shm, err := os.MkdirTemp("/dev/shm", "heartbeat")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(shm) })
		d["memory"] = shm
	}
	return d
}

// poll waits for a condition, for as long as a slow machine may take.
func poll(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

// Real files, real timers, locks that come and go from many goroutines, some lost by removal.
func TestRealFiles(t *testing.T) {
	for name, dir := range dirs(t) {
		s := New(realClock{time.Now()})
		set := Settings{Heartbeat: 10 * time.Millisecond, Stale: 20 * time.Second}
		var lapsed, gone, removed, n atomic.Int64
		var wg sync.WaitGroup
		end := time.Now().Add(time.Second)
		for range 8 {
			wg.Go(func() {
				for time.Now().Before(end) {
					f := file(filepath.Join(dir, fmt.Sprint(n.Add(1))))
					if err := os.WriteFile(string(f), nil, 0o644); err != nil {
						t.Error(err)
						return
					}
					m, _ := f.Mtime()
					lost := make(chan struct{})
					b := s.Start(name, f, set, s.clock.Boot(), m, Events{
						Gone:    func() { gone.Add(1); close(lost) },
						Lapsed:  func(bool) { lapsed.Add(1) },
						Failing: func(err error) { t.Errorf("failing: %v", err) },
					})
					time.Sleep(rand.N(50 * time.Millisecond))
					if rand.N(4) == 0 {
						removed.Add(1)
						os.Remove(string(f))
						select {
						case <-lost:
						case <-time.After(30 * time.Second):
							t.Error("a removal was not noticed")
						}
					}
					if b.Stop(); b.Remaining() > set.Lease() {
						t.Error("more than a lease remains")
					}
					os.Remove(string(f))
				}
			})
		}
		wg.Wait()
		if lapsed.Load() != 0 || gone.Load() != removed.Load() || removed.Load() == 0 {
			t.Errorf("%s: %d locks, %d lapsed, %d gone of %d removed", name, n.Load(), lapsed.Load(), gone.Load(), removed.Load())
		}
		poll(t, "no goroutine left", func() bool { return ours() == 0 })
		empty(t, s)
	}
}

// The modification time of a real file moves, and stays once the lock is stopped.
func TestRealMtimeMoves(t *testing.T) {
	for name, dir := range dirs(t) {
		f := file(filepath.Join(dir, "stamp"))
		if err := os.WriteFile(string(f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		m, _ := f.Mtime()
		s := New(realClock{time.Now()})
		b := s.Start(name, f, Settings{10 * time.Millisecond, 20 * time.Second}, 0, m, Events{})
		poll(t, "the time moves twice", func() bool {
			now, err := f.Mtime()
			return err == nil && now.Sub(m) > 15*time.Millisecond
		})
		poll(t, "a beat counts", func() bool { return b.Remaining() > b.set.Lease()-s.clock.Boot() })
		b.Stop()
		poll(t, "the last call ends", func() bool { return ours() == 0 })
		empty(t, s)
	}
}
