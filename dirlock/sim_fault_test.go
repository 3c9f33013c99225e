package dirlock

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A fault is what happens at one call.
type fault = faultfs.Hook

// fail is a call that has no effect.
func fail(err error) fault { return func(faultfs.Op) (func(error) error, error) { return nil, err } }

// unheard is a call that has its effect, and answers something else.
func unheard(err error) fault {
	return func(op faultfs.Op) (func(error) error, error) {
		return func(error) error { return &fs.PathError{Op: op.Call, Path: op.Path, Err: err} }, nil
	}
}

// slow is a call that takes its time, before its effect and after it.
func slow(before, after time.Duration) fault {
	return func(faultfs.Op) (func(error) error, error) {
		time.Sleep(before)
		return func(err error) error { time.Sleep(after); return err }, nil
	}
}

// then does something before the call.
func then(f func()) fault {
	return func(faultfs.Op) (func(error) error, error) { f(); return nil, nil }
}

// afterwards does something once the call has had its effect.
func afterwards(f func()) fault {
	return func(faultfs.Op) (func(error) error, error) {
		return func(err error) error { f(); return err }, nil
	}
}

// every does f at each call that begins with what ("unlink dirlock-1", "mkdir"; "" is any).
func every(what string, f fault) fault {
	return func(op faultfs.Op) (func(error) error, error) {
		if strings.HasPrefix(op.String(), what) {
			return f(op)
		}
		return nil, nil
	}
}

// first does f at the first n calls that begin with what.
func first(n int, what string, f fault) fault {
	var mu sync.Mutex
	return every(what, func(op faultfs.Op) (func(error) error, error) {
		mu.Lock()
		n--
		hit := n >= 0
		mu.Unlock()
		if hit {
			return f(op)
		}
		return nil, nil
	})
}

// all does the first of the faults that has something to do.
func all(faults ...fault) fault {
	return func(op faultfs.Op) (func(error) error, error) {
		for _, f := range faults {
			if after, err := f(op); after != nil || err != nil {
				return after, err
			}
		}
		return nil, nil
	}
}

// lands is a create that answers err and comes to pass d later, in whatever directory is there then.
func (s *sim) lands(d time.Duration, err syscall.Errno) fault {
	return func(op faultfs.Op) (func(error) error, error) {
		time.AfterFunc(d, func() {
			c := s.server.Local()
			_ = c.Mkdir(path.Dir(op.Path), 0o755)
			s.must(c.Create(op.Path, nil, 0o644))
		})
		return nil, err
	}
}

// lies are what the file system says that is not so.
type lies struct {
	mu   sync.Mutex
	list func(dir string, list []fsys.Entry) []fsys.Entry
	open []io.Closer // what the kernel closes when the process ends,
	heir bool        // unless a child of its own has it
	stat func(path string, info fsys.Info) fsys.Info
}

func (l *lies) onList(f func(dir string, list []fsys.Entry) []fsys.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = f
}

func (l *lies) onStat(f func(path string, info fsys.Info) fsys.Info) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stat = f
}

func (l *lies) told(p string, info fsys.Info, err error) (fsys.Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stat != nil && err == nil {
		info = l.stat(p, info)
	}
	return info, err
}

func (l *lies) opened(c io.Closer, err error) (io.Closer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.open = append(l.open, c)
	}
	return c, err
}

func (l *lies) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.open {
		if l.heir {
			break
		}
		_ = c.Close() // again, most of them
	}
	l.open = nil
}

// lying tells them.
type lying struct {
	fsys.FS
	lies *lies
}

func (f lying) Stat(p string) (fsys.Info, error) {
	info, err := f.FS.Stat(p)
	return f.lies.told(p, info, err)
}

func (f lying) OpenDir(p string) (fsys.Dir, error) {
	d, err := f.FS.OpenDir(p)
	if err != nil {
		return nil, err
	}
	return lyingDir{d, p, f.lies}, nil
}

type lyingDir struct {
	fsys.Dir
	path string
	lies *lies
}

func (d lyingDir) Stat(name string) (fsys.Info, error) {
	info, err := d.Dir.Stat(name)
	return d.lies.told(path.Join(d.path, name), info, err)
}

func (d lyingDir) Info() (fsys.Info, error) {
	info, err := d.Dir.Info()
	return d.lies.told(d.path, info, err)
}

func (d lyingDir) Guard(name string) (io.Closer, error) { return d.lies.opened(d.Dir.Guard(name)) }

func (d lyingDir) Probe(name string) (io.Closer, error) { return d.lies.opened(d.Dir.Probe(name)) }

func (d lyingDir) List() ([]fsys.Entry, error) {
	list, err := d.Dir.List()
	d.lies.mu.Lock()
	defer d.lies.mu.Unlock()
	if d.lies.list != nil && err == nil {
		list = d.lies.list(d.path, list)
	}
	return list, err
}
