// Package fsystest is one conformance suite for all implementations of [fsys.FS]: what the lock protocol takes for granted,
// tried. An implementation that passes it on a mount is one that the protocol can be run on there.
package fsystest

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// Options says what the suite may use beside the interface. The zero value leaves out what needs it.
type Options struct {
	Symlink  func(target, path string) error // makes a symbolic link; nil: none can be had
	Fifo     func(path string) error         // makes a FIFO; nil: none can be had
	ReadOnly string                          // a directory on a read-only mount; "": none
	Advance  func()                          // lets the file system's clock advance by 5 ms or more; nil: a sleep
	ByPath   bool                            // an open directory is known by its path only (Windows)
	NoModes  bool                            // it has no permissions of its own to be set (SMB without the server's POSIX extensions)
	SFTP     bool                            // the server is told paths and tells few errors (sshfs): who touches a link touches what it leads to, and a name that is too long is any error
	InMemory bool                            // it has neither links nor mounts: what is about those is not tried
}

type suite struct {
	f    fsys.FS
	root string
	opt  Options
	n    atomic.Int64
}

// Run tries f in dir, an existing directory that is f's own meanwhile, and leaves it as it was unless a test fails.
func Run(t *testing.T, f fsys.FS, dir string, opt Options) {
	s := &suite{f: f, root: dir, opt: opt}
	if s.opt.Advance == nil {
		s.opt.Advance = func() { time.Sleep(5 * time.Millisecond) }
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, *suite)
	}{
		{"Mkdir", testMkdir}, {"Rmdir", testRmdir}, {"Unlink", testUnlink}, {"Create", testCreate},
		{"OpenDir", testOpenDir}, {"Closed", testClosed}, {"List", testList}, {"ListLong", testListLong},
		{"Stat", testStat}, {"Grant", testGrant}, {"Read", testRead}, {"NotRegular", testNotRegular}, {"Guards", testGuards},
		{"Symlink", testSymlink}, {"RemovedDir", testRemovedDir}, {"ReplacedDir", testReplacedDir},
		{"Names", testNames}, {"ReadOnly", testReadOnly}, {"Resolve", testResolve}, {"Traits", testTraits},
		{"Touch", testTouch}, {"SetMtime", testSetMtime}, {"Clock", testClock}, {"Sweep", testSweep},
		{"RaceMkdir", testRaceMkdir}, {"RaceCreate", testRaceCreate}, {"RaceListing", testRaceListing},
	} {
		if opt.InMemory && (test.name == "Symlink" || test.name == "ReadOnly") {
			continue
		}
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
}

// path returns one that nothing has the name of yet.
func (s *suite) path() string { return fmt.Sprintf("%s%ct%d", s.root, sep, s.n.Add(1)) }

var sep = func() rune {
	if runtime.GOOS == "windows" {
		return '\\'
	}
	return '/'
}()

func join(dir, name string) string { return dir + string(sep) + name }

// dir makes a directory that is removed with the files that are in it by then.
func (s *suite) dir(t *testing.T) string {
	t.Helper()
	p := s.path()
	ok(t, s.f.Mkdir(p, 0o755))
	t.Cleanup(func() { s.remove(t, p) })
	return p
}

func (s *suite) remove(t *testing.T, p string) {
	if d, err := s.f.OpenDir(p); err == nil {
		list, _ := d.List()
		for _, e := range list {
			if d.Unlink(e.Name) != nil {
				s.remove(t, join(p, e.Name))
			}
		}
		d.Close()
	}
	if err := s.f.Rmdir(p); err != nil && !fsys.Is(err, fsys.NotExist) {
		t.Errorf("left behind: %v", err)
	}
}

func (s *suite) open(t *testing.T, p string) fsys.Dir {
	t.Helper()
	d, err := s.f.OpenDir(p)
	ok(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func (s *suite) file(t *testing.T, p, content string) {
	t.Helper()
	ok(t, s.f.Create(p, []byte(content), 0o644))
}

func (s *suite) stat(t *testing.T, p string) fsys.Info {
	t.Helper()
	i, err := s.f.Stat(p)
	ok(t, err)
	return i
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fails checks that err is a PathError about path, of one of the classes and of none else.
func fails(t *testing.T, err error, path string, want ...fsys.Class) {
	t.Helper()
	pe, isPathError := errors.AsType[*fs.PathError](err)
	switch {
	case err == nil:
		t.Fatalf("%s: no error, want class %v", path, want)
	case !isPathError:
		t.Fatalf("%T is no *fs.PathError: %v", err, err)
	case pe.Path != path || pe.Op == "":
		t.Errorf("error is about %q %q, want %q", pe.Op, pe.Path, path)
	}
	var got []fsys.Class
	for c := fsys.NotExist; c <= fsys.Interrupted; c++ {
		if fsys.Is(err, c) {
			got = append(got, c)
		}
	}
	for _, c := range want {
		if len(got) == 1 && got[0] == c {
			return
		}
	}
	t.Fatalf("%v: classes %v, want one of %v", err, got, want)
}

// underFile is what a path below a file fails with; Windows does not tell it from a missing directory.
func underFile() []fsys.Class {
	if runtime.GOOS == "windows" {
		return []fsys.Class{fsys.NotDir, fsys.NotExist}
	}
	return []fsys.Class{fsys.NotDir}
}

// gone is what is said of what was removed.
var gone = []fsys.Class{fsys.NotExist, fsys.Stale}
