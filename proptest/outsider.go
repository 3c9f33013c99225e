package proptest

import (
	"fmt"
	"strings"

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
		err = w.admin.Create(fmt.Sprintf("%s/._%d", lockPath, w.junked), nil, 0o644)
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

// byHand is what a shell script does that knows mkdir only: "script mkdir", "script rmdir", "script touch".
func (w *World) byHand(a Action) error {
	if len(a.Opt) != 1 {
		return fmt.Errorf("which command?")
	}
	switch a.Opt[0] {
	case "mkdir":
		_ = w.admin.Mkdir(lockPath, 0o755)
	case "rmdir":
		_ = w.admin.Rmdir(lockPath)
	case "touch":
		_ = w.admin.Touch(lockPath)
	default:
		return fmt.Errorf("no such command")
	}
	return nil
}

// openFile opens the first stamp, as a backup does that runs on a host; closeFile closes what is open there.
func (w *World) openFile(h *Host, _ Action) error {
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
