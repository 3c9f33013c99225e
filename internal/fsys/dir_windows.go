package fsys

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

// dir is an open directory: a handle for what concerns the directory itself, and its path for what is in it.
type dir struct {
	h      windows.Handle
	path   string
	listed bool
}

func (osFS) OpenDir(path string) (Dir, error) {
	h, err := open(path, windows.FILE_LIST_DIRECTORY|windows.FILE_READ_ATTRIBUTES)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	i, err := statHandle(h)
	if err == nil && i.Kind != KindDir {
		err = windows.ERROR_DIRECTORY
	}
	if err != nil {
		windows.CloseHandle(h)
		return nil, pathError("open", path, err)
	}
	return &dir{h: h, path: path}, nil
}

func (d *dir) Close() error {
	if err := d.open("close", ""); err != nil {
		return err
	}
	h := d.h
	d.h = windows.InvalidHandle
	if err := windows.CloseHandle(h); err != nil {
		return pathError("close", d.path, err)
	}
	return nil
}

func (d *dir) open(op, name string) error {
	if d.h == windows.InvalidHandle {
		return pathError(op, d.join(name), fs.ErrClosed)
	}
	return nil
}

func (d *dir) join(name string) string {
	if name == "" {
		return d.path
	}
	return d.path + `\` + name
}

func (d *dir) Create(name string, data []byte, mode fs.FileMode) error {
	if err := d.open("create", name); err != nil {
		return err
	}
	return osFS{}.Create(d.join(name), data, mode)
}

func (d *dir) Stat(name string) (Info, error) {
	if err := d.open("stat", name); err != nil {
		return Info{}, err
	}
	return osFS{}.Stat(d.join(name))
}

func (d *dir) Unlink(name string) error {
	if err := d.open("unlink", name); err != nil {
		return err
	}
	return osFS{}.Unlink(d.join(name))
}

func (d *dir) Info() (Info, error) {
	if err := d.open("stat", ""); err != nil {
		return Info{}, err
	}
	i, err := statHandle(d.h)
	if err != nil {
		return Info{}, pathError("stat", d.path, err)
	}
	return i, nil
}

// Grant has nothing to do: who may use a directory follows from its parent's access list.
func (d *dir) Grant(fs.FileMode) error { return d.open("chmod", "") }

func (d *dir) Traits() (Traits, error) {
	if err := d.open("statfs", ""); err != nil {
		return Traits{}, err
	}
	return osFS{}.Traits(d.path)
}
