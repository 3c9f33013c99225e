//go:build darwin || freebsd || openbsd

package fsys

import "golang.org/x/sys/unix"

// What these systems call statfs NetBSD calls statvfs; asVolume knows what each names its fields.

func volumeOf(path string) (volume, error) {
	var st unix.Statfs_t
	err := unix.Statfs(path, &st)
	return asVolume(&st), err
}

func volumeOfFd(fd int) (volume, error) {
	var st unix.Statfs_t
	err := unix.Fstatfs(fd, &st)
	return asVolume(&st), err
}

func mountPoints() []string { return points(unix.Getfsstat, asVolume) }
