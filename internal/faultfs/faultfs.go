// Package faultfs puts a hook before and after every operation of a file system, for tests: to fail one, to delay it, to lose
// its reply, to end the process right there.
package faultfs

import (
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// An Op is one operation about to happen, or that has happened.
type Op struct {
	Call string // "mkdir", "rmdir", "unlink", "opendir", "stat", "touch", "setmtime", "create", "guard", "probe", "list", "read", "chmod", "info", "traits", "clock", "resolve"
	Path string
}

// String is what a trace shows.
func (o Op) String() string { return o.Call + " " + filepath.Base(o.Path) }

// A Hook is called before an operation. If it returns an error, the operation does not happen and fails with that, as a
// [*fs.PathError]. If it returns a function, that is called after the operation with its error, and what it returns is the
// caller's: a reply that was lost, say. A Hook may block, and may end the goroutine.
type Hook func(Op) (after func(error) error, err error)

// New returns inner with the hook before each operation. Close and Mount have no hook.
func New(inner fsys.FS, hook Hook) fsys.FS { return &faulty{inner, hook} }

type faulty struct {
	fsys.FS
	hook Hook
}

// run does one operation between the two halves of the hook.
func run[T any](hook Hook, call, path string, do func() (T, error)) (T, error) {
	after, err := hook(Op{call, path})
	if err != nil {
		var zero T
		return zero, &fs.PathError{Op: call, Path: path, Err: err}
	}
	value, err := do()
	if after != nil {
		err = after(err)
	}
	return value, err
}

func run0(hook Hook, call, path string, do func() error) error {
	_, err := run(hook, call, path, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

func (f *faulty) Resolve(path string) (string, error) {
	return run(f.hook, "resolve", path, func() (string, error) { return f.FS.Resolve(path) })
}

func (f *faulty) Mkdir(path string, mode fs.FileMode) error {
	return run0(f.hook, "mkdir", path, func() error { return f.FS.Mkdir(path, mode) })
}

func (f *faulty) Rmdir(path string) error {
	return run0(f.hook, "rmdir", path, func() error { return f.FS.Rmdir(path) })
}

func (f *faulty) Unlink(path string) error {
	return run0(f.hook, "unlink", path, func() error { return f.FS.Unlink(path) })
}

func (f *faulty) OpenDir(path string) (fsys.Dir, error) {
	return run(f.hook, "opendir", path, func() (fsys.Dir, error) {
		d, err := f.FS.OpenDir(path)
		if err != nil {
			return nil, err
		}
		return &dir{d, path, f.hook}, nil
	})
}

func (f *faulty) Stat(path string) (fsys.Info, error) {
	return run(f.hook, "stat", path, func() (fsys.Info, error) { return f.FS.Stat(path) })
}

func (f *faulty) Touch(path string) error {
	return run0(f.hook, "touch", path, func() error { return f.FS.Touch(path) })
}

func (f *faulty) SetMtime(path string, t time.Time) error {
	return run0(f.hook, "setmtime", path, func() error { return f.FS.SetMtime(path, t) })
}

func (f *faulty) Create(path string, data []byte, mode fs.FileMode) error {
	return run0(f.hook, "create", path, func() error { return f.FS.Create(path, data, mode) })
}

func (f *faulty) Traits(path string) (fsys.Traits, error) {
	return run(f.hook, "traits", path, func() (fsys.Traits, error) { return f.FS.Traits(path) })
}

func (f *faulty) Clock(aux string, t fsys.Traits) (time.Time, error) {
	return run(f.hook, "clock", aux, func() (time.Time, error) { return f.FS.Clock(aux, t) })
}

type dir struct {
	fsys.Dir
	path string
	hook Hook
}

func (d *dir) at(name string) string { return filepath.Join(d.path, name) }

func (d *dir) Create(name string, data []byte, mode fs.FileMode) error {
	return run0(d.hook, "create", d.at(name), func() error { return d.Dir.Create(name, data, mode) })
}

func (d *dir) Guard(name string) (io.Closer, error) {
	return d.lock("guard", name, d.Dir.Guard)
}

func (d *dir) Probe(name string) (io.Closer, error) {
	return d.lock("probe", name, d.Dir.Probe)
}

// lock closes what nobody hears of.
func (d *dir) lock(call, name string, lock func(string) (io.Closer, error)) (io.Closer, error) {
	had, err := run(d.hook, call, d.at(name), func() (io.Closer, error) { return lock(name) })
	if err != nil && had != nil {
		_ = had.Close()
		had = nil
	}
	return had, err
}

func (d *dir) List() ([]fsys.Entry, error) { return run(d.hook, "list", d.path, d.Dir.List) }

func (d *dir) Stat(name string) (fsys.Info, error) {
	return run(d.hook, "stat", d.at(name), func() (fsys.Info, error) { return d.Dir.Stat(name) })
}

func (d *dir) Unlink(name string) error {
	return run0(d.hook, "unlink", d.at(name), func() error { return d.Dir.Unlink(name) })
}

func (d *dir) Read(name string, limit int) ([]byte, error) {
	return run(d.hook, "read", d.at(name), func() ([]byte, error) { return d.Dir.Read(name, limit) })
}

func (d *dir) Grant(mode fs.FileMode) error {
	return run0(d.hook, "chmod", d.path, func() error { return d.Dir.Grant(mode) })
}

func (d *dir) Info() (fsys.Info, error) { return run(d.hook, "info", d.path, d.Dir.Info) }

func (d *dir) Traits() (fsys.Traits, error) { return run(d.hook, "traits", d.path, d.Dir.Traits) }
