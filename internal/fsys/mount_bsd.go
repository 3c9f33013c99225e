//go:build unix && !linux

package fsys

import (
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// mounts is the list as of at most a second ago. A mount that is younger is taken for the one that it lies on, which is
// harmless: the identifier says who waits in line behind whom.
var mounts struct {
	sync.Mutex
	read   time.Duration // by Mono, 0 never
	points []string
}

// Mount answers with the mount point, the longest that the path begins with.
func (osFS) Mount(path string) string {
	mounts.Lock()
	defer mounts.Unlock()
	if now := Mono(); mounts.read == 0 || now-mounts.read >= time.Second {
		if p := mountPoints(); p != nil { // else what was known before is the best there is
			mounts.points = p
		}
		mounts.read = now
	}
	best := ""
	for _, p := range mounts.points {
		if len(p) >= len(best) && strings.HasPrefix(path, p) &&
			(len(path) == len(p) || p[len(p)-1] == '/' || path[len(p)] == '/') {
			best = p
		}
	}
	return best
}

func (osFS) Mounts() uint64 { return 0 }

func (osFS) Near(string) (string, bool, bool) { return "", false, false } // not known

// points asks for all mounts without waiting for any of them (MNT_NOWAIT).
func points[T any](getfsstat func(buf []T, flags int) (int, error), of func(*T) volume) []string {
	n, err := getfsstat(nil, unix.MNT_NOWAIT)
	if err != nil {
		return nil
	}
	buf := make([]T, n+8) // some more may come meanwhile
	if n, err = getfsstat(buf, unix.MNT_NOWAIT); err != nil {
		return nil
	}
	var list []string
	for i := range buf[:min(n, len(buf))] {
		if p := of(&buf[i]).point; strings.HasPrefix(p, "/") {
			list = append(list, p)
		}
	}
	return list
}
