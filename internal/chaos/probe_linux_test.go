package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// probe tells when the server answered this host: a file made, looked at and removed, as a waiter must be able to.
func probe(r role, v *voice, end <-chan struct{}) error {
	host, _ := os.Hostname()
	for n := 0; ; n++ {
		select {
		case <-end:
			return nil
		case <-time.After(sampling):
		}
		from := bootTime()
		if err := reach(filepath.Join(r.Dir, fmt.Sprintf("probe-%s-%d-%d", host, os.Getpid(), n))); err == nil {
			v.tell(Record{At: since(from), Kind: Reached})
		}
	}
}

func reach(file string) error {
	fd, err := unix.Open(file, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	unix.Close(fd)
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, file, unix.AT_STATX_FORCE_SYNC, unix.STATX_MTIME, &st); err != nil {
		return err
	}
	return unix.Unlink(file)
}
