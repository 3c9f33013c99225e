package fsys

import (
	"errors"
	"io/fs"
	"syscall"
)

// ErrTooLong is what Read returns for a file that is longer than the caller's limit.
var ErrTooLong = errors.New("fsys: file is longer than the limit")

// ErrNotRegular is what Read returns for anything but a regular file.
var ErrNotRegular = errors.New("fsys: not a regular file")

// Class is a kind of failure that the protocol tells apart. Which error numbers belong to it depends on the system.
type Class uint8

// The classes, with their error numbers on Unix systems.
const (
	NotExist     Class = iota + 1 // ENOENT
	Exist                         // EEXIST; never ENOTEMPTY, which errors.Is(err, fs.ErrExist) lumps in
	NotEmpty                      // ENOTEMPTY
	Stale                         // ESTALE
	NotDir                        // ENOTDIR, ELOOP, and what BSD systems say of a link opened with O_NOFOLLOW
	Access                        // EACCES, EPERM
	Busy                          // EBUSY, ETXTBSY, EAGAIN; a sharing violation
	ReadOnlyFS                    // EROFS
	NoSpace                       // ENOSPC, EDQUOT
	TooManyFiles                  // EMFILE, ENFILE
	NameTooLong                   // ENAMETOOLONG
	Interrupted                   // EINTR
)

// Is reports whether err carries an error number of the class. A class holds what the protocol treats alike, so the same
// error is of one class at most.
func Is(err error, c Class) bool {
	errno, ok := errors.AsType[syscall.Errno](err)
	return ok && c != 0 && classOf(errno) == c
}

// createdError marks a failure that came after the file had been made.
type createdError struct{ err error }

func (e *createdError) Error() string { return e.err.Error() }
func (e *createdError) Unwrap() error { return e.err }

// Created reports whether err, from Create, came after the file had been made: the file is there, perhaps incomplete. If it
// is false the file was not made by that call, as far as the system said: on a network a reply may have been lost.
func Created(err error) bool {
	_, ok := errors.AsType[*createdError](err)
	return ok
}

// AfterCreate marks err as one that came after the file had been made, for implementations of [FS]. It returns nil for nil.
func AfterCreate(err error) error {
	if err == nil {
		return nil
	}
	return &createdError{err}
}

func pathError(op, path string, err error) error {
	return &fs.PathError{Op: op, Path: path, Err: err}
}
