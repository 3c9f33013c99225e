package dirlock

import (
	"time"

	"github.com/aac6cccc/mkdirlock/heartbeat"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// target is a stamp as the heartbeat sees it: by its resolved path, so that a lock directory, or a parent, that was moved
// away is a loss.
//
// A client that keeps names goes by what the path once led to: for half a minute after the lock directory was moved away its beats go
// on to succeed, while another takes the lock in its place. Asking for the directory that it is in, by force, has the names in there
// looked up again if any has changed. That is done before every second beat, so that two notice. A directory further up that was
// moved is noticed when the client asks of its own accord: within a minute.
type target struct {
	fsys.FS
	path string
	up   string // where the client keeps names: the directory that the lock directory is in
	odd  bool
}

// up leads from a lock directory to the one that it is in. It is asked for by way of the lock, so that the calls for several locks in
// one directory can be told apart.
const up = "/.."

// Touch is one beat. Beats of a lock are sent one after the other.
func (t *target) Touch() error {
	if t.odd = !t.odd; t.odd && t.up != "" {
		_, _ = t.FS.Stat(t.up) // what that says is nothing; it is the touch that finds no such name
	}
	return gone(t.FS.Touch(t.path))
}

// Mtime reads a beat back.
func (t *target) Mtime() (time.Time, error) {
	info, err := t.FS.Stat(t.path)
	if err == nil && info.Nlink == 0 {
		return time.Time{}, heartbeat.ErrGone
	}
	return info.Mtime, gone(err)
}

// recheckName has a client that keeps names look the lock directory's up again, as [target] does.
func (l *Lock) recheckName() {
	if l.traits.KeepsNames {
		_, _ = l.FS.Stat(l.path + up)
	}
}

// gone turns "no such file" into the one answer that ends a lock at once. Nothing is below a file that has taken the lock directory's place.
func gone(err error) error {
	if fsys.Is(err, fsys.NotExist) || fsys.Is(err, fsys.NotDir) {
		return heartbeat.ErrGone
	}
	return err
}
