//go:build linux

package dirlock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// taken acquires and releases, and returns how long it took to get.
func taken(t *testing.T, cfg proctest.Config) time.Duration {
	t.Helper()
	begin := time.Now()
	lock, err := cfg.Mutex().Acquire(context.Background())
	took := time.Since(begin)
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	return took
}

// kept has a waiter wait for the time given in vain, and checks that nothing was touched.
func kept(t *testing.T, cfg proctest.Config, wait time.Duration) *dirlock.HeldError {
	t.Helper()
	before := proctest.Names(cfg.Path)
	m := cfg.Mutex()
	m.Wait = wait
	lock, err := m.Acquire(context.Background())
	if err == nil {
		t.Fatal("it was taken, by", lock.Stamp().Name())
	}
	var held *dirlock.HeldError
	if !errors.As(err, &held) {
		t.Fatal(err)
	}
	if after := proctest.Names(cfg.Path); after != before {
		t.Fatalf("touched: %q became %q", before, after)
	}
	return held
}

// Movement is life, wherever the hands of the clock point.
func TestProcForeignOwnerThatMoves(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]time.Duration{
		"an hour ago": -time.Hour, "half a year ago": -180 * 24 * time.Hour, "a day ahead": 24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := proctest.Quick(filepath.Join(dir, "lock"))
			token := cfg.Forge(t, -off, proctest.Foreign)
			stop := proctest.KeepMoving(t, filepath.Join(cfg.Path, token), 90*time.Millisecond, off)
			kept(t, cfg, 3*cfg.Stale)
			stop()
			taken(t, cfg)
			sole(t, dir)
		})
	}
}

// A clock that goes backwards moves, too.
func TestProcForeignOwnerThatMovesBack(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	path := filepath.Join(cfg.Path, cfg.Forge(t, time.Hour, proctest.Foreign))
	over := time.Now().Add(3 * cfg.Stale)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for then := time.Now().Add(-time.Hour); time.Now().Before(over); time.Sleep(90 * time.Millisecond) {
			then = then.Add(-10 * time.Millisecond)
			if err := os.Chtimes(path, then, then); err != nil {
				t.Error(err)
			}
		}
	}()
	kept(t, cfg, 5*cfg.Stale/2)
	<-done
	taken(t, cfg)
}

// An mtime ahead is no age: it takes Stale of watching that it stands still, and no more than that.
func TestProcFutureAndStill(t *testing.T) {
	t.Parallel()
	proctest.Each(t, func(t *testing.T, dir string) {
		t.Parallel()
		cfg := proctest.Quick(filepath.Join(dir, "lock"))
		cfg.Forge(t, -24*time.Hour, proctest.Foreign)
		took := taken(t, cfg)
		if took < cfg.Stale || took > cfg.Stale+stamp.Confirm(cfg.Heartbeat, cfg.Stale)+busy {
			t.Errorf("taken after %v", took)
		}
		sole(t, dir)
	})
}

// One that is long silent is watched, but not for Stale again, if its age is known: where it is not known what clock beats carry, an
// age is what was watched.
func TestProcOldAndStill(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Heartbeat, cfg.Stale = time.Second, 20*time.Second
	cfg.Forge(t, time.Hour, proctest.Foreign)
	traits, err := fsys.OS().Traits(dir)
	if err != nil {
		t.Fatal(err)
	}
	confirm := stamp.Confirm(cfg.Heartbeat, cfg.Stale)
	least, most := confirm, cfg.Stale
	if traits.Beats != fsys.ClockFS {
		least, most = cfg.Stale, cfg.Stale+confirm
	}
	if took := taken(t, cfg); took < least || took >= most {
		t.Errorf("taken after %v, and not between %v and %v; beats carry %v", took, least, most, traits.Beats)
	}
}

// The impatient waits for as long as the patient one said.
func TestProcLongerSettingsCount(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	impatient := proctest.Quick(filepath.Join(dir, "lock"))
	patient := impatient
	patient.Stale = 2 * impatient.Stale
	begin := time.Now()
	patient.Forge(t, 0, proctest.Foreign)
	taken(t, impatient)
	if took := time.Since(begin) + 50*time.Millisecond + proctest.Settled(); took < patient.Stale { // a server's clock has ticks, and is another's
		t.Errorf("taken after %v from one that said %v", took, patient.Stale)
	}
}

// Names with our prefix that nobody who follows the protocol wrote.
func TestProcCorruptNames(t *testing.T) {
	t.Parallel()
	for label, name := range map[string]string{
		"garbage":       "dirlock-garbage",
		"prefix only":   "dirlock-",
		"pid 0":         "dirlock-1.00000000000000000000000000000001.0.0.00000000000000000000000000000001.1.1.0.0.100.1000.f.0000000000000001.x",
		"negative pid":  "dirlock-1.00000000000000000000000000000001.-1.0.00000000000000000000000000000001.1.1.0.0.100.1000.f.0000000000000001.x",
		"pid 2^31":      "dirlock-1.00000000000000000000000000000001.2147483648.0.00000000000000000000000000000001.1.1.0.0.100.1000.f.0000000000000001.x",
		"fractional":    "dirlock-1.00000000000000000000000000000001.1.5.0.00000000000000000000000000000001.1.1.0.0.100.1000.f.0000000000000001.x",
		"cut off":       "dirlock-1.00000000000000000000000000000001.77",
		"not UTF-8":     "dirlock-1.\xff\xfe",
		"with newlines": "dirlock-1.\n\n",
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := proctest.Quick(filepath.Join(dir, "lock"))
			cfg.ForgeName(t, 0, name, nil)
			stop := proctest.KeepMoving(t, filepath.Join(cfg.Path, name), 50*time.Millisecond, 0)
			kept(t, cfg, 3*cfg.Stale/2)
			stop()
			if took := taken(t, cfg); took < cfg.Stale-200*time.Millisecond {
				t.Errorf("taken after %v", took)
			}
			sole(t, dir)
		})
	}
}

// A version that is not known: the kernel's word on a living process counts, on a dead one it does not.
func TestProcUnknownVersion(t *testing.T) {
	t.Parallel()
	newer := func(s *stamp.Stamp) { s.Version = 2 }
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		dir := proctest.Disk(t)
		cfg := proctest.Quick(filepath.Join(dir, "lock"))
		p := proctest.Start(t, cfg)
		start, err := stamp.StartOf(p.Pid())
		if err != nil {
			t.Fatal(err)
		}
		cfg.Forge(t, time.Hour, newer, func(s *stamp.Stamp) { s.PID, s.Start = p.Pid(), start })
		p.Stop()
		kept(t, cfg, 3*cfg.Stale)
		p.Kill()
		taken(t, cfg)
		sole(t, dir)
	})
	t.Run("dead", func(t *testing.T) {
		t.Parallel()
		dir := proctest.Disk(t)
		cfg := proctest.Quick(filepath.Join(dir, "lock"))
		cfg.Forge(t, 4*cfg.Heartbeat, newer, proctest.Dead(t))
		if took := taken(t, cfg); took < cfg.Stale-4*cfg.Heartbeat {
			t.Errorf("taken after %v: its pid was judged by rules of ours", took)
		}
		sole(t, dir)
	})
}
