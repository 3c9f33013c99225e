//go:build linux

package dirlock_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// litter puts things that are not ours into a lock's directory.
var litter = map[string]func(t *testing.T, path string){
	"a file":      func(t *testing.T, path string) { write(t, filepath.Join(path, "book")) },
	"a directory": func(t *testing.T, path string) { write(t, filepath.Join(path, "sub", "book")) },
	"an nfs name": func(t *testing.T, path string) { write(t, filepath.Join(path, ".nfs00000000017")) },
	"a fuse name": func(t *testing.T, path string) { write(t, filepath.Join(path, ".fuse_hidden00017")) },
	"an smb name": func(t *testing.T, path string) { write(t, filepath.Join(path, ".smbdelete00017")) },
	"a NAS's":     func(t *testing.T, path string) { write(t, filepath.Join(path, "@eaDir", "index")) },
	"a link":      func(t *testing.T, path string) { link(t, "/etc/passwd", filepath.Join(path, "link")) },
	"a fake stamp": func(t *testing.T, path string) {
		write(t, filepath.Join(path, proctest.Quick("").Stamp().Name(), "book"))
	},
}

// survivors describes what in the lock's directory is neither a stamp nor the marker. Times of directories are left out.
func survivors(t *testing.T, path string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(proctest.Tree(t, path)) {
		name, rest, _ := strings.Cut(line, " ")
		if name != "." && name != stamp.Vacant && !strings.HasPrefix(rest, "-") || strings.Contains(name, "/") || strings.Contains(line, "book") ||
			strings.HasPrefix(name, ".") && name != "." {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// Something lands in a held lock: the release leaves it, and the lock is free all the same, for good.
func TestProcJunkInAHeldLock(t *testing.T) {
	t.Parallel()
	for name, drop := range litter {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := proctest.Quick(filepath.Join(dir, "lock"))
			a, b := proctest.Start(t, cfg), proctest.Start(t, cfg)
			a.Want("ACQ", "acquire")
			drop(t, cfg.Path)
			before := survivors(t, cfg.Path)
			a.Want("REL", "release")
			proctest.Age(t, cfg.Path, time.Hour) // it must not grow into somebody's data
			for range 3 {
				b.Want("ACQ", "try")
				a.Want("HELD", "try")
				b.Want("REL", "release")
				a.Want("ACQ", "try")
				a.Want("REL", "release")
			}
			if after := survivors(t, cfg.Path); after != before || before == "" {
				t.Errorf("the junk was\n%sand is\n%s", before, after)
			}
			if err := os.RemoveAll(cfg.Path); err != nil { // a person tidies up
				t.Fatal(err)
			}
			works(t, b)
			sole(t, dir)
		})
	}
}

// Something lies in a lock whose owner is dead.
func TestProcJunkInADeadLock(t *testing.T) {
	t.Parallel()
	for name, drop := range litter {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := proctest.Quick(filepath.Join(dir, "lock"))
			cfg.Forge(t, time.Hour, proctest.Dead(t))
			drop(t, cfg.Path)
			proctest.Age(t, cfg.Path, time.Hour)
			before := survivors(t, cfg.Path)
			p := proctest.Start(t, cfg)
			works(t, p)
			works(t, p)
			if after := survivors(t, cfg.Path); after != before || before == "" {
				t.Errorf("the junk was\n%sand is\n%s", before, after)
			}
		})
	}
}

// What desktops strew about is nobody's, and goes with the lock.
func TestProcDroppings(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	p := proctest.Start(t, cfg)
	p.Want("ACQ", "acquire")
	for _, name := range []string{".DS_Store", "._x", "Thumbs.db", "desktop.ini"} {
		write(t, filepath.Join(cfg.Path, name))
	}
	p.Want("REL", "release")
	sole(t, dir)
}

// A file that is open somewhere keeps its .nfs name until it is closed: the releaser waits a moment for that.
func TestProcSillyRenameGoesAway(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	p := proctest.Start(t, cfg)
	p.Want("ACQ", "acquire")
	silly := filepath.Join(cfg.Path, ".nfs00000000017")
	write(t, silly)
	p.Send("release")
	time.Sleep(50 * time.Millisecond)
	if err := os.Remove(silly); err != nil {
		t.Fatal(err)
	}
	p.Expect("REL", proctest.Patience)
	works(t, p)
	sole(t, dir)
}

// A crash at any step with something in the directory: the lock frees itself, and what lies there stays.
func TestProcKillAtEveryCallWithJunk(t *testing.T) {
	t.Parallel()
	junk := func(t *testing.T, p *proctest.Proc) {
		write(t, filepath.Join(p.Path, "book"))
		proctest.Age(t, p.Path, time.Hour)
	}
	for _, r := range []role{
		{"acquirer", func(t *testing.T, p *proctest.Proc) {
			p.ForgeName(t, time.Hour, stamp.Vacant, nil)
			junk(t, p)
		}, "acquire", true},
		{"releaser", func(t *testing.T, p *proctest.Proc) {
			p.Want("ACQ", "acquire")
			junk(t, p)
		}, "release", true},
		{"thief", func(t *testing.T, p *proctest.Proc) {
			p.Forge(t, time.Hour, proctest.Dead(t))
			junk(t, p)
		}, "acquire", true},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			for _, pos := range survey(t, r) {
				t.Run(pos.String(), func(t *testing.T) {
					t.Parallel()
					killWithJunk(t, r, pos)
				})
			}
		})
	}
}

func killWithJunk(t *testing.T, r role, pos position) {
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	p, next := proctest.Start(t, cfg), proctest.Start(t, cfg)
	r.prepare(t, p)
	pid := p.Pid()
	s := &places{role: r, at: pos.n}
	s.do = func(proctest.Call) proctest.Reply {
		unix.Kill(pid, unix.SIGKILL)
		return proctest.Reply{}
	}
	p.Guard(dir, s.reply)
	s.arm(true)
	p.Send(r.word)
	p.Exited(proctest.Patience)
	proctest.Age(t, cfg.Path, time.Hour) // nobody comes for a while
	next.Want("ACQ", "acquire")
	next.Want("REL", "release")
	if names := proctest.Names(cfg.Path); names != "book "+stamp.Vacant {
		t.Errorf("in the lock's directory: %s", names)
	}
	works(t, next)
}
