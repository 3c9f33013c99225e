package proptest

import (
	"io/fs"
	"path"
	"slices"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// A call is one operation of a process on the file system, between its being sent and its being answered. Its effect is
// had by the scheduler, so that all effects are in one order.
type call struct {
	p    *Proc
	op   string
	path string
	do   func() error // the effect
	done chan error   // the answer

	due    time.Time // when it has been under way for long enough to go on by itself
	held   bool      // waits until it is let go
	acted  bool      // the effect was had, and the answer waits
	answer error     // that
}

func (c *call) String() string { return c.op + " " + path.Base(c.path) }

// send hands a call to the scheduler and waits for its answer. Those of a process that has ended have no effect.
func (p *Proc) send(op, at string, do func() error) error {
	w := p.w
	if w.direct {
		return do()
	}
	w.mu.Lock()
	if p.dead {
		w.mu.Unlock()
		return &fs.PathError{Op: op, Path: at, Err: syscall.EIO}
	}
	c := &call{p: p, op: op, path: at, do: do, done: make(chan error, 1)}
	w.arrived = append(w.arrived, c)
	w.mu.Unlock()
	w.stir()
	return <-c.done
}

func send[T any](p *Proc, op, at string, do func() (T, error)) (T, error) {
	var value T
	err := p.send(op, at, func() (err error) {
		value, err = do()
		return err
	})
	return value, err
}

// gate is the file system as a process has it. What a call asks of nobody but its own kernel (where a path leads, what
// kind of mount it is) is no step of the schedule.
type gate struct {
	p     *Proc
	inner *memfs.Client
}

var _ fsys.FS = gate{}

const umask = 0o022

func (g gate) Resolve(at string) (string, error) { return g.inner.Resolve(at) }
func (g gate) Mount(at string) string            { return g.inner.Mount(at) }
func (g gate) Mounts() uint64                    { return 0 }
func (g gate) Near(string) (string, bool, bool)  { return "", false, false }

func (g gate) Mkdir(at string, mode fs.FileMode) error {
	return g.p.send("mkdir", at, func() error { return g.inner.Mkdir(at, mode&^umask) })
}

func (g gate) Rmdir(at string) error {
	return g.p.send("rmdir", at, func() error { return g.inner.Rmdir(at) })
}

func (g gate) Unlink(at string) error {
	return g.p.send("unlink", at, func() error { return g.inner.Unlink(at) })
}

func (g gate) OpenDir(at string) (fsys.Dir, error) {
	d, err := send(g.p, "opendir", at, func() (fsys.Dir, error) { return g.inner.OpenDir(at) })
	if err != nil {
		return nil, err
	}
	return gateDir{d, g.p, at}, nil
}

func (g gate) Stat(at string) (fsys.Info, error) {
	return send(g.p, "stat", at, func() (fsys.Info, error) { return g.inner.Stat(at) })
}

func (g gate) Touch(at string) error {
	date := g.inner.Date()
	return g.p.send("touch", at, func() error { return g.inner.TouchDated(at, date) })
}

func (g gate) SetMtime(at string, t time.Time) error {
	return g.p.send("setmtime", at, func() error { return g.inner.SetMtime(at, t) })
}

func (g gate) Create(at string, data []byte, mode fs.FileMode) error {
	return g.p.send("create", at, func() error { return g.inner.Create(at, data, mode) })
}

func (g gate) Traits(at string) (fsys.Traits, error) {
	return g.p.traits(at, func() (fsys.Traits, error) { return g.inner.Traits(at) })
}

func (g gate) Clock(aux string, t fsys.Traits) (time.Time, error) {
	if t.Local {
		return g.inner.Clock(aux, t)
	}
	return fsys.ProbeClockAs(g, aux, g.p.probe)
}

// gateDir is an open directory.
type gateDir struct {
	inner fsys.Dir
	p     *Proc
	path  string
}

func (d gateDir) at(name string) string { return d.path + "/" + name }

func (d gateDir) Create(name string, data []byte, mode fs.FileMode) error {
	return d.p.send("create", d.at(name), func() error { return d.inner.Create(name, data, mode) })
}

func (d gateDir) List() ([]fsys.Entry, error) {
	return send(d.p, "list", d.path, func() ([]fsys.Entry, error) {
		list, err := d.inner.List()
		if d.path == lockPath {
			list = d.p.lists(list)
		}
		return list, err
	})
}

// lists takes in what a process sees of the lock directory.
func (p *Proc) lists(list []fsys.Entry) []fsys.Entry {
	j := &p.w.judge
	if p.blind {
		p.blind = false
		list = slices.DeleteFunc(list, func(e fsys.Entry) bool { r := j.stamps[e.Name]; return r != nil && r.owner == p })
	}
	p.sawJunk = slices.ContainsFunc(list, func(e fsys.Entry) bool { return j.foreign[lockPath+"/"+e.Name] != "" })
	return list
}

func (d gateDir) Stat(name string) (fsys.Info, error) {
	return send(d.p, "stat", d.at(name), func() (fsys.Info, error) { return d.inner.Stat(name) })
}

func (d gateDir) Unlink(name string) error {
	return d.p.send("unlink", d.at(name), func() error { return d.inner.Unlink(name) })
}

func (d gateDir) Read(name string, limit int) ([]byte, error) {
	return send(d.p, "read", d.at(name), func() ([]byte, error) { return d.inner.Read(name, limit) })
}

func (d gateDir) Grant(mode fs.FileMode) error {
	return d.p.send("chmod", d.path, func() error { return d.inner.Grant(mode) })
}

func (d gateDir) Info() (fsys.Info, error) { return send(d.p, "info", d.path, d.inner.Info) }

func (d gateDir) Traits() (fsys.Traits, error) { return d.p.traits(d.path, d.inner.Traits) }

func (d gateDir) Close() error { return d.inner.Close() }
