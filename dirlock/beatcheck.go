package dirlock

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// coarsest is the coarsest mtime that is waited for: two seconds on FAT.
const coarsest = 2 * time.Second

// A mountKey is a mount by its device number, for as long as nothing else is mounted: the number is given to the next one then.
type mountKey struct{ dev, mounts uint64 }

// checkBeats makes sure, once a mount and process, that a heartbeat moves the mtime there: where it does not, everybody
// else would see a dead holder. It returns the stamp's mtime; zero if there was nothing to check.
//
// The stamp's first mtime is set a minute ahead and then to now. One ahead is safe: it is no age to anybody, and any change
// of it is movement. Where that is refused, a heartbeat is repeated for as long as the coarsest clock takes to tick.
func (a *acquisition) checkBeats(dir fsys.Dir, name string, traits fsys.Traits) (time.Time, error) {
	key := mountKey{traits.Dev, a.FS.Mounts()}
	a.process.mu.Lock()
	known := a.moving[key]
	a.process.mu.Unlock()
	if known && traits.Dev != 0 {
		return time.Time{}, nil
	}
	path := filepath.Join(a.path, name)
	first, err := dir.Stat(name)
	if err != nil {
		return time.Time{}, err
	}
	before := first.Mtime
	if a.FS.SetMtime(path, first.Mtime.Add(time.Minute)) == nil {
		if info, err := dir.Stat(name); err == nil {
			before = info.Mtime
		}
	}
	for start := a.Clock.Mono(); ; time.Sleep(coarsest / 100) {
		if err := a.FS.Touch(path); err != nil {
			return time.Time{}, err
		}
		info, err := dir.Stat(name)
		if err != nil {
			return time.Time{}, err
		}
		if !info.Mtime.Equal(before) {
			a.process.mu.Lock()
			maps.DeleteFunc(a.moving, func(k mountKey, _ bool) bool { return k.mounts != key.mounts })
			a.moving[key] = true
			a.process.mu.Unlock()
			return info.Mtime, nil
		}
		if a.Clock.Mono()-start > coarsest+coarsest/10 {
			return time.Time{}, &fs.PathError{Op: "heartbeat", Path: a.set.path, Err: fmt.Errorf(
				"the modification time of a file does not move on this %s mount, so that nobody could see this holder alive: %w",
				traits.Type, errNoBeats)}
		}
	}
}
