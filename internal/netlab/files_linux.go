package netlab

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// Push copies a file of this machine to where every host has it, executable, also after a reboot, and returns its path there.
func (l *Lab) Push(file string) string {
	l.tb.Helper()
	here, there := l.place(filepath.Base(file))
	if err := copyFile(file, here); err != nil {
		l.tb.Fatal(err)
	}
	return there
}

// Self pushes the test binary that runs. Under an environment of its own it can be the second process, on another host.
func (l *Lab) Self() string {
	l.tb.Helper()
	self, err := os.Executable()
	if err != nil {
		l.tb.Fatal(err)
	}
	return l.Push(self)
}

// Build compiles the main package, statically, and pushes the program.
func (l *Lab) Build(pkg string) string {
	l.tb.Helper()
	here, there := l.place(path.Base(pkg))
	compile(l.tb, "build", here, pkg)
	return there
}

// BuildTest compiles the package's tests, statically, and pushes the test binary.
func (l *Lab) BuildTest(pkg string) string {
	l.tb.Helper()
	here, there := l.place(path.Base(pkg) + ".test")
	compile(l.tb, "test", here, "-c", pkg)
	return there
}

// place makes room for one more file: each has a directory of its own, since a host may still run one of the same name.
func (l *Lab) place(name string) (here, there string) {
	l.tb.Helper()
	l.mu.Lock()
	l.files++
	dir := fmt.Sprintf("/files/%d", l.files)
	l.mu.Unlock()
	if err := os.Mkdir(l.root+dir, 0o755); err != nil {
		l.tb.Fatal(err)
	}
	return l.root + dir + "/" + name, wire.Lab + dir + "/" + name
}

func compile(tb testing.TB, verb, to string, args ...string) {
	tb.Helper()
	cmd := exec.Command("go", append([]string{verb, "-buildvcs=false", "-o", to}, args...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("netlab: %s: %v\n%s", cmd, err, out)
	}
}

func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}
