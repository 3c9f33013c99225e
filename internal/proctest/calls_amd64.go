//go:build linux

package proctest

import "golang.org/x/sys/unix"

func init() {
	calls[unix.SYS_MKDIR] = callInfo{"mkdir", onlyPath}
	calls[unix.SYS_RMDIR] = callInfo{"rmdir", onlyPath}
	calls[unix.SYS_UNLINK] = callInfo{"unlink", onlyPath}
	calls[unix.SYS_OPEN] = callInfo{"open", onlyPath}
	calls[unix.SYS_STAT] = callInfo{"stat", onlyPath}
	calls[unix.SYS_LSTAT] = callInfo{"lstat", onlyPath}
	calls[unix.SYS_RENAME] = callInfo{"rename", onlyPath}
	calls[unix.SYS_NEWFSTATAT] = callInfo{"newfstatat", atPath}
	calls[unix.SYS_RENAMEAT] = callInfo{"renameat", atPath}
}
