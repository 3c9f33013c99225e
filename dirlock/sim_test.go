package dirlock

import (
	"context"
	"fmt"
	"path"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// A sim is a few processes on a few hosts that share a directory, in a bubble of fake time. The protocol is the one that
// ships; the file system, the clocks and the kernels' answers are made up.
type sim struct {
	t      *testing.T
	ctx    context.Context // ends with the bubble
	server *memfs.Server

	mu      sync.Mutex
	inside  []holding       // who is in the critical section: the judge of "two holders"
	created map[string]bool // stamps that somebody made or tried to: no uuid is used twice
	pids    int
	kernels map[simKey]*simProc
}

const simPath = "/lock"

// bubble runs f in a bubble of fake time. A goroutine that does not come to its end fails the test.
func bubble(t *testing.T, f func(*testing.T, *sim)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer func() { // those who wait for a process that is dead, and what is still being chased, come to their end
			cancel()
			time.Sleep(2 * strayFor)
		}()
		f(t, &sim{t: t, ctx: ctx, server: memfs.NewServer(), created: map[string]bool{}, kernels: map[simKey]*simProc{}})
	})
}

// names lists what is in the lock directory.
func (s *sim) names() []string { return s.namesIn(simPath) }

func (s *sim) namesIn(dir string) []string {
	d, err := s.server.Local().OpenDir(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.List()
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

// nothingLeft fails the test if anything is left of the lock.
func (s *sim) nothingLeft() {
	s.t.Helper()
	for _, p := range []string{simPath, simPath + auxSuffix} {
		if s.there(p) {
			s.t.Errorf("left behind: %s %q", p, s.namesIn(p))
		}
	}
}

// there reports whether something stands at the path.
func (s *sim) there(p string) bool {
	_, err := s.server.Local().Stat(p)
	return !fsys.Is(err, fsys.NotExist)
}

// must ends the test if a step of the scene failed.
func (s *sim) must(errs ...error) {
	s.t.Helper()
	for _, err := range errs {
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// mkdir makes the lock directory, as a script does or a process that died at once.
func (s *sim) mkdir() {
	s.t.Helper()
	s.must(s.server.Local().Mkdir(simPath, 0o755))
}

// put lays files into the lock directory.
func (s *sim) put(names ...string) {
	s.t.Helper()
	for _, name := range names {
		s.must(s.server.Local().Create(path.Join(simPath, name), []byte("junk"), 0o644))
	}
}

func simStamp(l *Lock) string { return path.Join(simPath, l.Stamp().Name()) }

// tree lists all that the server has below a directory, with kinds and times.
func (s *sim) tree(dir string) (all []string) {
	c := s.server.Local()
	d, err := c.OpenDir(dir)
	if err != nil {
		return nil
	}
	list, _ := d.List()
	for _, e := range list {
		p := path.Join(dir, e.Name)
		info, _ := c.Stat(p)
		all = append(all, fmt.Sprint(p, " ", info.Kind, " ", info.Mode, " ", info.Mtime.Format(time.RFC3339Nano)))
		if e.Kind == fsys.KindDir {
			all = append(all, s.tree(p)...)
		}
	}
	return all
}

func second[T, U any](_ T, u U) U { return u }
