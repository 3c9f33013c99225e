//go:build linux

package dirlock_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// changing are all calls that could change a file, a directory, or a time.
const changing = "open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat," +
	"symlink,symlinkat,utime,utimes,futimesat,utimensat,chmod,fchmod,fchmodat,?fchmodat2,chown,fchown,lchown,fchownat,truncate,ftruncate," +
	"fallocate,write,pwrite64,writev,setxattr,lsetxattr,fsetxattr,removexattr,flock,ioctl"

var readingOpen = regexp.MustCompile(`^\d+ +open(at2?)?\(.*O_RDONLY`)

// states are what there can be at a path, with what Inspect calls it.
var states = []struct {
	state, name string
	make        func(t *testing.T, cfg proctest.Config)
}{
	{"free", "nothing", func(*testing.T, proctest.Config) {}},
	{"held", "fresh", func(t *testing.T, cfg proctest.Config) { cfg.Forge(t, 0) }},
	{"held", "fresh and foreign", func(t *testing.T, cfg proctest.Config) { cfg.Forge(t, 0, proctest.Foreign) }},
	{"held", "ahead", func(t *testing.T, cfg proctest.Config) { cfg.Forge(t, -time.Hour, proctest.Foreign) }},
	{"suspect", "old and alive", func(t *testing.T, cfg proctest.Config) { cfg.Forge(t, time.Hour) }},
	{"suspect", "rather old and foreign", func(t *testing.T, cfg proctest.Config) { cfg.Forge(t, cfg.Stale*2/3, proctest.Foreign) }},
	{"stale", "old and dead", func(t *testing.T, cfg proctest.Config) { cfg.Forge(t, time.Hour, proctest.Dead(t)) }},
	{"stale", "old and foreign", func(t *testing.T, cfg proctest.Config) { cfg.Forge(t, time.Hour, proctest.Foreign) }},
	{"stale", "old and corrupt", func(t *testing.T, cfg proctest.Config) { cfg.ForgeName(t, time.Hour, "dirlock-what", nil) }},
	{"held", "with a fifo", func(t *testing.T, cfg proctest.Config) {
		cfg.Forge(t, 0)
		if err := unix.Mkfifo(filepath.Join(cfg.Path, cfg.Stamp().Name()), 0o666); err != nil {
			t.Fatal(err)
		}
	}},
	{"held", "with junk", func(t *testing.T, cfg proctest.Config) {
		cfg.Forge(t, 0)
		write(t, filepath.Join(cfg.Path, ".nfs000012"))
		write(t, filepath.Join(cfg.Path, ".DS_Store"))
	}},
	{"unstamped", "old and empty", func(t *testing.T, cfg proctest.Config) { cfg.ForgeName(t, time.Hour, "x", nil); empty(t, cfg, "x") }},
	{"free", "vacant", func(t *testing.T, cfg proctest.Config) {
		write(t, filepath.Join(cfg.Path, "book"))
		cfg.ForgeName(t, time.Hour, stamp.Vacant, nil)
	}},
	{"notalock", "data", func(t *testing.T, cfg proctest.Config) { cfg.ForgeName(t, time.Hour, "book", nil) }},
	{"notalock", "file", func(t *testing.T, cfg proctest.Config) { write(t, cfg.Path) }},
	{"notalock", "link", func(t *testing.T, cfg proctest.Config) { link(t, "/etc", cfg.Path) }},
	{"stale", "two dead", func(t *testing.T, cfg proctest.Config) {
		cfg.Forge(t, time.Hour, proctest.Dead(t))
		cfg.Forge(t, time.Hour, proctest.Foreign)
	}},
}

func empty(t *testing.T, cfg proctest.Config, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(cfg.Path, name)); err != nil {
		t.Fatal(err)
	}
	proctest.Age(t, cfg.Path, time.Hour)
}

// Looking 100 times changes nothing, and strace saw no call that could.
func TestProcInspectOnlyReads(t *testing.T) {
	proctest.Root(t, "strace")
	t.Parallel()
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := proctest.Quick(filepath.Join(dir, "lock"))
			cfg.Heartbeat, cfg.Stale = 10*time.Second, time.Minute // so that nothing grows old while we look
			log := filepath.Join(t.TempDir(), "strace")
			p := proctest.Start(t, cfg, proctest.Under("strace", "-f", "-qq", "-y", "-s", "4096", "-o", log, "-e", "trace="+changing))
			s.make(t, cfg)
			before := proctest.Tree(t, dir)
			got := p.Want("STATE", "inspect", "100")
			if after := proctest.Tree(t, dir); after != before {
				t.Errorf("changed:\n%snow\n%s", before, after)
			}
			if state, _, _ := strings.Cut(got, " "); state != s.state {
				t.Errorf("it is %s, not %s", got, s.state)
			}
			p.Send("exit")
			p.Exited(proctest.Patience)
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			for line := range strings.Lines(string(text)) {
				if !strings.Contains(line, dir) || strings.Contains(line, " resumed>") { // its flags stand where it began
					continue
				}
				seen++
				if !readingOpen.MatchString(line) || strings.Contains(line, "O_CREAT") || strings.Contains(line, "O_TRUNC") {
					t.Errorf("it called %s", line)
				}
			}
			if seen < 100 {
				t.Errorf("strace saw %d looks, not 100", seen)
			}
		})
	}
}

// Against a real holder, whose heartbeat goes on meanwhile.
func TestProcInspectALivingHolder(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Note = "a note"
	holder := proctest.Start(t, cfg)
	token := holder.Want("ACQ", "acquire")
	m := cfg.Mutex()
	for range 100 {
		r, err := m.Inspect()
		if err != nil {
			t.Fatal(err)
		}
		if r.State != "held" || r.Holder == nil || r.Holder.Token != token || r.Holder.PID != holder.Inner || r.Holder.Note != cfg.Note ||
			!r.AgeKnown || r.HeartbeatAge > cfg.Stale {
			t.Fatalf("%+v", r)
		}
	}
	holder.Want("OK", "check")
	holder.Want("REL", "release")
	sole(t, dir)
}
