package proptest

import "golang.org/x/sys/windows"

// The nearest that Windows has; see internal/fsys for what counts as what.
const (
	errStale = windows.ERROR_FILE_INVALID
	errBusy  = windows.ERROR_SHARING_VIOLATION
	errQuota = windows.ERROR_DISK_FULL
)
