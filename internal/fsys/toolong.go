package fsys

import "syscall"

// ErrNameTooLong is the system's own error for a name that is too long, for those who find that out before the system does.
const ErrNameTooLong = syscall.ENAMETOOLONG
