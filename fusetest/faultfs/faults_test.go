//go:build linux

package faultfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// deeds provoke each operation, on a directory "d" with a file "f". Each is to be undone by itself or not to matter.
var deeds = map[string]func(point string) error{
	"lookup":  func(p string) error { return unix.Access(p+"/d/f", unix.F_OK) },
	"getattr": func(p string) error { return syscall.Stat(p, &syscall.Stat_t{}) },
	"setattr": func(p string) error { return syscall.Chmod(p+"/d/f", 0o600) },
	"utimens": func(p string) error { return unix.UtimesNanoAt(unix.AT_FDCWD, p+"/d/f", nil, 0) },
	"mkdir":   func(p string) error { return syscall.Mkdir(p+"/new", 0o755) },
	"rmdir":   func(p string) error { return syscall.Rmdir(p + "/empty") },
	"unlink":  func(p string) error { return syscall.Unlink(p + "/d/f") },
	"create":  func(p string) error { return file(p+"/made", unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, nil) },
	"open":    func(p string) error { return file(p+"/d/f", unix.O_RDONLY, nil) },
	"read": func(p string) error {
		return file(p+"/d/f", unix.O_RDONLY, func(fd int) error { _, err := unix.Read(fd, make([]byte, 9)); return err })
	},
	"write": func(p string) error {
		return file(p+"/d/f", unix.O_WRONLY, func(fd int) error { _, err := unix.Write(fd, []byte("new")); return err })
	},
	"flush":   func(p string) error { return file(p+"/d/f", unix.O_RDONLY, nil) },
	"fsync":   func(p string) error { return file(p+"/d/f", unix.O_RDONLY, unix.Fsync) },
	"opendir": func(p string) error { return file(p+"/d", unix.O_RDONLY|unix.O_DIRECTORY, nil) },
	"readdir": func(p string) error {
		return file(p+"/d", unix.O_RDONLY|unix.O_DIRECTORY, func(fd int) error { _, err := unix.Getdents(fd, make([]byte, 999)); return err })
	},
	"statfs":  func(p string) error { return unix.Statfs(p, &unix.Statfs_t{}) },
	"symlink": func(p string) error { return unix.Symlink("d/f", p+"/made") },
	"readlink": func(p string) error {
		if err := unix.Symlink("d/f", p+"/made"); err != nil {
			return err
		}
		_, err := unix.Readlink(p+"/made", make([]byte, 9))
		return err
	},
	"link":   func(p string) error { return unix.Link(p+"/d/f", p+"/made") },
	"rename": func(p string) error { return unix.Rename(p+"/d/f", p+"/made") },
	"mknod":  func(p string) error { return unix.Mkfifo(p+"/made", 0o644) },
}

// file opens, does something, and closes; what failed first is the result.
func file(path string, flags int, do func(fd int) error) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	if do != nil {
		err = do(fd)
	}
	if cerr := unix.Close(fd); err == nil {
		err = cerr
	}
	return err
}

// effects say whether the operation was carried out, as seen behind the mount; where that can be seen.
var effects = map[string]func(dir string) bool{
	"mkdir":   func(d string) bool { return there(d + "/new") },
	"rmdir":   func(d string) bool { return !there(d + "/empty") },
	"unlink":  func(d string) bool { return !there(d + "/d/f") },
	"create":  func(d string) bool { return there(d + "/made") },
	"symlink": func(d string) bool { return there(d + "/made") },
	"link":    func(d string) bool { return there(d+"/made") && there(d+"/d/f") },
	"rename":  func(d string) bool { return there(d+"/made") && !there(d+"/d/f") },
	"mknod":   func(d string) bool { return there(d + "/made") },
	"write":   func(d string) bool { text, _ := os.ReadFile(d + "/d/f"); return strings.HasPrefix(string(text), "new") },
	"setattr": func(d string) bool {
		info, err := os.Stat(d + "/d/f")
		return err == nil && info.Mode().Perm() == 0o600
	},
	"utimens": func(d string) bool {
		info, err := os.Stat(d + "/d/f")
		return err == nil && info.ModTime().Unix() != 1
	},
}

func there(path string) bool { _, err := os.Lstat(path); return err == nil }

// furnish makes what the deeds need.
func furnish(t *testing.T, m *faultfs.Mount) {
	t.Helper()
	if err := errors.Join(os.Mkdir(m.Dir+"/d", 0o755), os.Mkdir(m.Dir+"/empty", 0o755), os.WriteFile(m.Dir+"/d/f", []byte("old"), 0o644),
		os.Chtimes(m.Dir+"/d/f", time.Unix(1, 0), time.Unix(1, 0))); err != nil {
		t.Fatal(err)
	}
}

func TestEachOperationFailsAsItIsTold(t *testing.T) {
	for _, op := range faultfs.Ops {
		for _, how := range []string{"well", "before", "after"} {
			t.Run(op+" "+how, func(t *testing.T) {
				t.Parallel()
				m := mount(t)
				furnish(t, m)
				r := faultfs.Rule{Ops: []string{op}}
				if how != "well" {
					r.Fail, r.After = syscall.EDQUOT, how == "after"
				}
				id, err := m.Add(r)
				if err != nil {
					t.Fatal(err)
				}
				err = deeds[op](m.Point)
				if want := r.Fail; want == 0 && err != nil || want != 0 && err != want {
					t.Errorf("it returned %v, want %v", err, want)
				}
				if n, last, err := m.Fired(id); n == 0 || !strings.HasPrefix(last, op) || err != nil {
					t.Errorf("the rule was met by %d calls, the last %q: %v", n, last, err)
				}
				if done := effects[op]; done != nil && done(m.Dir) != (how != "before") {
					t.Errorf("carried out: %v", done(m.Dir))
				}
			})
		}
	}
}

func TestEachOperationStallsUntilItIsHealed(t *testing.T) {
	for _, op := range faultfs.Ops {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			m := mount(t, faultfs.Rule{Ops: []string{op}, Stall: true})
			furnish(t, m)
			done := make(chan error, 1)
			go func() { done <- deeds[op](m.Point) }()
			for n := 0; n == 0; time.Sleep(time.Millisecond) {
				var err error
				if n, err = m.Stuck(); err != nil {
					t.Fatal(err)
				}
				select {
				case err := <-done:
					t.Fatal("it did not stall:", err)
				default:
				}
			}
			if done := effects[op]; done != nil && done(m.Dir) {
				t.Error("it was carried out before it stalled")
			}
			if err := m.Heal(); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			if done := effects[op]; done != nil && !done(m.Dir) {
				t.Error("it was not carried out")
			}
		})
	}
}

// A mount ends with whatever hangs in it, and the one who hangs gets an error.
func TestCloseEndsWhatHangs(t *testing.T) {
	m := mount(t, faultfs.Rule{Stall: true})
	done := make(chan error, 1)
	go func() { done <- syscall.Mkdir(m.Point+"/d", 0o755) }()
	for n := 0; n == 0; {
		n, _ = m.Stuck()
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	<-done
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || strings.Contains(string(table), filepath.Base(filepath.Dir(m.Point))+"/mnt") {
		t.Error("it is still mounted:", err)
	}
}

func TestSkipTimesPathAndDelay(t *testing.T) {
	m := mount(t)
	r := faultfs.Rule{Ops: []string{"mkdir"}, Path: "b*", Skip: 1, Times: 1, Fail: syscall.EIO, Delay: 50 * time.Millisecond}
	if _, err := m.Add(r); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		want error
	}{{"a1", nil}, {"b1", nil}, {"a2", nil}, {"b2", syscall.EIO}, {"b3", nil}} {
		began := time.Now()
		if err := syscall.Mkdir(filepath.Join(m.Point, c.name), 0o755); err != c.want && !(err == nil && c.want == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if took := time.Since(began); c.want != nil && took < r.Delay {
			t.Errorf("%s: answered after %v", c.name, took)
		}
	}
}
