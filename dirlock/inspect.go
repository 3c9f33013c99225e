package dirlock

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/aac6cccc/mkdirlock/container"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A State is what a lock looks like from outside.
type State string

// The states. Only StateFree means that nobody holds the lock.
const (
	StateFree      State = "free"      // there is no lock, or it is marked as vacant
	StateHeld      State = "held"      // the holder's heartbeat is fresh, or its age is not known
	StateSuspect   State = "suspect"   // the heartbeat is old, but the holder is not provably dead
	StateStale     State = "stale"     // the kernel says that the holder is gone, or it was silent for Stale
	StateUnstamped State = "unstamped" // a directory without a stamp: just being taken, or a script's, or left by a crash
	StateNotALock  State = "notalock"  // something else is at the path
)

// A Report is what [Mutex.Inspect] found.
type Report struct {
	Path         string
	State        State
	Vacant       bool          // free, but the directory is there, with things in it that are not ours
	Holder       *Holder       // nil if there is none
	HeartbeatAge time.Duration // by this host's clock, which may differ from the file system's: advice, not a verdict
	AgeKnown     bool
	Verdict      stamp.Verdict // what one look can tell
	Reason       string        // the state in a sentence
	Entries      []string      // what else lies in the directory

	// Place is where the lock lies as seen by this process; of anybody else nothing is known. It is zero if the path could not be
	// resolved.
	Place container.Place
}

// Inspect looks at the lock and changes nothing: not a name, not a time. What it reports may be past when it returns. Ages
// are by this host's clock, and so are advice. A path that cannot be looked at is an error, as is a missing parent. On SMB, a client may
// go on for a second to say that there is no lock.
func (m *Mutex) Inspect() (Report, error) {
	set, err := m.settings()
	if err != nil {
		return Report{}, err
	}
	p := m.proc()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return bounded(set.wait, set.path, "inspect", func() (r Report, err error) {
		look := func() { r, err = p.inspect(set) }
		if path, _, ok := p.FS.Near(set.path); ok {
			p.inTurn(ctx, "asked: "+path, p.FS.Mount(path), look)
		} else {
			p.resolving(ctx, set.path, look)
		}
		return r, err
	})
}

// bounded runs f, which may hang in the file system, and returns without it when the time is over. Negative is for ever.
func bounded[T any](limit time.Duration, path, op string, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := f()
		answers <- answer{value, err}
	}()
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case a := <-answers:
		return a.value, a.err
	case <-over:
		var zero T
		err := fmt.Errorf("the file system has not answered for %v: %w", limit, context.DeadlineExceeded)
		return zero, &fs.PathError{Op: op, Path: path, Err: err}
	}
}

// inspect looks again where the lock was released between two calls: that is no error, and whether somebody else has it now is
// not known. A network file system says so by ESTALE, too.
func (p *process) inspect(set settings) (r Report, err error) {
	path, err := p.FS.Resolve(set.path)
	if err != nil {
		return Report{Path: set.path}, err
	}
	for range maxAgain {
		if r, err = p.inspectOnce(set, path); !missing(err) {
			break
		}
	}
	r.Place, _ = p.locate(path, p.FS.Mounts())
	return r, err
}

func (p *process) inspectOnce(set settings, path string) (Report, error) {
	r := Report{Path: set.path, State: StateFree, Reason: "nobody holds it"}
	dir, err := p.FS.OpenDir(path)
	if fsys.Is(err, fsys.NotExist) {
		// A client remembers what was not there, too: on NFS for half a minute, or until the directory above is asked for.
		if _, err := p.FS.Stat(filepath.Dir(path)); err != nil {
			return r, err
		}
		dir, err = p.FS.OpenDir(path)
	}
	switch {
	case fsys.Is(err, fsys.NotExist):
		return r, nil
	case fsys.Is(err, fsys.NotDir):
		info, serr := p.FS.Stat(path)
		if serr != nil {
			return r, serr
		}
		r.State, r.Reason = StateNotALock, fmt.Sprintf("there is a %s, not a directory", info.Kind)
		return r, nil
	case err != nil:
		return r, err
	}
	defer dir.Close()
	traits, err := dir.Traits()
	if err != nil {
		return r, err
	}
	list, err := dir.List()
	if err != nil {
		return r, err
	}
	found := sortEntries(list)
	for _, names := range [][]string{found.foreign, found.residue, found.droppings} {
		r.Entries = append(r.Entries, names...)
	}
	stamped := false
	for _, e := range found.stamps {
		info, err := dir.Stat(e.name)
		switch {
		case fsys.Is(err, fsys.NotExist), err == nil && info.Nlink == 0, err == nil && info.Kind != fsys.KindRegular:
			continue
		case err != nil:
			return r, err
		}
		if stamped && r.State != StateStale {
			continue // two stamps for a moment: the one that counts most is reported
		}
		stamped = true
		p.reportStamp(&r, set, dir, traits, e, info)
	}
	if !stamped {
		err = p.reportUnstamped(&r, set, dir, found)
	}
	return r, err
}

// reportStamp fills in the report for one stamp.
func (p *process) reportStamp(r *Report, set settings, dir fsys.Dir, traits fsys.Traits, e entry, info fsys.Info) {
	age := p.Wall().Sub(info.Mtime)
	beat := stamp.Beat{Age: max(age, 0), AgeKnown: age >= 0}
	a := &acquisition{process: p, set: set, self: p.Self()}
	interval, stale := a.longer(e.stamp)
	c := stamp.Case{Kind: stamp.Corrupt, Beat: beat, Heartbeat: set.Heartbeat, Stale: set.Stale}
	if e.ok {
		c.Kind, c.Stamp = stamp.Stamped, e.stamp
		c.SameHost, c.SameName = a.self.SameHost(e.stamp), a.self.SameName(e.stamp)
		_, owned := p.owns(e.stamp.UUID)
		c.Self = wasSelf(a.self, e.stamp) && !owned
		interval, _ = e.stamp.Bounds()
		if c.SameHost {
			c.Kernel = p.Ask(a.self, e.stamp)
		}
		if a.traits = traits; a.self.Across(e.stamp) && beat.AgeKnown && beat.Age >= 3*interval { // to try the guard of one that is young might cost it the lock
			w := &watch{guarded: true}
			if proof, _ := a.across(w, dir, e, beat); proof != nil {
				_ = proof.Close()
			}
			c.Across, c.Local = w.said, traits.Local
		}
	}
	r.Verdict = stamp.Judge(c)
	r.Reason = r.Verdict.Reason
	r.HeartbeatAge, r.AgeKnown = beat.Age, beat.AgeKnown
	switch {
	case r.Verdict.Row == stamp.RowDead, beat.AgeKnown && beat.Age >= stale && !(c.SameHost && c.Kernel.Answer != stamp.Dead && !c.Self):
		r.State = StateStale
	case beat.AgeKnown && beat.Age >= 3*interval:
		r.State = StateSuspect
	default:
		r.State = StateHeld
	}
	var content stamp.Content
	if traits.Local {
		content = readContent(dir, e.name)
	}
	h := newHolder(e.name, e.stamp, beat, content)
	r.Holder = &h
}

// reportUnstamped fills in the report for a directory without a stamp.
func (p *process) reportUnstamped(r *Report, set settings, dir fsys.Dir, found entries) error {
	if found.vacant {
		r.Vacant, r.Reason = true, "nobody holds it; the directory is marked as vacant"
		return nil
	}
	info, err := dir.Info()
	if err != nil {
		return err
	}
	if info.Nlink == 0 {
		return nil // removed meanwhile
	}
	age := p.Wall().Sub(info.Mtime)
	r.HeartbeatAge, r.AgeKnown = max(age, 0), age >= 0
	if len(found.foreign) > 0 && age >= set.Stale {
		r.State = StateNotALock
		r.Reason = fmt.Sprintf("a directory with other things in it (%q), and no stamp", found.foreign[0])
		return nil
	}
	r.State = StateUnstamped
	r.Verdict = stamp.Judge(stamp.Case{
		Kind:      stamp.Unstamped,
		Beat:      stamp.Beat{Age: max(age, 0), AgeKnown: age >= 0},
		Heartbeat: set.Heartbeat,
		Stale:     set.Stale,
	})
	r.Reason = r.Verdict.Reason
	return nil
}
