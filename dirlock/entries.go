package dirlock

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// entries is a listing of a lock directory, sorted by what the protocol makes of each name.
type entries struct {
	stamps    []entry  // names with the prefix: ours, others', or not our format
	vacant    bool     // the marker is there
	droppings []string // what desktops and file servers strew about; may be deleted
	residue   []string // what a file system keeps of open files, and what a NAS adds; not ours, and no sign of a user's data
	foreign   []string // anything else; never deleted
}

// An entry is a name with the prefix of stamps, and what it says.
type entry struct {
	name  string
	kind  fsys.Kind
	stamp stamp.Stamp
	ok    bool // it is our format
}

// sortEntries sorts a listing. Known are entries that need not be read, if they are there: our own.
func sortEntries(list []fsys.Entry, known ...entry) entries {
	var e entries
	for _, f := range list {
		isFile := f.Kind == fsys.KindRegular || f.Kind == fsys.KindUnknown
		switch {
		case f.Name == stamp.Vacant && isFile:
			e.vacant = true
		case strings.HasPrefix(f.Name, stamp.Prefix) && isFile:
			e.stamps = append(e.stamps, readEntry(f, known))
		case isFile && isDropping(f.Name):
			e.droppings = append(e.droppings, f.Name)
		case isResidue(f.Name):
			e.residue = append(e.residue, f.Name)
		default:
			e.foreign = append(e.foreign, f.Name)
		}
	}
	return e
}

func readEntry(f fsys.Entry, known []entry) entry {
	for _, k := range known {
		if k.name == f.Name {
			k.kind = f.Kind
			return k
		}
	}
	s, err := stamp.Parse(f.Name)
	return entry{f.Name, f.Kind, s, err == nil}
}

// junk reports whether something lies in the directory that would keep it from being removed once it has no stamp.
func (e entries) junk() bool { return len(e.droppings)+len(e.residue)+len(e.foreign) > 0 }

// strangers reports whether the directory holds things that nobody who follows the protocol put there, and neither a stamp
// in our format nor the marker that would show that it was a lock when they came.
func (e entries) strangers() bool {
	for _, s := range e.stamps {
		if s.ok {
			return false
		}
	}
	return len(e.foreign) > 0 && !e.vacant
}

// tell moves what has a stamp's name and is no regular file to what is foreign, where the listing did not say what it is.
func (e *entries) tell(dir fsys.Dir) {
	e.stamps = slices.DeleteFunc(e.stamps, func(s entry) bool {
		if s.kind != fsys.KindUnknown {
			return false
		}
		info, err := dir.Stat(s.name)
		strange := err == nil && info.Kind != fsys.KindRegular
		if strange {
			e.foreign = append(e.foreign, s.name)
		}
		return strange
	})
}

// bury moves stamps that are listed and not there any more to what passes: a removal waits, as on SMB, until somebody closes the
// file, and a listing may be old. Nobody holds the lock by such a name, and it keeps the directory from being removed all the same.
func (e *entries) bury(dir fsys.Dir) {
	e.stamps = slices.DeleteFunc(e.stamps, func(s entry) bool {
		info, err := dir.Stat(s.name)
		gone := fsys.Is(err, fsys.NotExist) || err == nil && info.Nlink == 0
		if gone {
			e.residue = append(e.residue, s.name)
		}
		return gone
	})
}

// has reports whether the listing has the name among the stamps.
func (e entries) has(name string) bool {
	for _, s := range e.stamps {
		if s.name == name {
			return true
		}
	}
	return false
}

func isDropping(name string) bool {
	switch name {
	case ".DS_Store", "Thumbs.db", "desktop.ini":
		return true
	}
	return strings.HasPrefix(name, "._")
}

func isResidue(name string) bool {
	for _, prefix := range []string{".nfs", ".fuse_hidden", ".smbdelete"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "@eaDir"
}

// auxSuffix names the directory beside the lock where probes and notes are kept while they are needed.
const auxSuffix = ".dirlock"

func baseName(path string) string { return filepath.Base(path) }
