package memfs_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// A scene has two hosts that mount one server in one way, in a bubble of fake time.
type scene struct {
	*testing.T
	mount
	s    *memfs.Server
	a, b *memfs.Client
}

// play has f on each of the mounts.
func play(t *testing.T, mounts []mount, f func(*scene)) {
	t.Helper()
	for _, m := range mounts {
		t.Run(m.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memfs.NewServer()
				f(&scene{t, m, s, m.on(s, "a"), m.on(s, "b")})
			})
		})
	}
}

// by is what a table says of the scene's mount; the zero value of what is not named.
func by[T any](s *scene, of map[string]T) T { return of[s.name] }

func (s *scene) must(errs ...error) {
	s.Helper()
	for _, err := range errs {
		if err != nil {
			s.Fatal(err)
		}
	}
}

// says checks a call's outcome: 0 is success.
func (s *scene) says(what string, err error, want syscall.Errno) {
	s.Helper()
	got, _ := errors.AsType[syscall.Errno](err)
	if got != want || (err == nil) != (want == 0) {
		s.Errorf("%s: %v, want %v", what, err, want)
	}
}

// saysOf is says of the only error among what a call returns.
func (s *scene) saysOf(what string, want syscall.Errno) func(_ fsys.Info, err error) {
	return func(_ fsys.Info, err error) {
		s.Helper()
		s.says(what, err, want)
	}
}

func (s *scene) open(c *memfs.Client, p string) fsys.Dir {
	s.Helper()
	d, err := c.OpenDir(p)
	s.must(err)
	s.Cleanup(func() { d.Close() })
	return d
}

func (s *scene) lists(what string, d fsys.Dir, want ...string) {
	s.Helper()
	list, err := d.List()
	s.must(err)
	var got []string
	for _, e := range list {
		got = append(got, e.Name)
	}
	if !slices.Equal(got, want) {
		s.Errorf("%s: lists %q, want %q", what, got, want)
	}
}

func (s *scene) stat(c *memfs.Client, p string) fsys.Info {
	s.Helper()
	i, err := c.Stat(p)
	s.must(err)
	return i
}

// file makes a file that the host knows, then, as one that it made.
func (s *scene) file(c *memfs.Client, p string) {
	s.Helper()
	s.must(c.Create(p, nil, 0o644))
}

// hold opens a file as a backup does. What it returns closes it.
func (s *scene) hold(c *memfs.Client, p string) (release func()) {
	s.Helper()
	f, err := c.Open(p)
	s.must(err)
	return func() {
		s.Helper()
		s.must(f.Close())
	}
}

const (
	second      = time.Second
	moment      = time.Millisecond
	lock, stamp = "/lock", "/lock/stamp"
)

var remote = []mount{nfs3, nfs4, smb, zero}

func (s *scene) hosts() []*memfs.Client { return []*memfs.Client{s.a, s.b} }

// sameNodes reports whether nothing has changed between two snapshots.
func sameNodes(a, b []memfs.Node) bool { return slices.Equal(a, b) }
