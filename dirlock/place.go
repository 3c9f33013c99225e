package dirlock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"

	"github.com/aac6cccc/mkdirlock/container"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// ErrNotShared is matched by every [*NotSharedError].
var ErrNotShared = errors.New("dirlock: not shared")

// A NotSharedError refuses a lock, as [Mutex.RequireShared] asks for, in a place that others than this container's processes do not
// see, or perhaps do not. Nothing was made there. It matches [ErrNotShared].
type NotSharedError struct {
	Path  string
	Place container.Place
}

// Error says what the place is, and what to do, in one line.
func (e *NotSharedError) Error() string {
	is := "is not shared"
	if !e.Place.Visibility.Private() && e.Place.Visibility != container.ReadOnlyRoot {
		is = "is not known to be shared"
	}
	return fmt.Sprintf("dirlock: %s %s: %s (%s); put it on a named volume, or a directory of the machine, that all who use the lock mount",
		e.Path, is, e.Place.Evidence, e.Place.Visibility)
}

// Is reports whether target is [ErrNotShared].
func (e *NotSharedError) Is(target error) bool { return target == ErrNotShared }

// checkName refuses a path that leaves no room for what is kept beside it, before anything is made.
func (a *acquisition) checkName() error {
	const longest = 255 // NAME_MAX of every file system meant, where the mount does not say less
	if base := baseName(a.path); len(base)+len(auxSuffix) > longest {
		return &fs.PathError{Op: "acquire", Path: a.set.path, Err: fsys.ErrNameTooLong}
	}
	return nil
}

// checkPlace warns of a lock that only one container sees, once for each path, and refuses it if that was asked for. It is for
// people's mistakes: who holds the lock does not depend on it.
func (a *acquisition) checkPlace() error {
	place, known := a.locate(a.path, a.table)
	switch {
	case !known, place.Visibility == container.Machine, place.Visibility == container.Shared:
		return nil
	case a.set.requireShared:
		return &NotSharedError{Path: a.set.path, Place: place}
	case place.Visibility.Private() && a.set.logger.Enabled(context.Background(), levelWarn) && a.places.warn(a.path):
		a.set.log(levelWarn, "dirlock: seen by this container only", attrPath(a.set.path), slog.Any("place", place))
	}
	return nil
}

// locate says who can see the lock at a resolved path, if there is anybody to ask.
func (p *process) locate(path string, mounts uint64) (place container.Place, known bool) {
	if p.Where == nil {
		return container.Place{}, false
	}
	return p.places.find(path, mounts, p.Where), true
}

// mostPlaces is how many paths are remembered. One too many, and all are asked about anew.
const mostPlaces = 1024

// places are what was found of paths, and which were warned of.
type places struct {
	mu sync.Mutex
	m  map[string]placed
}

type placed struct {
	container.Place
	mounts uint64 // what was mounted at that time, see [fsys.FS.Mounts]
	warned bool
}

// find asks where a path lies unless that is known. In no container that is answered at once, and not worth keeping.
func (ps *places) find(path string, mounts uint64, where func(string) container.Place) container.Place {
	ps.mu.Lock()
	known, ok := ps.m[path]
	ps.mu.Unlock()
	if ok && known.mounts == mounts {
		return known.Place
	}
	place := where(path)
	if place.Visibility == container.Machine {
		return place
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.m == nil || len(ps.m) >= mostPlaces {
		ps.m = map[string]placed{}
	}
	ps.m[path] = placed{place, mounts, known.warned && known.Place == place}
	return place
}

// warn reports whether a path is still to be warned of.
func (ps *places) warn(path string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	known := ps.m[path]
	if known.warned {
		return false
	}
	known.warned = true
	ps.m[path] = known
	return true
}
