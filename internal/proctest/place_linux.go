package proctest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Disk returns a fresh directory that is not in memory.
func Disk(t testing.TB) string {
	t.Helper()
	if Away() {
		return awayDir(t)
	}
	for _, base := range []string{os.TempDir(), "/var/tmp"} {
		if !inMemory(t, base) {
			return tempDir(t, base)
		}
	}
	t.Fatal("no directory for temporary files is on a disk")
	return ""
}

// Memory returns a fresh directory on tmpfs.
func Memory(t testing.TB) string {
	t.Helper()
	if Away() {
		return awayDir(t)
	}
	if !inMemory(t, "/dev/shm") {
		t.Fatal("/dev/shm is not a tmpfs")
	}
	return tempDir(t, "/dev/shm")
}

func inMemory(t testing.TB, dir string) bool {
	t.Helper()
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	return s.Type == unix.TMPFS_MAGIC
}

// Each runs f with a fresh directory on a disk, then with one in memory.
func Each(t *testing.T, f func(t *testing.T, dir string)) {
	if Away() {
		t.Run(elsewhere.Name, func(t *testing.T) { f(t, awayDir(t)) })
		return
	}
	t.Run("disk", func(t *testing.T) { f(t, Disk(t)) })
	t.Run("tmpfs", func(t *testing.T) { f(t, Memory(t)) })
}

// Root fails the test on a machine where it cannot do what it is about: without root, or without one of the programs.
func Root(t testing.TB, programs ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can make namespaces, change users and limits: NOT TESTED")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatal(err)
		}
	}
}

// public is a copy of the test binary where any user may run it; the go command keeps its own to itself.
var public = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	from, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer from.Close()
	dir, err := os.MkdirTemp("", "mkdirlock-")
	if err != nil {
		return "", err
	}
	publicDir = dir
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	// No child is to be begun that has the file open for writing, too, for as long as it has not become what it is to be: what
	// anybody has open so cannot be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	to, err := os.OpenFile(filepath.Join(dir, filepath.Base(self)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(to, from); err != nil {
		return "", err
	}
	return to.Name(), to.Close()
})

var publicDir string

// Clean removes what was made for all tests together. TestMain calls it last.
func Clean() {
	if publicDir != "" {
		os.RemoveAll(publicDir)
	}
}

// AsNobody runs the child as a user without rights, 1000.
func AsNobody(t testing.TB) Option {
	t.Helper()
	program, err := public()
	if err != nil {
		t.Fatal(err)
	}
	return func(p *Proc) {
		p.cmd.Args[len(p.cmd.Args)-1] = program
		Under("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups")(p)
	}
}
