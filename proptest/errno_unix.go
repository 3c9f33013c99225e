//go:build !windows

package proptest

import "syscall"

const (
	errStale = syscall.ESTALE
	errBusy  = syscall.EBUSY
	errQuota = syscall.EDQUOT
)
