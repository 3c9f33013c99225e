package dirlock

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

const (
	notePrefix = "seen-"
	nowPrefix  = "now-"
	unstamped  = "unstamped" // stands for a directory without a stamp,
	hashedName = "name"      // and this and a hash for a stamp that is not our format

	oldNote   = time.Hour // a note of this age that is about no stamp one knows is nobody's
	mostSwept = 64        // entries that one listing is cleared of
)

// noteName is the name of the note about a stamp that has this mtime, or about the directory itself ("").
func noteName(name string, mtime time.Time) string {
	return notePrefix + noteKey(name) + "-" + noteTime(mtime)
}

// noteKey names a stamp in few bytes, and no two alike.
func noteKey(name string) string {
	if name == "" {
		return unstamped
	}
	if s, err := stamp.Parse(name); err == nil {
		return hex.EncodeToString(s.UUID[:])
	}
	sum := sha256.Sum256([]byte(name))
	return hashedName + hex.EncodeToString(sum[:16])
}

// noteTime spells a time without loss. A count of nanoseconds would not do: SMB's zero is the year 1601.
func noteTime(t time.Time) string { return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond()) }

// parseNote takes the name of a note apart.
func parseNote(name string) (key, mtime string, ok bool) {
	rest, ok := strings.CutPrefix(name, notePrefix)
	key, mtime, found := strings.Cut(rest, "-")
	hash := strings.TrimPrefix(key, hashedName)
	return key, mtime, ok && found && mtime != "" && (key == unstamped || len(hash) == 32)
}

// drop is told that a stamp is not there any more.
func (n *notes) drop(name string) {
	if n.of[name] != nil {
		delete(n.of, name)
		n.gone = append(n.gone, name)
	}
}

// forgetUnlisted forgets the stamps that are not listed any more: a waiter for a busy lock meets a new one every moment. A note
// is known of what is watched, and of nothing else.
func (a *acquisition) forgetUnlisted(found entries) {
	for name := range a.watched {
		if name != "" && !found.has(name) {
			a.forget(name)
		}
	}
}

// dropEvicted is told that a stamp was evicted: others may have left notes about it.
func (a *acquisition) dropEvicted(e entry) {
	if !a.clocked(e) {
		a.notes.used = true
		a.notes.gone = append(a.notes.gone, e.name)
	}
}

// noteFate is what is to become of a note that was listed.
type noteFate int

const (
	keep    noteFate = iota
	void             // what it says is not so any more, or of no use
	strange          // about a stamp that one knows nothing of: void when it is old
)

// fate judges a note by what this acquisition knows.
func (a *acquisition) fate(key, mtime string) noteFate {
	if a.notes.holds {
		return void
	}
	for name, w := range a.watched {
		if noteKey(name) != key {
			continue
		}
		if w.mtime.IsZero() || noteTime(w.mtime) == mtime { // zero: every look failed
			return keep
		}
		return void // a sign of life came after it
	}
	for _, name := range a.notes.gone {
		if noteKey(name) == key {
			return void
		}
	}
	return strange
}

// sweepNotes removes the notes that have become void from beside the lock, and the directory that they lie in if nothing
// else is in it.
func (a *acquisition) sweepNotes() {
	if a.notes.used {
		a.process.sweepNotes(a.path+auxSuffix, a.fate)
	}
}

// sweepNotes is for who has released the lock: other waiters may have left notes about it when it was slow to beat. Where
// the file system's clock tells its age nobody does.
func (l *Lock) sweepNotes() {
	if l.traits.Beats != fsys.ClockFS {
		l.process.sweepNotes(l.path+auxSuffix, func(string, string) noteFate { return void })
	}
}

func (p *process) sweepNotes(aux string, fate func(key, mtime string) noteFate) {
	if err := p.FS.Rmdir(aux); err == nil || missing(err) || fsys.Is(err, fsys.NotDir) {
		return
	}
	dir, err := p.FS.OpenDir(aux)
	if err != nil {
		return
	}
	list, err := dir.List()
	dir.Close()
	if err == nil && p.sweepListed(aux, list, fate) > 0 {
		_ = p.FS.Rmdir(aux)
	}
}

// sweepListed removes what is void or old of what was listed beside a lock, and returns how much that is. Only rmdir is
// used: what is not an empty directory is not ours, whatever its name.
func (p *process) sweepListed(aux string, list []fsys.Entry, fate func(key, mtime string) noteFate) (swept int) {
	var old []string
	for _, e := range list {
		if swept+len(old) >= mostSwept {
			break
		}
		what := keep
		if key, mtime, ok := parseNote(e.Name); ok {
			what = fate(key, mtime)
		} else if id, ok := strings.CutPrefix(e.Name, nowPrefix); ok && len(id) == 32 { // of somebody who asks just now, or died
			what = strange
		}
		switch what {
		case void:
			if p.FS.Rmdir(filepath.Join(aux, e.Name)) == nil {
				swept++
			}
		case strange:
			old = append(old, filepath.Join(aux, e.Name))
		}
	}
	if len(old) == 0 {
		return swept
	}
	now, _, err := p.serverNow(aux)
	if err != nil {
		return swept
	}
	for _, path := range old {
		info, err := p.FS.Stat(path)
		if err == nil && info.Kind == fsys.KindDir && now.Sub(info.Mtime) > oldNote && p.FS.Rmdir(path) == nil {
			swept++
		}
	}
	return swept
}
