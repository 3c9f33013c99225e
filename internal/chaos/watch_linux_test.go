package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A watcher tells what becomes of the stamps in a directory of locks, on the server's own disk, whoever does it.
type watcher struct {
	dir   string
	voice *voice
	fd    int
	locks map[int32]string // by watch
	from  time.Duration    // what is read now happened after that
}

func watch(r role, v *voice, end <-chan struct{}) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return err
	}
	w := &watcher{dir: r.Dir, voice: v, fd: fd}
	if err := w.begin(); err != nil {
		return err
	}
	buf := make([]byte, 1<<16)
	for {
		select {
		case <-end:
			return nil
		default:
		}
		before := bootTime()
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, 20); err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		n, err := unix.Read(fd, buf)
		if errors.Is(err, unix.EAGAIN) {
			w.from = before
			continue
		}
		if err != nil {
			return err
		}
		if err := w.events(buf[:n]); err != nil {
			return err
		}
		w.from = before
	}
}

// begin looks at all that is there, after it has asked to be told of changes.
func (w *watcher) begin() error {
	w.locks = map[int32]string{}
	w.from = bootTime()
	w.tell(Begin, "", "", "")
	if _, err := unix.InotifyAddWatch(w.fd, w.dir, unix.IN_ONLYDIR|unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVE); err != nil {
		return fmt.Errorf("watch %s: %w", w.dir, err)
	}
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if isLock(e.Name()) {
			w.tell(There, e.Name(), "", "")
			w.look(e.Name(), There)
		}
	}
	w.tell(Ready, "", "", "")
	return nil
}

// isLock reports whether a name is a lock's, and not of what is kept beside it, nor a probe's.
func isLock(name string) bool {
	return strings.HasPrefix(name, "lock-") && !strings.HasSuffix(name, ".dirlock")
}

// look has changes in a lock told, and tells what is in it.
func (w *watcher) look(lock string, kind Kind) {
	dir := filepath.Join(w.dir, lock)
	wd, err := unix.InotifyAddWatch(w.fd, dir, unix.IN_ONLYDIR|unix.IN_CREATE|unix.IN_DELETE|unix.IN_ATTRIB|unix.IN_MOVE)
	if err != nil {
		return // it went: that will be told
	}
	w.locks[int32(wd)] = lock
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		w.stamp(kind, lock, e.Name())
	}
}

func (w *watcher) events(buf []byte) error {
	for len(buf) >= unix.SizeofInotifyEvent {
		e := (*unix.InotifyEvent)(unsafe.Pointer(&buf[0]))
		name := string(bytes.TrimRight(buf[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+e.Len], "\x00"))
		buf = buf[unix.SizeofInotifyEvent+e.Len:]
		switch lock, known := w.locks[e.Wd]; {
		case e.Mask&unix.IN_Q_OVERFLOW != 0:
			return errors.New("the kernel told of too much at once")
		case e.Mask&unix.IN_IGNORED != 0:
			delete(w.locks, e.Wd)
		case known && e.Mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
			w.stamp(Create, lock, name)
		case known && e.Mask&unix.IN_ATTRIB != 0:
			w.stamp(Beat, lock, name)
		case known && e.Mask&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0:
			w.stamp(Remove, lock, name)
		case !known && isLock(name) && e.Mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
			w.tell(Made, name, "", "")
			w.look(name, Create) // what was made in it before that is not told of
		case !known && isLock(name) && e.Mask&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0:
			w.tell(Gone, name, "", "")
		}
	}
	return nil
}

// stamp tells something of an entry of a lock, if that is a stamp: its name has the uuid after the version.
func (w *watcher) stamp(kind Kind, lock, name string) {
	if f := strings.SplitN(name, ".", 3); strings.HasPrefix(name, "dirlock-") && len(f) == 3 {
		w.tell(kind, lock, f[1], name)
	}
}

func (w *watcher) tell(kind Kind, lock, token, text string) {
	w.voice.tell(Record{At: since(w.from), Kind: kind, Lock: lock, Token: token, Text: text})
}
