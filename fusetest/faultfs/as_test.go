//go:build linux

package faultfs_test

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// as does something as another user of the file system, in a group of the same number and in no other one.
func as(uid int, do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and not unlocked: the thread ends with this
		for _, who := range []struct {
			call uintptr
			is   int
		}{{unix.SYS_SETFSGID, uid}, {unix.SYS_SETFSUID, uid}} {
			if _, _, e := unix.RawSyscall(who.call, uintptr(who.is), 0, 0); e != 0 {
				done <- e
				return
			}
		}
		done <- do()
	}()
	return <-done
}
