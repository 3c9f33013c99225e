package suites

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/fsys/fsystest"
	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// What the test binary is told when it is to try a mount from within, on a host or in the lab's namespaces.
const (
	dirVariable      = "NETLAB_SUITE_DIR"
	readOnlyVariable = "NETLAB_SUITE_READONLY" // an empty directory, by a mount that is read-only
	tickVariable     = "NETLAB_SUITE_TICK"     // how long its clock may stand still
	kindVariable     = "NETLAB_SUITE_KIND"     // what differs with some, see conform
)

// What a mount is tried with. The clocks of the servers tick every 10 ms (user-mode Linux has HZ=100), and once in 10 ms of this side is
// not once in theirs.
var (
	plain = []string{tickVariable + "=25ms"}
	smb   = []string{tickVariable + "=25ms", kindVariable + "=smb"}
	sshfs = []string{tickVariable + "=1100ms", kindVariable + "=sshfs"} // its protocol has whole seconds
)

// The seam, as the operating system's implementation has it there, on every mount.
func TestConformance(t *testing.T) {
	if dir := os.Getenv(dirVariable); dir != "" {
		conform(t, dir)
		return
	}
	t.Run("hosts", func(t *testing.T) {
		lab := netlab.Start(t, "a")
		a, self := lab.Client("a"), lab.Self()
		lab.Server.Must("mkdir", lab.Share+"/empty")
		for kind, with := range map[string][]string{"nfs4": plain, "nfs3": plain, "smb": smb} {
			t.Run(kind, func(t *testing.T) {
				path, readOnly := a.Mount(kind, ""), a.Mount(kind, "ro")
				a.Must("mkdir", path+"/"+kind)
				conformThere(t, a.Place, self, path+"/"+kind, readOnly+"/empty", with)
				a.Must("rmdir", path+"/"+kind) // the suite leaves nothing
			})
		}
	})
	t.Run("local", func(t *testing.T) {
		lab := netlab.Local(t)
		self := lab.Self()
		try := func(t *testing.T, path string, with []string) {
			readOnly := path + ".ro"
			lab.Here.Must("mkdir", "-p", path+"/suite", path+"/empty", readOnly)
			lab.Here.Must("mount", "--bind", path, readOnly)
			lab.Here.Must("mount", "-o", "remount,bind,ro", readOnly)
			conformThere(t, lab.Here, self, path+"/suite", readOnly+"/empty", with)
			lab.Here.Must("rmdir", path+"/suite")
		}
		for _, kind := range netlab.LocalKinds {
			t.Run(kind, func(t *testing.T) { try(t, lab.MountLocal(kind), plain) })
		}
		t.Run("sshfs", func(t *testing.T) {
			a, _ := lab.MountSSHFS("")
			try(t, a, sshfs)
		})
	})
}

func conformThere(t *testing.T, at *netlab.Place, self, dir, readOnly string, with []string) {
	t.Helper()
	_, skipped := runThere(t, at, self, 1, "^TestConformance$", "", append(with, dirVariable+"="+dir, readOnlyVariable+"="+readOnly)...)
	if want := map[bool][]string{true: {"TestConformance/Symlink"}}[strings.HasSuffix(dir, "/smb")]; !slices.Equal(skipped, want) {
		t.Errorf("skipped: %v, want %v", skipped, want)
	}
}

func conform(t *testing.T, dir string) {
	o := fsystest.Options{Symlink: os.Symlink, Fifo: func(path string) error { return unix.Mkfifo(path, 0o644) }, ReadOnly: os.Getenv(readOnlyVariable)}
	switch os.Getenv(kindVariable) {
	case "smb":
		o.NoModes = true
	case "sshfs":
		o.SFTP = true
		o.Symlink = func(target, path string) error { // which absolute ones, or such as lead upwards, cannot be read
			relative, err := filepath.Rel(filepath.Dir(path), target)
			return errors.Join(err, os.Symlink(relative, path))
		}
	}
	tick, err := time.ParseDuration(os.Getenv(tickVariable))
	if err != nil {
		t.Fatal(err)
	}
	o.Advance = func() { time.Sleep(tick) }
	// What the mount does not have is left out.
	if err := os.Symlink("nowhere", dir+"/link"); err != nil {
		o.Symlink = nil
	}
	os.Remove(dir + "/link")
	if err := o.Fifo(dir + "/fifo"); err != nil {
		o.Fifo = nil
	}
	os.Remove(dir + "/fifo")
	fsystest.Run(t, fsys.OS(), dir, o)
}
