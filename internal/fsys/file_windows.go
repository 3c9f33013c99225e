package fsys

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

func (osFS) Create(path string, data []byte, _ fs.FileMode) error {
	p, err := native(path)
	if err != nil {
		return pathError("create", path, err)
	}
	h, err := windows.CreateFile(p, windows.GENERIC_WRITE, anybody, nil, windows.CREATE_NEW,
		windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return pathError("create", path, err)
	}
	op := "write"
	for len(data) > 0 && err == nil {
		var n uint32
		if err = windows.WriteFile(h, data, &n, nil); err == nil && n == 0 {
			err = windows.ERROR_WRITE_FAULT
		}
		data = data[n:]
	}
	if cerr := windows.CloseHandle(h); err == nil {
		op, err = "close", cerr
	}
	if err != nil {
		return AfterCreate(pathError(op, path, err))
	}
	return nil
}

func (d *dir) Read(name string, max int) ([]byte, error) {
	if err := d.open("read", name); err != nil {
		return nil, err
	}
	path := d.join(name)
	data, err := readFile(path, max)
	if err != nil {
		return data, pathError("read", path, err)
	}
	return data, nil
}

func readFile(path string, max int) ([]byte, error) {
	h, err := open(path, windows.GENERIC_READ)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(h)
	if kind, err := windows.GetFileType(h); err != nil {
		return nil, err
	} else if kind != windows.FILE_TYPE_DISK {
		return nil, ErrNotRegular
	}
	i, err := statHandle(h)
	if err != nil {
		return nil, err
	}
	if i.Kind != KindRegular {
		return nil, ErrNotRegular
	}
	buf := make([]byte, 0, 1+min(int64(max), i.Size)) // the size is a hint only
	for {
		var n uint32
		if err := windows.ReadFile(h, buf[len(buf):cap(buf)], &n, nil); err != nil && err != windows.ERROR_HANDLE_EOF {
			return nil, err
		}
		if n == 0 {
			return buf, nil
		}
		if buf = buf[:len(buf)+int(n)]; len(buf) > max {
			return buf[:max], ErrTooLong
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}
