package nettest

import (
	"os"
	"path/filepath"
	"time"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// gaps watches, on the server itself, how regularly the stamp in a lock is touched: what a waiter would see who sees everything at
// once. The answer to "unwatch" has the longest time that nothing moved, and how often something did.
func (w *worker) gaps(o order) {
	w.mu.Lock()
	end, ok := w.watch[o.Path]
	if o.Do == "watch" {
		end = make(chan struct{})
		w.watch[o.Path] = end
	} else {
		delete(w.watch, o.Path)
	}
	w.mu.Unlock()
	if o.Do == "unwatch" {
		if ok {
			close(end) // the watch tells
		}
		return
	}
	var longest time.Duration
	var mtime time.Time
	moves, last := 0, time.Now()
	for {
		select {
		case <-end:
			r := o.answer(toldDone, nil)
			r.Took, r.Count = max(longest, time.Since(last)), moves
			w.tell(r)
			return
		case <-time.After(20 * time.Millisecond):
		}
		names, _ := filepath.Glob(filepath.Join(o.Path, stamp.Prefix+"*"))
		if len(names) != 1 {
			continue // being taken, or released
		}
		info, err := os.Stat(names[0])
		if err != nil || info.ModTime().Equal(mtime) {
			continue
		}
		if now := time.Now(); !mtime.IsZero() {
			longest, last = max(longest, now.Sub(last)), now
			moves++
		} else {
			last = now
		}
		mtime = info.ModTime()
	}
}
