package proptest

import (
	"fmt"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// What those do who know nothing of the lock, or only mkdir.

// junk lays something into the lock directory, if there is one: "junk file", "junk dir", "junk dropping", "junk residue".
func (w *World) junk(a Action) error {
	if len(a.Opt) != 1 {
		return fmt.Errorf("what kind of junk?")
	}
	w.junked++
	var err error
	at := fmt.Sprintf("%s/%s-%d", lockPath, a.Opt[0], w.junked)
	switch a.Opt[0] {
	case "file":
		err = w.admin.Create(at, []byte("precious"), 0o644)
	case "dir":
		err = w.admin.Mkdir(at, 0o755)
	case "dropping":
		names := []string{".DS_Store", "Thumbs.db", "desktop.ini", fmt.Sprintf("._%d", w.junked)}
		err = w.admin.Create(lockPath+"/"+names[w.junked%len(names)], nil, 0o644)
		at = ""
	case "residue":
		at = fmt.Sprintf("%s/.nfs%08d", lockPath, w.junked)
		err = w.admin.Create(at, nil, 0o644)
	case "stamplike": // a directory that is called like a stamp
		at = fmt.Sprintf("%s/%sdir-%d", lockPath, stamp.Prefix, w.junked)
		err = w.admin.Mkdir(at, 0o755)
	default:
		return fmt.Errorf("no such junk")
	}
	if err == nil && at != "" {
		w.judge.foreign[at] = w.describe(at)
	}
	return nil // without a lock directory there is nothing to do
}

// byHand is what a shell script does that knows mkdir only: "script mkdir", "script rmdir", "script touch"; or takes the lock from
// its holder, "script unlock"; or moves it away with what is in it, "script move"; or
// somebody who puts a file in its place and takes it away again: "script file", "script rm".
func (w *World) byHand(a Action) error {
	if len(a.Opt) != 1 {
		return fmt.Errorf("which command?")
	}
	switch a.Opt[0] {
	case "mkdir":
		if w.admin.Mkdir(lockPath, 0o755) == nil {
			w.judge.script = time.Now()
		}
	case "rmdir":
		if w.admin.Rmdir(lockPath) == nil {
			w.judge.script = time.Time{}
		}
	case "touch":
		if w.judge.foreign[lockPath] == "" {
			_ = w.admin.Touch(lockPath)
			if !w.judge.script.IsZero() {
				w.judge.script = time.Now()
			}
		}
	case "unlock": // rm -r
		for _, name := range w.server.Names(lockPath) {
			if r := w.judge.stamps[name]; r != nil && w.admin.Unlink(lockPath+"/"+name) == nil {
				r.there, r.vandal, r.removed = false, true, time.Now()
				w.judge.maker = nil // nobody has to answer for the directory that stays
			}
		}
	case "move": // mv
		w.moveAway()
	case "file": // in the place of the lock
		if w.admin.Create(lockPath, []byte("precious"), 0o644) == nil {
			w.judge.foreign[lockPath] = w.describe(lockPath)
		}
	case "rm":
		if w.judge.foreign[lockPath] != "" {
			delete(w.judge.foreign, lockPath)
			_ = w.admin.Unlink(lockPath)
		}
	default:
		return fmt.Errorf("no such command")
	}
	return nil
}

// moveAway gives the lock directory another name. Those whose stamps are in it have lost the lock; what else is in it is where it went.
func (w *World) moveAway() {
	w.junked++
	to := fmt.Sprintf("/moved-%d", w.junked)
	names := w.server.Names(lockPath)
	if w.judge.foreign[lockPath] != "" || w.admin.RenameOver(lockPath, to) != nil {
		return
	}
	w.judge.script, w.judge.maker = time.Time{}, nil
	for _, name := range names {
		if r := w.judge.stamps[name]; r != nil {
			r.there, r.vandal, r.removed = false, true, time.Now()
		}
		if was := w.judge.foreign[lockPath+"/"+name]; was != "" {
			delete(w.judge.foreign, lockPath+"/"+name)
			w.judge.foreign[to+"/"+name] = was
		}
	}
}

// openFile opens the first stamp, as a backup does that runs on a host, or lists the directory and keeps it open: "open NAME dir"; closeFile
// closes what is open there.
func (w *World) openFile(h *Host, a Action) error {
	if len(a.Opt) > 0 && a.Opt[0] == "dir" {
		if f, err := h.mount.Open(lockPath); err == nil {
			h.open = append(h.open, f)
		}
		return nil
	}
	for _, name := range w.server.Names(lockPath) {
		if !strings.HasPrefix(name, stamp.Prefix) {
			continue
		}
		if f, err := h.mount.Open(lockPath + "/" + name); err == nil {
			h.open = append(h.open, f)
			return nil
		}
	}
	return nil
}

func (w *World) closeFiles(h *Host, _ Action) error {
	for _, f := range h.open {
		_ = f.Close()
	}
	h.open = nil
	return nil
}

// forge lays a stamp into the lock directory, which is made if need be: "forge NAME corrupt", of no known format, or "forge NAME
// version", of a later version and by the process NAME.
func (w *World) forge(a Action) error {
	p := w.process(a.On)
	if p == nil || len(a.Opt) != 1 {
		return fmt.Errorf("of whom, and how?")
	}
	w.junked++
	var name string
	switch a.Opt[0] {
	case "corrupt":
		name = fmt.Sprintf("%sgarbage-%d", stamp.Prefix, w.junked)
	case "version":
		s := stamp.Stamp{Version: stamp.Version + 1, UUID: p.uuid(), PID: p.id.PID, Start: p.id.Start, Boot: p.id.Boot, PIDNS: p.id.PIDNS,
			TimeNS: p.id.TimeNS, Heartbeat: p.mutex.Heartbeat, Stale: p.mutex.Stale, Clock: stamp.ClockFS,
			HostHash: stamp.HostHash(p.id.Host), Label: stamp.Label(p.id.Host)}
		name = s.Name() + ".more"
		if s, err := stamp.Parse(name); err == nil {
			w.judge.stamps[name] = &stampRecord{owner: p, s: s, beat: time.Now(), there: true, forged: true}
		}
	default:
		return fmt.Errorf("no such forgery")
	}
	_ = w.admin.Mkdir(lockPath, 0o755)
	if w.admin.Create(lockPath+"/"+name, nil, 0o644) != nil {
		delete(w.judge.stamps, name)
	}
	w.judge.script = time.Time{} // a directory with a stamp in it is no script's
	return nil
}
