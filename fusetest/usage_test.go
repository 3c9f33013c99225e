//go:build linux

package fusetest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A usage is what this process has of what a mount that hangs may eat up.
type usage struct{ threads, goroutines, files int }

// used takes stock. Threads never end, so that a later count is the most that there ever were.
func used(t *testing.T) usage {
	t.Helper()
	runtime.GC() // which has its own threads, once
	return usage{threads(t), runtime.NumGoroutine(), files(t)}
}

func threads(t *testing.T) int {
	t.Helper()
	n := countThreads()
	if n == 0 {
		t.Fatal("no number of threads in /proc/self/status")
	}
	return n
}

// countThreads is how many threads this process has; 0 if that cannot be read.
func countThreads() (n int) {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if count, ok := strings.CutPrefix(line, "Threads:"); ok {
			n, _ = strconv.Atoi(strings.TrimSpace(count))
		}
	}
	return n
}

func files(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// hanging is how many threads of this process wait in the kernel for a FUSE server, or for one that does.
func hanging() (n int) {
	tasks, _ := filepath.Glob("/proc/self/task/*")
	for _, task := range tasks {
		stat, _ := os.ReadFile(task + "/stat")
		_, state, _ := strings.Cut(string(stat), ") ")
		wchan, _ := os.ReadFile(task + "/wchan")
		if strings.HasPrefix(state, "D") || strings.Contains(string(wchan), "fuse") || strings.Contains(string(wchan), "request_wait") {
			n++
		}
	}
	return n
}

// most fails the test if there are more than so many new threads. What it logs is what the tests are for.
func (u usage) most(t *testing.T, what string, extra int) {
	t.Helper()
	now := threads(t)
	t.Logf("%s: %d threads, %d more than before; %d hang in the mount", what, now, now-u.threads, hanging())
	if now-u.threads > extra {
		t.Errorf("%s: %d more threads than before, want at most %d", what, now-u.threads, extra)
	}
}

// back waits until goroutines and descriptors are as many as before.
func (u usage) back(t *testing.T, limit time.Duration) {
	t.Helper()
	until(t, "goroutines and descriptors are as many as before", limit, func() error {
		if g, f := runtime.NumGoroutine(), files(t); g > u.goroutines || f > u.files {
			return fmt.Errorf("%d goroutines, were %d; %d descriptors, were %d", g, u.goroutines, f, u.files)
		}
		return nil
	})
}

// times are how long calls took.
type times []time.Duration

func (d times) String() string {
	if len(d) == 0 {
		return "none"
	}
	d = slices.Sorted(slices.Values(d))
	at := func(q float64) time.Duration { return d[int(q*float64(len(d)-1))].Round(time.Millisecond) }
	return fmt.Sprintf("%d calls: least %v, median %v, 99 %% %v, most %v", len(d), at(0), at(0.5), at(0.99), at(1))
}

// within fails the test if a call returned too soon or too late, or half of them later than any load explains.
func (d times) within(t *testing.T, what string, least, most time.Duration) {
	t.Helper()
	t.Logf("%s: %v; the machine stood still for %v", what, d, standstill().Round(time.Millisecond))
	if len(d) == 0 {
		t.Fatalf("%s: no calls", what)
	}
	d = slices.Sorted(slices.Values(d))
	if d[0] < least {
		t.Errorf("%s: the first returned after %v, want %v at least", what, d[0], least)
	}
	if last := d[len(d)-1]; last > most+slack() {
		t.Errorf("%s: the last returned after %v, want %v", what, last, most)
	}
	if middle := d[len(d)/2]; middle > most+max((slack()+standstill())/2, 100*time.Millisecond) {
		t.Errorf("%s: half of the calls took more than %v, want %v", what, middle, most)
	}
}
