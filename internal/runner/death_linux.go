package runner

import "golang.org/x/sys/unix"

// dieWithParent asks for SIGTERM when the parent's thread that forked this process ends. It survives execve, except of a
// set-uid program or one with capabilities, and reaches neither children nor who drops its uid: it is a courtesy, and the
// group in the stamp is what the protection rests on.
func dieWithParent() { unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGTERM), 0, 0, 0) }
