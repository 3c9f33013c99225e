package notify_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func TestWoken(t *testing.T) {
	for _, what := range []struct {
		name string
		do   func(dir string) error
	}{
		{"unlink", func(dir string) error { return os.Remove(dir + "/file") }},
		{"rename away", func(dir string) error { return os.Rename(dir+"/file", dir+".away") }},
		{"rename inside", func(dir string) error { return os.Rename(dir+"/file", dir+"/other") }},
		{"rmdir of a directory in it", func(dir string) error { return os.Remove(dir + "/sub") }},
		{"rmdir", func(dir string) error { return errors.Join(os.Remove(dir+"/empty"), os.Remove(dir)) }},
		{"the directory is moved", func(dir string) error { return os.Rename(dir, dir+".moved") }},
	} {
		t.Run(what.name, func(t *testing.T) {
			over(t, func(t *testing.T, d *notify.Dirs, _ *notify.Probe) {
				dir := lock(t, filepath.Join(t.TempDir(), "lock"), "file")
				lock(t, dir+"/sub")
				if what.name == "rmdir" { // of a directory in which nothing is
					must(t, os.Remove(dir+"/file"))
					must(t, os.Remove(dir+"/sub"))
					lock(t, dir+"/empty")
					must(t, os.Remove(dir+"/empty"))
					must(t, os.Mkdir(dir+"/empty", 0o755))
				}
				c, _ := watch(t, d, dir)
				if c.count() != 0 {
					t.Fatal("woken before anything happened")
				}
				must(t, what.do(dir))
				c.reach(1, what.name)
			})
		})
	}
}

// TestRmdirAlone: of a lock that somebody took by mkdir, rmdir is all that is heard.
func TestRmdirAlone(t *testing.T) {
	over(t, func(t *testing.T, d *notify.Dirs, _ *notify.Probe) {
		dir := lock(t, filepath.Join(t.TempDir(), "lock"))
		c, _ := watch(t, d, dir)
		must(t, os.Remove(dir))
		c.reach(1, "rmdir")
	})
}

// TestNotWoken: a heart beats a hundred times, and nobody is bothered. Notices come in order, so that when what was done last
// has been told, all that was done before has been.
func TestNotWoken(t *testing.T) {
	over(t, func(t *testing.T, d *notify.Dirs, p *notify.Probe) {
		dir := lock(t, filepath.Join(t.TempDir(), "lock"), "stamp", "last")
		c, _ := watch(t, d, dir)
		for range 100 {
			must(t, os.Chtimes(dir+"/stamp", time.Time{}, time.Now()))
		}
		must(t, os.Chmod(dir+"/stamp", 0o600))
		must(t, os.Chmod(dir, 0o700))
		must(t, os.WriteFile(dir+"/new", []byte("new"), 0o644))
		must(t, os.WriteFile(dir+"/stamp", []byte("more"), 0o644))
		_, err := os.ReadFile(dir + "/stamp")
		must(t, err)
		_, err = os.ReadDir(dir)
		must(t, err)
		must(t, os.Mkdir(dir+"/sub", 0o755))
		must(t, os.WriteFile(dir+".beside", nil, 0o644))
		must(t, os.Rename(dir+".beside", dir+"/beside"))
		must(t, os.Remove(dir+"/stamp"))
		c.reach(1, "unlink")
		must(t, os.Remove(dir+"/last"))
		c.reach(2, "the second unlink")
		if c.count() != 2 || p.Read() != 2 {
			t.Errorf("%d wakes and %d notices read for two unlinks", c.count(), p.Read())
		}
	})
}

// TestShared: many wait at one directory, and the last to leave ends what is shared.
func TestShared(t *testing.T) {
	over(t, func(t *testing.T, d *notify.Dirs, _ *notify.Probe) {
		dir := lock(t, filepath.Join(t.TempDir(), "lock"), "1", "2", "3")
		a, stopA := watch(t, d, dir)
		b, stopB := watch(t, d, dir)
		must(t, os.Remove(dir+"/1"))
		a.reach(1, "the first waiter is woken")
		b.reach(1, "the second waiter is woken")
		stopA()
		stopA()
		must(t, os.Remove(dir+"/2"))
		b.reach(2, "the one who stayed is woken")
		stopB()
		c, _ := watch(t, d, dir)
		must(t, os.Remove(dir+"/3"))
		c.reach(1, "a newcomer is woken after all others left")
		if a.count() != 1 || b.count() != 2 {
			t.Errorf("woken after stop: %d and %d times, want 1 and 2", a.count(), b.count())
		}
	})
}

// TestAnotherAtPath: what was watched is gone, and another is at its path before that has been told. Both waiters learn of their own.
func TestAnotherAtPath(t *testing.T) {
	over(t, func(t *testing.T, d *notify.Dirs, p *notify.Probe) {
		dir := lock(t, filepath.Join(t.TempDir(), "lock"), "stamp")
		old, stopOld := watch(t, d, dir)
		release := p.Hold()
		must(t, os.Remove(dir+"/stamp"))
		must(t, os.Remove(dir))
		time.Sleep(10 * time.Millisecond) // so that the times of the two differ, by which fsnotify's backend knows them
		lock(t, dir, "stamp")
		watching, gone := make(chan struct{}), make(chan error, 1)
		first := sync.OnceFunc(func() { close(watching) })
		go func() {
			gone <- await(d, dir, func() bool {
				first()
				_, err := os.Lstat(dir + "/stamp")
				return err != nil
			})
		}()
		select {
		case <-watching:
		case <-time.After(50 * time.Millisecond): // the backend tells the old one itself, and has to wait for that
		}
		release()
		old.reach(1, "the old one is gone")
		stopOld()
		<-watching
		must(t, os.Remove(dir+"/stamp"))
		select {
		case err := <-gone:
			must(t, err)
		case <-time.After(proctest.Patience):
			t.Error("nobody told of the new one's stamp")
		}
	})
}

// await waits as a waiter should: each time he is woken he watches anew before he looks.
func await(d *notify.Dirs, path string, look func() bool) error {
	woken := make(chan struct{}, 1)
	stop := func() {}
	for {
		next, err := d.Watch(path, func() {
			select {
			case woken <- struct{}{}:
			default:
			}
		})
		stop()
		if err != nil {
			return err
		}
		stop = next
		if look() {
			stop()
			return nil
		}
		select {
		case <-woken:
		case <-time.After(proctest.Patience):
			stop()
			return errors.New("nobody woke the waiter")
		}
	}
}

func TestWatchErrors(t *testing.T) {
	over(t, func(t *testing.T, d *notify.Dirs, _ *notify.Probe) {
		dir := t.TempDir()
		lock(t, dir+"/real", "file")
		must(t, os.Symlink("real", dir+"/link"))
		for name, want := range map[string]error{
			"missing": syscall.ENOENT, "missing/below": syscall.ENOENT, "real/file": syscall.ENOTDIR, "link": syscall.ENOTDIR,
		} {
			_, err := d.Watch(filepath.Join(dir, name), func() { t.Error("woken") })
			var perr *fs.PathError
			if !errors.Is(err, want) || !errors.As(err, &perr) || perr.Path != filepath.Join(dir, name) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
	})
}

// TestManyDirectories: nobody hears of another's lock.
func TestManyDirectories(t *testing.T) {
	over(t, func(t *testing.T, d *notify.Dirs, p *notify.Probe) {
		dir := t.TempDir()
		var all []*calls
		for i := range 300 {
			c, _ := watch(t, d, lock(t, fmt.Sprintf("%s/%d", dir, i), "stamp"))
			all = append(all, c)
		}
		for i := 0; i < 300; i += 2 {
			must(t, os.Remove(fmt.Sprintf("%s/%d/stamp", dir, i)))
		}
		for i, c := range all {
			if want := 1 - i%2; want == 1 {
				c.reach(1, fmt.Sprint("woken: ", i))
			} else if c.count() != 0 {
				t.Errorf("%d was woken", i)
			}
		}
	})
}
