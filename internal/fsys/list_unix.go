//go:build unix

package fsys

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// buffers are for listings and link texts. 8 KiB hold a lock directory many times over, and /proc's longest link.
var buffers = sync.Pool{New: func() any { return new([8 << 10]byte) }}

func (d *dir) List() ([]Entry, error) {
	if err := d.open("list", ""); err != nil {
		return nil, err
	}
	if !d.asked {
		if _, err := d.Traits(); err != nil {
			return nil, pathError("list", d.path, errors.Unwrap(err))
		}
	}
	fd := d.fd
	if d.listed || d.traits.DeletePending {
		// A new description of the same directory: one that was listed before may show an SMB client's listing of then (seen on Linux
		// 6.1), since this client looks at changes of its own only, and not after a look of its own either. And on SMB a directory is open
		// at the server from its first listing to its close. If a host goes off the network in between, and others remove the directory, its
		// name is not to be had for as long as the server waits for that host: for more than two minutes (measured).
		again, err := retryEINTR(func() (int, error) {
			return unix.Openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		})
		if err != nil {
			return nil, pathError("list", d.path, err)
		}
		defer unix.Close(again)
		fd = again
	}
	if d.listed {
		// The forced look makes an NFS client drop a listing that the server's has outgrown, as opening the directory by its path does.
		if _, err := d.Info(); err != nil {
			return nil, err
		}
	} else if _, err := unix.Seek(fd, 0, io.SeekStart); err != nil {
		// Btrfs lists what there was when the directory was opened, or when it was last sought in (Linux 6.6 and later): without
		// this one's own stamp is not there.
		return nil, pathError("list", d.path, err)
	}
	d.listed = true
	buf := buffers.Get().(*[8 << 10]byte)
	defer buffers.Put(buf)
	var list []Entry
	for {
		// A short answer is not the last one; only an empty one is.
		n, err := retryEINTR(func() (int, error) { return getdents(fd, buf[:]) })
		if err == nil && n > 0 {
			list, err = appendEntries(list, buf[:n])
		}
		if err != nil {
			return nil, pathError("list", d.path, err)
		}
		if n <= 0 {
			return list, nil
		}
	}
}

// appendEntries parses what the system wrote. A record that does not add up makes the listing fail, since a listing that
// lacks a name is worse than none.
func appendEntries(list []Entry, buf []byte) ([]Entry, error) {
	const (
		reclenAt = int(unsafe.Offsetof(unix.Dirent{}.Reclen))
		typeAt   = int(unsafe.Offsetof(unix.Dirent{}.Type))
		nameAt   = int(unsafe.Offsetof(unix.Dirent{}.Name))
	)
	for len(buf) > 0 {
		if len(buf) < nameAt {
			return nil, unix.EIO
		}
		reclen := int(binary.NativeEndian.Uint16(buf[reclenAt:]))
		if reclen <= nameAt || reclen > len(buf) {
			return nil, unix.EIO
		}
		rec := buf[:reclen]
		buf = buf[reclen:]
		if isHole(rec) {
			continue
		}
		name := rec[nameAt:]
		if i := bytes.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		if string(name) == "." || string(name) == ".." {
			continue
		}
		list = append(list, Entry{Name: string(name), Kind: kindOfDirent(rec[typeAt])})
	}
	return list, nil
}

func kindOfDirent(t byte) Kind {
	switch t {
	case unix.DT_UNKNOWN:
		return KindUnknown
	case unix.DT_REG:
		return KindRegular
	case unix.DT_DIR:
		return KindDir
	case unix.DT_LNK:
		return KindSymlink
	default:
		return KindOther
	}
}
