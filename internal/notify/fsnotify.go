package notify

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// fsnotifier is a source over the library fsnotify, which knows directories by their paths. A number is given to each directory
// that comes to be at a path.
type fsnotifier struct {
	watcher *fsnotify.Watcher
	calls   sync.Mutex // of the watcher's Add and Remove. mu is not held meanwhile: they may wait for their events to be taken

	mu    sync.Mutex
	spots map[string]spot // by path
	paths map[int]string  // by number, until it is dropped
	next  int
}

// spot is what was last seen at a path.
type spot struct {
	id   int
	info fs.FileInfo
}

func openFsnotify(report sink) (source, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	f := &fsnotifier{watcher: watcher, spots: map[string]spot{}, paths: map[int]string{}}
	go f.run(report)
	return adder{f, report}, nil
}

// adder is the fsnotifier with the sink that its add needs.
type adder struct {
	*fsnotifier
	report sink
}

func (a adder) add(path string) (int, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return 0, err
	}
	info, err := os.Lstat(path) // what hangs, hangs here, where nobody waits for it
	if err != nil {
		return 0, bare(err)
	}
	if !info.IsDir() {
		return 0, syscall.ENOTDIR
	}
	a.calls.Lock()
	id, replaced := a.enter(path, info) // before Add, since events may come before it returns
	err = a.watcher.Add(path)
	if err != nil {
		a.forget(id)
	}
	a.calls.Unlock()
	if replaced != 0 {
		a.report(replaced, over)
	}
	if err != nil {
		a.report(id, over) // others may have watched it already, and their watch went with it
	}
	return id, err
}

// enter returns the number of the directory at path, and the one of another that was there before, whose end has not been
// told yet and will not be: the library forgets a path's former watch. A directory's inode number may be its predecessor's; if so, their
// times differ. (The same directory with another time has changed: to be told so is no harm.)
func (f *fsnotifier) enter(path string, info fs.FileInfo) (id, replaced int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old, ok := f.spots[path]
	if ok && os.SameFile(old.info, info) && old.info.ModTime().Equal(info.ModTime()) {
		return old.id, 0
	}
	f.next++
	f.spots[path] = spot{f.next, info}
	f.paths[f.next] = path
	return f.next, old.id
}

func (f *fsnotifier) drop(id int) {
	f.calls.Lock()
	defer f.calls.Unlock()
	f.forget(id)
}

// forget ends the watch of a path, unless another directory is watched there by now. calls is held.
func (f *fsnotifier) forget(id int) {
	f.mu.Lock()
	path, known := f.paths[id]
	now, ok := f.spots[path]
	delete(f.paths, id)
	mine := known && (!ok || now.id == id)
	if mine {
		delete(f.spots, path)
	}
	f.mu.Unlock()
	if mine {
		_ = f.watcher.Remove(path) // it has ended already where this fails
	}
}

func (f *fsnotifier) close() { f.watcher.Close() }

func (f *fsnotifier) run(report sink) {
	events, errs := f.watcher.Events, f.watcher.Errors
	for events != nil || errs != nil {
		select {
		case event, ok := <-events:
			if !ok {
				events = nil
			} else if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
				f.gone(event.Name, report)
			}
		case _, ok := <-errs:
			if !ok {
				errs = nil
			} else {
				report(0, lost) // an overflow, or something else after which nothing is certain
			}
		}
	}
}

// gone tells those who watch what is gone, and those who watch the directory that it was in.
func (f *fsnotifier) gone(path string, report sink) {
	f.mu.Lock()
	self, ended := f.spots[path]
	if ended {
		delete(f.spots, path)
	}
	parent, inside := f.spots[filepath.Dir(path)]
	f.mu.Unlock()
	if ended {
		report(self.id, over)
	}
	if inside {
		report(parent.id, changed)
	}
}

// bare is an error without the path, which Watch puts in.
func bare(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}
