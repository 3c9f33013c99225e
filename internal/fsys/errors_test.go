package fsys_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

func TestClasses(t *testing.T) {
	for errno, want := range map[syscall.Errno]fsys.Class{
		syscall.ENOENT: fsys.NotExist, syscall.EEXIST: fsys.Exist, syscall.ENOTEMPTY: fsys.NotEmpty, syscall.ESTALE: fsys.Stale,
		syscall.ELOOP: fsys.NotDir, syscall.EACCES: fsys.Access, syscall.EPERM: fsys.Access,
		syscall.EBUSY: fsys.Busy, syscall.EAGAIN: fsys.Busy, syscall.EROFS: fsys.ReadOnlyFS, syscall.ENOSPC: fsys.NoSpace, syscall.EDQUOT: fsys.NoSpace,
		syscall.EMFILE: fsys.TooManyFiles, syscall.ENFILE: fsys.TooManyFiles, syscall.ENAMETOOLONG: fsys.NameTooLong,
		syscall.EINTR: fsys.Interrupted, syscall.EIO: 0, syscall.EINVAL: 0, syscall.ENOSYS: 0,
	} {
		for _, err := range []error{
			errno,
			&fs.PathError{Op: "op", Path: "path", Err: errno},
			fmt.Errorf("dirlock: in short: %w", fsys.AfterCreate(&fs.PathError{Op: "op", Path: "path", Err: errno})),
		} {
			for c := fsys.Class(0); c <= fsys.Interrupted+1; c++ {
				if got := fsys.Is(err, c); got != (c == want && c != 0) {
					t.Errorf("Is(%v, %d) is %v; it is of class %d", err, c, got, want)
				}
			}
		}
	}
	for _, err := range []error{nil, errors.New("other"), fs.ErrExist, fsys.ErrTooLong} {
		for c := fsys.Class(0); c <= fsys.Interrupted; c++ {
			if fsys.Is(err, c) {
				t.Errorf("Is(%v, %d)", err, c)
			}
		}
	}
}

func TestCreated(t *testing.T) {
	err := error(&fs.PathError{Op: "close", Path: "path", Err: syscall.EDQUOT})
	if fsys.Created(err) || fsys.Created(nil) || fsys.AfterCreate(nil) != nil {
		t.Error("nothing says that a file was made")
	}
	after := fsys.AfterCreate(err)
	if !fsys.Created(after) || !fsys.Created(fmt.Errorf("more: %w", after)) || !errors.Is(after, syscall.EDQUOT) || after.Error() != err.Error() {
		t.Errorf("%v", after)
	}
}

func TestInheritMode(t *testing.T) {
	for parent, want := range map[fs.FileMode]fs.FileMode{
		0o755: 0o755, 0o700: 0o700, 0o775 | fs.ModeSetgid: 0o775 | fs.ModeSetgid, 0o070: 0o770, 0o777: 0o777,
		0o777 | fs.ModeSticky: 0o755, 0o775 | fs.ModeSticky | fs.ModeSetgid: 0o755 | fs.ModeSetgid, 0o4711 & 0o777: 0o711,
	} {
		if got := fsys.InheritMode(fsys.Info{Kind: fsys.KindDir, Mode: parent}); got != want {
			t.Errorf("under %v: %v, want %v", parent, got, want)
		}
	}
}
