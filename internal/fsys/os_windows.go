package fsys

import (
	"io/fs"
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/sys/windows"
)

// osFS is the real file system.
type osFS struct{}

// OS returns the real file system. It has no state of its own and costs nothing to ask for again.
//
// # Windows
//
// Modes say no more than whether files may be written, and Grant does nothing. Touch carries this host's clock, so Traits
// says ClockClient. An open directory is held by a handle, but its entries are reached by its path: one that was
// removed and made anew meanwhile is taken for the old one, which can happen only where a directory with open handles can be
// removed at once.
func OS() FS { return osFS{} }

// anybody is how everything is opened: in nobody's way, not even of a removal.
const anybody = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// itself opens directories, too, and links instead of what they lead to.
const itself = windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OPEN_REPARSE_POINT

func open(path string, access uint32) (windows.Handle, error) {
	p, err := native(path)
	if err != nil {
		return 0, err
	}
	return windows.CreateFile(p, access, anybody, nil, windows.OPEN_EXISTING, itself, 0)
}

// nameMax is the longest file name, in UTF-16 units, on all of the system's file systems.
const nameMax = 255

// native is path as the system wants it. A stamp's name alone may be 200 bytes long, and paths of more than 259 are refused
// unless they are marked as meant literally.
func native(path string) (*uint16, error) {
	if last := path[strings.LastIndexAny(path, separators)+1:]; len(last) > nameMax && len(utf16.Encode([]rune(last))) > nameMax {
		return nil, windows.ERROR_FILENAME_EXCED_RANGE // for which the system has several names, "not found" among them
	}
	if len(path) >= 240 && !strings.HasPrefix(path, `\\?\`) && !strings.HasPrefix(path, `\\.\`) {
		full, err := windows.FullPath(path) // also turns every slash
		if err != nil {
			return nil, err
		}
		if rest, unc := strings.CutPrefix(full, `\\`); unc {
			path = `\\?\UNC\` + rest
		} else {
			path = `\\?\` + full
		}
	}
	return windows.UTF16PtrFromString(path)
}

func (osFS) Mkdir(path string, _ fs.FileMode) error {
	p, err := native(path)
	if err == nil {
		err = windows.CreateDirectory(p, nil)
	}
	if err != nil {
		return pathError("mkdir", path, err)
	}
	return nil
}

func (osFS) Rmdir(path string) error {
	p, err := native(path)
	if err == nil {
		err = removable(p)
	}
	if err == nil {
		err = windows.RemoveDirectory(p)
	}
	if err != nil {
		return pathError("rmdir", path, err)
	}
	return nil
}

// removable refuses links, which RemoveDirectory would remove as though they were directories.
func removable(p *uint16) error {
	attr, err := windows.GetFileAttributes(p)
	if err == nil && attr&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0 {
		return windows.ERROR_DIRECTORY
	}
	return err
}

func (osFS) Unlink(path string) error {
	p, err := native(path)
	if err == nil {
		err = windows.DeleteFile(p)
	}
	if err != nil {
		return pathError("unlink", path, err)
	}
	return nil
}

func (osFS) Touch(path string) error {
	var now windows.Filetime
	windows.GetSystemTimePreciseAsFileTime(&now)
	if err := setTimes(path, now); err != nil {
		return pathError("touch", path, err)
	}
	return nil
}

func (osFS) SetMtime(path string, t time.Time) error {
	if err := setTimes(path, windows.NsecToFiletime(t.UnixNano())); err != nil {
		return pathError("setmtime", path, err)
	}
	return nil
}

func setTimes(path string, t windows.Filetime) error {
	h, err := open(path, windows.FILE_WRITE_ATTRIBUTES)
	if err != nil {
		return err
	}
	err = windows.SetFileTime(h, nil, &t, &t)
	if cerr := windows.CloseHandle(h); err == nil {
		err = cerr
	}
	return err
}
