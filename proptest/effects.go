package proptest

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// before is called when a call is about to have its effect.
func (j *judge) before(c *call) {
	name := path.Base(c.path)
	switch c.op {
	case "unlink", "rmdir", "touch", "setmtime", "chmod", "create", "mkdir", "rename":
	default:
		return
	}
	if c.p.onlooker {
		j.fail(7, "%s only looks, and changes something: %s", c.p.name, c)
	}
	if _, ok := j.foreign[c.path]; ok && !isDropping(name) {
		file := false
		if info, ok := j.w.server.Lookup(c.path); ok {
			file = info.Kind == fsys.KindRegular
		}
		// Those are refused; and a mode is given to an open directory, which is not the file that took its place.
		if c.op != "mkdir" && c.op != "create" && (c.op != "rmdir" && c.op != "chmod" || !file) {
			j.fail(7, "%s: %s", c.p.name, c)
		}
		return
	}
	r := j.stamps[name]
	if r == nil || !r.there {
		return
	}
	if c.op == "unlink" && c.p.sawJunk && !c.p.marred && c.p.busy() <= 1 && j.last(name) {
		if _, marked := j.w.server.Lookup(lockPath + "/" + stamp.Vacant); !marked {
			j.fail(4, "%s has seen junk, and removes the last stamp without the marker: if it dies now nobody can have the lock", c.p.name)
		}
	}
	switch c.op {
	case "unlink":
		if r.owner != c.p || r.forged {
			j.robbery(c, r)
		}
	case "touch", "setmtime":
		if r.owner != c.p {
			j.fail(3, "%s renews the stamp of %s", c.p.name, r.owner.name)
		}
	}
}

// robbery judges the removal of somebody else's stamp. Whether it was right to judge the owner is told by what happened,
// not by what the thief could see.
func (j *judge) robbery(c *call, r *stampRecord) {
	beat, stale := r.s.Bounds()
	slack := j.w.slack()
	quiet := r.quiet()
	if c.p.sameKernel(r.owner) && c.p.id.SameHost(r.s) && !r.forged {
		switch {
		case !r.owner.gone():
			j.fail(1, "%s evicts %s, which lives under the same kernel", c.p.name, r.owner.name)
		case slices.Contains(c.p.told, r.owner): // so there is no question to be opened
		case quiet < 3*beat-slack && !r.stepped && !r.setBack: // else the kernel's word is as good, only asked for too soon
			j.fail(3, "%s evicts %s, whose last heartbeat was %v ago", c.p.name, r.owner.name, quiet)
		}
		return
	}
	mine, theirs := c.p.mutex, beat
	beat, stale = max(beat, mine.Heartbeat), max(stale, mine.Stale)
	need := stale
	if r.stepped && quiet < need {
		r.assumed = true
		need = stamp.Confirm(beat, stale)
	}
	if r.owner.gone() && c.p.host == r.owner.host && c.p.boot == r.owner.boot && r.s.Known() && !r.forged {
		need = 3 * theirs // who is around its namespace may have seen that
	}
	if j.unguarded(c, r) { // so the owner does not hold, and cannot come to hold, whether it lives or not
		need = 3 * theirs
		if slices.Contains(r.refused, c.p) {
			need = 2 * theirs
		}
		if r.stepped {
			need = 0
		}
	}
	if quiet < need-slack {
		j.fail(3, "%s evicts %s, which was silent for %v, not for %v", c.p.name, r.owner.name, quiet, need)
	}
}

// unguarded reports whether the thief's own kernel has seen that nobody has the lock that the stamp's name promises.
func (j *judge) unguarded(c *call, r *stampRecord) bool {
	return j.w.Config.Mount == Local && r.s.Guarded() && r.s.Known() && r.s.Group == 0 && r.s.Boot == c.p.id.Boot && !r.s.Boot.IsZero() &&
		!j.w.server.Guarded(c.path)
}

// last reports whether the lock directory has no stamp but this one.
func (j *judge) last(name string) bool {
	for _, n := range j.w.server.Names(lockPath) {
		if strings.HasPrefix(n, stamp.Prefix) && n != name && n != stamp.Vacant && j.foreign[lockPath+"/"+n] == "" {
			return false
		}
	}
	return true
}

// intrusion judges the first stamp in a directory that a script made. Who was stopped, or failed, may do worse to a script: see
// docs/protocol.md.
func (j *judge) intrusion(c *call) {
	held := time.Since(j.script)
	if !j.script.IsZero() && path.Dir(c.path) == lockPath && !j.w.troubled && held < c.p.mutex.Stale-j.w.slack() {
		j.fail(2, "%s stamps the lock that a script made, or touched, %v ago", c.p.name, held)
	}
	j.script = time.Time{}
}

// delayed judges that a call waits for a host that cannot be reached.
func (j *judge) delayed(c *call, host *memfs.Client) {
	name := path.Base(c.path)
	if r := j.stamps[name]; r != nil && r.owner == c.p && slices.Contains(j.readers[name], host) {
		j.fail(8, "%s waits for a host that cannot be reached, and where somebody has opened the stamp: %s", c.p.name, c)
	}
}

// slack is by how much an mtime may seem older than it is.
func (w *World) slack() time.Duration { return w.Config.tick() + time.Millisecond }

// after is called when a call has had its effect.
func (j *judge) after(c *call) {
	name := path.Base(c.path)
	switch c.op {
	case "mkdir":
		if c.path == lockPath && c.answer == nil {
			j.maker, j.made = c.p, time.Now()
		}
	case "rmdir":
		if c.path == lockPath && c.answer == nil {
			j.script = time.Time{}
		}
	case "create":
		if !strings.HasPrefix(name, stamp.Prefix) || name == stamp.Vacant {
			return
		}
		s, err := stamp.Parse(name)
		made := c.answer == nil || fsys.Created(c.answer)
		switch known := j.stamps[name]; {
		case known != nil && made:
			j.fail(3, "%s uses a uuid again: %s", c.p.name, name)
		case made && err == nil:
			j.intrusion(c)
			r := &stampRecord{owner: c.p, s: s, beat: time.Now(), there: true}
			if _, there := j.w.server.Lookup(c.path); !there { // in a directory that was moved away
				r.there, r.vandal, r.removed = false, true, time.Now()
			}
			j.stamps[name] = r
		}
	case "read":
		if c.answer == nil {
			j.readers[name] = append(j.readers[name], c.p.host.mount)
		}
	case "probe":
		if r := j.stamps[name]; r != nil && fsys.Is(c.answer, fsys.Busy) {
			r.refused = append(r.refused, c.p)
		}
	case "touch", "setmtime":
		if r := j.stamps[name]; r != nil && c.answer == nil {
			r.silence = r.quiet()
			r.beat, r.stepped = time.Now(), false
		}
	case "unlink":
		if r := j.stamps[name]; r != nil && c.answer == nil && r.owner == c.p && r.thief != nil {
			r.lingered = true
		}
		if r := j.stamps[name]; r != nil && c.answer == nil && (r.there || !r.vandal) {
			r.there, r.removed = false, time.Now()
			if r.owner != c.p {
				r.thief = c.p
				j.w.count.takeovers++
			}
		}
	}
}

// isDropping says what desktops and file servers strew about, which may be deleted. It is not the lock's own list on purpose: if that is
// wrong, a judge that shares it is wrong alike.
func isDropping(name string) bool {
	return name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini" || strings.HasPrefix(name, "._")
}
