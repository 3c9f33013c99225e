package dirlock_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// witnessed puts a lock at dir/lock with the witness in a place of its own, so that all that is in dir is the lock's.
func witnessed(t *testing.T, cfg proctest.Config) proctest.Config {
	t.Helper()
	cfg.Witness = proctest.Witness(t)
	return cfg
}

// sole fails the test if anything is in dir.
func sole(t *testing.T, dir string) {
	t.Helper()
	for end := time.Now().Add(proctest.Settled()); proctest.Names(dir) != "" && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if names := proctest.Names(dir); names != "" {
		t.Errorf("left behind: %s", names)
	}
}

// together starts n children at once.
func together(t *testing.T, n int, cfg proctest.Config) []*proctest.Proc {
	t.Helper()
	procs := make([]*proctest.Proc, n)
	for i := range procs {
		procs[i] = proctest.Start(t, cfg)
	}
	return procs
}

// each waits for one answer of every child and checks that it is DONE; it returns what else they said.
func each(t *testing.T, procs []*proctest.Proc, bound time.Duration) (rest []string) {
	t.Helper()
	for _, p := range procs {
		rest = append(rest, p.Expect("DONE", bound))
	}
	return rest
}

func TestProcContention(t *testing.T) {
	turns := "200"
	if testing.Short() {
		turns = "20"
	}
	proctest.Each(t, func(t *testing.T, dir string) {
		t.Parallel()
		cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
		cfg.Wait = -1
		procs := together(t, 8, cfg)
		begin := time.Now()
		for _, p := range procs {
			p.Send("loop", turns)
		}
		longest := each(t, procs, 5*time.Minute)
		t.Logf("8 x %s turns in %v, longest waits %s", turns, time.Since(begin).Round(time.Millisecond), strings.Join(longest, " "))
		sole(t, dir)
	})
}

// The lock of an owner that is dead and long silent, and a crowd that comes for it at the same instant.
func TestProcStampede(t *testing.T) {
	rounds := map[string]int{"disk": 100, "tmpfs": 25}
	crowd := 32
	switch {
	case proctest.Away(): // where a host has one processor, and a round a trip over a network
		rounds, crowd = nil, 10
	case testing.Short():
		rounds = map[string]int{"disk": 5, "tmpfs": 5}
	}
	proctest.Each(t, func(t *testing.T, dir string) {
		t.Parallel()
		cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
		cfg.Wait = time.Minute
		procs := together(t, crowd, cfg)
		begin := time.Now()
		n, ok := rounds[filepath.Base(t.Name())]
		if !ok {
			n = 10
		}
		for round := range n {
			cfg.Path = filepath.Join(dir, strconv.Itoa(round))
			cfg.Forge(t, 10*time.Minute, proctest.Dead(t))
			at := time.Now().Add(30 * time.Millisecond).UnixNano()
			for _, p := range procs {
				p.Send("at", strconv.FormatInt(at, 10), "1ms", "path="+cfg.Path)
			}
			each(t, procs, time.Minute)
			if sole(t, dir); t.Failed() {
				t.Fatalf("in round %d", round)
			}
		}
		t.Log("took", time.Since(begin).Round(time.Millisecond))
	})
}

// As above with an owner nobody can ask: all of them watch first, then all of them evict.
func TestProcStampedeOnForeign(t *testing.T) {
	proctest.Each(t, func(t *testing.T, dir string) {
		t.Parallel()
		cfg := witnessed(t, proctest.Quick(""))
		procs := together(t, 16, cfg)
		for round := range 3 {
			cfg.Path = filepath.Join(dir, strconv.Itoa(round))
			cfg.Forge(t, 10*time.Minute, proctest.Foreign)
			for _, p := range procs {
				p.Send("turn", "1ms", "path="+cfg.Path)
			}
			each(t, procs, time.Minute)
			sole(t, dir)
		}
	})
}

// Goroutines of one process contend like processes.
func TestProcGoroutines(t *testing.T) {
	dir := proctest.Disk(t)
	m := proctest.Quick(filepath.Join(dir, "lock")).Mutex()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var inside, turns int
	for range 8 {
		wg.Go(func() {
			for range 25 {
				lock, err := m.Acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				inside++
				turns++
				if inside != 1 {
					t.Errorf("%d inside", inside)
				}
				mu.Unlock()
				time.Sleep(100 * time.Microsecond)
				mu.Lock()
				inside--
				mu.Unlock()
				if err := lock.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if turns != 200 {
		t.Errorf("%d turns", turns)
	}
	sole(t, dir)
}
