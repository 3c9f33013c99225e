//go:build linux

package dirlock_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// write makes a file with something in it, and its directory.
func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("somebody's "+filepath.Base(path)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// atOnce returns what f says and fails the test if it takes half a second to say it, several times: once may be the machine.
func atOnce(t *testing.T, f func() error) (err error) {
	t.Helper()
	for range 5 {
		begin := time.Now()
		err = f()
		if time.Since(begin) <= 500*time.Millisecond {
			return err
		}
	}
	t.Errorf("it took more than half a second, five times, to say: %v", err)
	return err
}

// What is not a lock is told at once and left alone, however old it is.
func TestProcNotALock(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, path string){
		"file":          func(t *testing.T, path string) { write(t, path) },
		"old file":      func(t *testing.T, path string) { write(t, path); proctest.Age(t, path, 365*24*time.Hour) },
		"dangling link": func(t *testing.T, path string) { link(t, path+".nowhere", path) },
		"link to data": func(t *testing.T, path string) {
			write(t, filepath.Join(path+".data", "book"))
			proctest.Age(t, path+".data", time.Hour)
			link(t, path+".data", path)
		},
		"link to an empty directory": func(t *testing.T, path string) {
			if err := os.Mkdir(path+".data", 0o755); err != nil {
				t.Fatal(err)
			}
			proctest.Age(t, path+".data", time.Hour)
			link(t, path+".data", path)
		},
		"fifo": func(t *testing.T, path string) {
			if err := unix.Mkfifo(path, 0o666); err != nil {
				t.Fatal(err)
			}
		},
		"data": func(t *testing.T, path string) {
			write(t, filepath.Join(path, "book"))
			write(t, filepath.Join(path, "more", "book"))
			proctest.Age(t, path, time.Hour)
		},
		"a directory under a stamp's name": func(t *testing.T, path string) {
			cfg := proctest.Quick(path)
			write(t, filepath.Join(path, cfg.Stamp().Name(), "book"))
			proctest.Age(t, path, time.Hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := proctest.Disk(t)
			m := proctest.Quick(filepath.Join(dir, "lock")).Mutex()
			prepare(t, m.Path)
			before := proctest.Tree(t, dir)
			for call, f := range map[string]func() error{
				"Acquire":    func() error { _, err := m.Acquire(context.Background()); return err },
				"TryAcquire": func() error { _, err := m.TryAcquire(); return err },
				"Do":         func() error { return m.Do(t.Context(), func(context.Context) error { panic("entered") }) },
			} {
				err := atOnce(t, f)
				if !errors.Is(err, dirlock.ErrNotLock) || errors.Is(err, dirlock.ErrHeld) || !strings.Contains(err.Error(), m.Path) {
					t.Errorf("%s: %v", call, err)
				}
			}
			if report, err := m.Inspect(); err != nil || report.State != dirlock.StateNotALock {
				t.Errorf("Inspect: %v, %v", report, err)
			}
			if after := proctest.Tree(t, dir); after != before {
				t.Errorf("it was touched:\n%s\nnot\n%s", after, before)
			}
		})
	}
}

// Faults that no waiting mends are the system's, at once, and not contention.
func TestProcStandingFaults(t *testing.T) {
	dir := proctest.Disk(t)
	write(t, filepath.Join(dir, "file"))
	for _, c := range []struct {
		name, path string
		errno      unix.Errno
	}{
		{"missing parent", filepath.Join(dir, "none", "lock"), unix.ENOENT},
		{"parent is a file", filepath.Join(dir, "file", "lock"), unix.ENOTDIR},
		{"name of 256 bytes", filepath.Join(dir, strings.Repeat("n", 256)), unix.ENAMETOOLONG},
		{"no room for .dirlock", filepath.Join(dir, strings.Repeat("n", 255)), unix.ENAMETOOLONG},
		{"name of 248 bytes", filepath.Join(dir, strings.Repeat("n", 248)), unix.ENAMETOOLONG},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := proctest.Tree(t, dir)
			err := atOnce(t, func() error {
				_, err := dirlock.At(c.path).Acquire(context.Background())
				return err
			})
			var pathError *fs.PathError
			if !errors.Is(err, c.errno) || !errors.As(err, &pathError) || errors.Is(err, dirlock.ErrHeld) {
				t.Errorf("%T %v", err, err)
			}
			if after := proctest.Tree(t, dir); after != before {
				t.Errorf("it left something:\n%s", after)
			}
		})
	}
}

// The longest name that is taken goes through a whole life, a takeover included.
func TestProcLongestName(t *testing.T) {
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, strings.Repeat("n", 247)))
	cfg.Forge(t, time.Hour, proctest.Dead(t))
	if err := cfg.Mutex().Do(t.Context(), func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	sole(t, dir)
}

func TestProcReadOnlyMount(t *testing.T) {
	t.Parallel()
	p, seen := small(t, "size=1m", "true")
	remount(t, p, "ro")
	refused(t, p, "read-only file system")
	remount(t, p, "rw")
	cfg := p.Config
	cfg.Path = filepath.Join(seen, "lock")
	cfg.Forge(t, 0)
	remount(t, p, "ro")
	begin := time.Now()
	answer := p.Say("acquire", "wait=500ms") // the kernel says EEXIST here: then it is held, and nothing else
	if !strings.HasPrefix(answer, "HELD") && !strings.Contains(answer, "read-only file system") {
		t.Error(answer)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Error(fmt.Sprint("it took ", took))
	}
}
