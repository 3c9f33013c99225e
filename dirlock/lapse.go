package dirlock

import (
	"context"
	"io"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// lapse deals with a lease that has run out. If the process was awake, no heartbeat got through: the lock is lost. If it was
// asleep (suspended, stopped), nobody may have minded: then the lock is taken anew, in place, or lost.
func (l *Lock) lapse(s stamp.Stamp, asleep bool) {
	if !asleep {
		l.lose(s, "no heartbeat got through for "+l.set.Lease().String(), nil)
		return
	}
	l.mu.Lock()
	if l.state != held || l.stamp.UUID != s.UUID {
		l.mu.Unlock()
		return
	}
	l.state = lapsed
	settled := make(chan struct{})
	l.settling = settled
	beat := l.beat
	l.mu.Unlock()
	beat.Stop()

	go func() {
		defer close(settled)
		l.retake(s)
	}()
}

// retaken is what became of taking a lapsed lock anew.
type retaken struct {
	stamp stamp.Stamp
	guard io.Closer // of it
	name  string
	from  time.Duration // Boot, before its create was sent
	mtime time.Time
	how   string // "" if it worked; else why the lock is lost
	err   error
}

// leastAnswer is what a file system is given to answer where the heartbeat is shorter: a busy machine takes that long.
const leastAnswer = 500 * time.Millisecond

// retake bounds takeAnew: without an answer within a heartbeat the lock is lost, and what succeeds late is undone.
func (l *Lock) retake(old stamp.Stamp) {
	results := make(chan retaken, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		if !l.inTurn(ctx, l.path, l.mount, func() { results <- l.takeAnew(old) }) {
			results <- retaken{how: "it slept through its lease, and the file system has not answered others since"}
		}
	}()
	limit := max(l.set.Heartbeat, leastAnswer)
	l.mu.Lock()
	left := l.beat.Remaining() + l.set.Margin()*7/8 // before anybody may take over what was not slept through for long
	l.mu.Unlock()
	if left > 0 {
		limit = min(limit, left)
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-results:
		l.settled(old, r)
	case <-timer.C:
		l.settled(old, retaken{how: "it slept through its lease, and the file system did not answer afterwards"})
		go func() {
			if r := <-results; r.how == "" {
				l.inTurn(context.Background(), l.path, l.mount, func() { _ = l.remove(r.name) })
				if r.guard != nil {
					l.letGo(r.guard)
				}
				l.disown(r.stamp.UUID)
				l.lines.released(l.path)
			}
		}()
	}
}

func (l *Lock) settled(old stamp.Stamp, r retaken) {
	if r.how != "" {
		l.end(lapsed, old, r.how, r.err)
		return
	}
	l.dropGuard() // of the name that is gone
	l.mu.Lock()
	l.guard = r.guard
	l.keep(r.stamp, r.name, r.from, r.mtime)
	l.settling = nil
	l.mu.Unlock()
	l.disown(old.UUID)
	l.set.log(levelWarn, "dirlock: taken anew after sleeping through the lease", attrPath(l.set.path), attrToken(r.name))
}

// takeAnew replaces the stamp of a lapsed lock by one with a new uuid, in the same directory. The old one is never renewed:
// somebody may already have judged it, and would evict the living by its name.
func (l *Lock) takeAnew(old stamp.Stamp) retaken {
	const (
		asleep = "it slept through its lease, "
		taken  = asleep + "and was taken over meanwhile"
		failed = asleep + "and could not be taken anew"
	)
	l.recheckName()
	dir, err := l.FS.OpenDir(l.path)
	if err != nil {
		return retaken{how: failed, err: err}
	}
	defer dir.Close()
	if info, err := dir.Stat(old.Name()); fsys.Is(err, fsys.NotExist) || err == nil && info.Nlink == 0 {
		return retaken{how: taken}
	}
	a := &acquisition{process: l.process, set: l.set, path: l.path, self: l.Self(), groupStart: old.GroupStart}
	guarded := l.reserve(l.traits)
	s := a.newStamp(l.traits, guarded)
	name := s.Name()
	l.claim(s.UUID, l.path)
	from := l.Clock.Boot()
	guard, err := a.put(dir, s, name, a.content(s, name))
	// The lock ends before its new stamp goes: others enter as soon as that is gone. If it cannot be removed, it is chased as a stray.
	fail := func(how string, err error, takeBack func() error) retaken {
		l.end(lapsed, old, how, err)
		_ = takeBack()
		l.disown(s.UUID)
		if guarded {
			l.letGo(guard)
		}
		return retaken{how: how, err: err}
	}
	var found entries
	withdraw := func() error { return a.withdraw(dir, name, found) }
	switch {
	case err == errUnguarded:
		return fail(failed, err, withdraw)
	case err != nil && !fsys.Is(err, fsys.Exist):
		return fail(failed, err, func() error { return a.undo(dir, name, err) })
	}
	switch err := dir.Unlink(old.Name()); {
	case fsys.Is(err, fsys.NotExist):
		return fail(taken, nil, withdraw)
	case err != nil:
		return fail(failed, err, withdraw)
	}
	list, err := dir.List()
	if err != nil {
		return fail(failed, err, withdraw)
	}
	found = sortEntries(list)
	if other, _ := a.others(dir, found, name); other || !found.has(name) || l.Clock.Boot()-from >= l.set.Lease() {
		return fail(taken, nil, withdraw)
	}
	info, err := dir.Stat(name)
	if err != nil {
		return fail(failed, err, withdraw)
	}
	return retaken{stamp: s, guard: guard, name: name, from: from, mtime: info.Mtime}
}
