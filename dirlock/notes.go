package dirlock

import (
	"encoding/hex"
	"path/filepath"
	"slices"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A note is what a waiter leaves for the next one, of another process maybe, where the age of a heartbeat can only be
// observed: an empty directory beside the lock whose name says which stamp had which mtime. Its own mtime, the server's, says
// when somebody had already seen that. Who finds the stamp with the very same mtime knows that no heartbeat came since then,
// and how long that is by the server's clock. It still has to watch for itself: a note makes an owner old, never dead.
//
// Notes, and the question what time it is, are put by mkdir: on SMB a touch carries the client's clock, and even a file that
// was just made may show it for seconds, while a directory has the server's time from the start.

// mostNotes is how many owners of one lock an acquisition reads and leaves notes about.
const mostNotes = 16

// notes is what one acquisition knows of the notes beside its lock.
type notes struct {
	of    map[string]*note // by the names of the stamps that they are about; "" is the directory itself
	gone  []string         // names of stamps that are not there any more, and that there may be notes about
	used  bool             // there may be something to sweep
	holds bool             // the lock was acquired: no other stamp counts, and so no note does
}

// note is one that was, or is about to be, looked for and left.
type note struct {
	mtime   time.Time     // of the stamp
	at      time.Duration // Mono of the last attempt; 0: none
	absent  bool          // it was looked for, and was not there
	there   bool          // it was found, or left
	settled bool          // there is nothing more to do while the mtime stays the same
}

// clocked reports whether the mtime of an entry may be compared with the file system's clock. Whose clock it carries depends
// on the holder's mount too, and so stands in its stamp. A directory is stamped by the file system when it is made.
func (a *acquisition) clocked(e entry) bool {
	return a.traits.Beats == fsys.ClockFS && (!e.ok || e.stamp.Clock == stamp.ClockFS)
}

// noteworthy reports whether a note would help: the mtime rule has to decide, and only watching tells an age. Where nobody
// knows whose clock this mount's times are, those of a note would mean nothing. TryAcquire does not watch, so it has nothing
// to leave, and no use for what it would find.
func (a *acquisition) noteworthy(w *watch, e entry, o obstacle) bool {
	switch {
	case a.set.try, o.problem != nil, o.verdict.Takeover, a.traits.Beats == fsys.ClockUnknown, a.clocked(e):
		return false
	case e.name == "" && w.mtime.Year() <= 1980: // no time at all (FAT's zero, say), so the next directory may have the same
		return false
	}
	return o.verdict.Row != stamp.RowAlive && o.verdict.Row != stamp.RowDead
}

// consult looks for the note about an owner that has missed a beat, and leaves one about an owner that has missed three. It
// is called after each look, and does something once a heartbeat at most.
func (a *acquisition) consult(w *watch, e entry, o obstacle) {
	if !a.noteworthy(w, e, o) {
		return
	}
	n := a.notes.about(e.name, w.mtime)
	if n == nil {
		return
	}
	if !n.mtime.Equal(w.mtime) { // a sign of life: the note means nothing any more
		if n.there {
			_ = a.FS.Rmdir(a.notePath(e.name, n.mtime))
		}
		*n = note{mtime: w.mtime}
	}
	beat := a.set.Heartbeat
	if e.ok {
		beat, _ = e.stamp.Bounds()
	}
	now := a.Clock.Mono()
	switch watched := o.beat.Unchanged; {
	case n.settled, n.at != 0 && now-n.at < beat, watched < beat+a.set.poll:
	case !n.absent:
		n.at = now
		a.readNote(w, e.name, n)
	case watched >= 3*beat:
		n.at = now
		a.leaveNote(e.name, n)
	}
}

// about returns what is known of the note about a stamp; nil if there are too many already.
func (n *notes) about(name string, mtime time.Time) *note {
	if known := n.of[name]; known != nil {
		return known
	}
	if len(n.of) >= mostNotes {
		return nil
	}
	if n.of == nil {
		n.of = map[string]*note{}
	}
	n.of[name] = &note{mtime: mtime}
	return n.of[name]
}

func (a *acquisition) notePath(name string, mtime time.Time) string {
	return filepath.Join(a.path+auxSuffix, noteName(name, mtime))
}

// readNote looks for a note about the stamp as it is, and lets the watch count from when that was made.
func (a *acquisition) readNote(w *watch, name string, n *note) {
	dir, err := a.FS.OpenDir(a.path + auxSuffix)
	if missing(err) {
		n.absent = true
		return
	}
	if err != nil {
		return
	}
	list, err := dir.List()
	dir.Close()
	if err != nil {
		return
	}
	a.notes.used = true
	want := noteName(name, w.mtime)
	if !slices.ContainsFunc(list, func(e fsys.Entry) bool { return e.Name == want }) {
		n.absent = true
		return
	}
	a.believe(w, filepath.Join(a.path+auxSuffix, want), n)
}

// believe takes over what a note says, if it is one: an empty directory that was made before now.
func (a *acquisition) believe(w *watch, path string, n *note) {
	made, empty, err := a.stateOf(path)
	switch {
	case missing(err): // swept meanwhile
		n.absent = true
		return
	case err != nil: // not a directory, say
		return
	case !empty:
		n.settled = true
		return
	}
	now, at, err := a.serverNow(a.path + auxSuffix)
	if err != nil {
		return
	}
	const longest = 365 * 24 * time.Hour
	age := min(now.Sub(made), longest)
	if age < 0 { // the server's clock was stepped back, and until it has caught up the note would keep a better one out
		_ = a.FS.Rmdir(path)
		n.absent = true
		return
	}
	n.settled, n.there = true, true
	w.since = min(w.since, at-age) // counted back from the answer that told the time: a slow one makes nothing older
}

// stateOf returns when a note was made, and whether it is as empty as it was then.
func (p *process) stateOf(path string) (made time.Time, empty bool, err error) {
	dir, err := p.FS.OpenDir(path)
	if err != nil {
		return time.Time{}, false, err
	}
	defer dir.Close()
	info, err := dir.Info()
	if err != nil {
		return time.Time{}, false, err
	}
	list, err := dir.List()
	return info.Mtime, len(list) == 0, err
}

// leaveNote leaves a note about the stamp as it is. One that is there already is older, and better.
func (a *acquisition) leaveNote(name string, n *note) {
	path := a.notePath(name, n.mtime)
	err := a.makeShared(path)
	if missing(err) {
		if err = a.makeShared(a.path + auxSuffix); err == nil || fsys.Is(err, fsys.Exist) {
			a.notes.used = true
			err = a.makeShared(path)
		}
	}
	switch {
	case err == nil:
		n.settled, n.there, a.notes.used = true, true, true
	case fsys.Is(err, fsys.Exist):
		n.absent = false // to be read
	}
}

// makeShared makes a directory that everybody who may use its parent may use, whatever the umask.
func (a *acquisition) makeShared(path string) error {
	parent, err := a.FS.Stat(parentOf(path))
	if err != nil {
		return err
	}
	mode := fsys.InheritMode(parent)
	if err := a.FS.Mkdir(path, mode); err != nil {
		return err
	}
	dir, err := a.FS.OpenDir(path)
	if err != nil {
		return nil // somebody was quicker to sweep it
	}
	defer dir.Close()
	_ = dir.Grant(mode)
	return nil
}

// serverNow returns the time that the server gives to what is made now, and when on our own clock its answer was there.
func (p *process) serverNow(aux string) (now time.Time, at time.Duration, err error) {
	id := p.UUID()
	path := filepath.Join(aux, nowPrefix+hex.EncodeToString(id[:]))
	defer func() { _ = p.FS.Rmdir(path) }() // also after a failure: a reply may have been lost
	if err := p.FS.Mkdir(path, 0o755); err != nil {
		return time.Time{}, 0, err
	}
	at = p.Clock.Mono()
	info, err := p.FS.Stat(path)
	return info.Mtime, at, err
}

func missing(err error) bool { return fsys.Is(err, fsys.NotExist) || fsys.Is(err, fsys.Stale) }
