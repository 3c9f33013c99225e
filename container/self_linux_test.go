package container

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"time"
)

func TestSelf(t *testing.T) {
	got := Self()
	t.Logf("%q, namespaces %v, because of %q", got, got.Namespaces, got.Evidence)
	if want := Detect(os.DirFS("/"), os.Getenv); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
	if _, err := os.Readlink("/proc/self/ns/pid"); err != nil {
		t.Fatalf("the test needs /proc: %v", err)
	}
	// What a caller does with the answer is not seen by the next one.
	evidence, namespaces := slices.Clone(got.Evidence), slices.Clone(got.Namespaces)
	for _, list := range [][]string{got.Evidence, got.Namespaces} {
		for i := range list {
			list[i] = "changed"
		}
	}
	if second := Self(); !slices.Equal(second.Evidence, evidence) || !slices.Equal(second.Namespaces, namespaces) {
		t.Errorf("a caller changed the answer to %#v", second)
	}
}

// fifos puts FIFOs where files are looked for: a plain open of one waits for a writer, for ever.
func fifos(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{
		".dockerenv", "run/.containerenv", "run/systemd/container", "run/host/container-manager", "proc/1/environ",
		"proc/self/mountinfo", "proc/self/cgroup", "proc/self/uid_map", "proc/sys/kernel/hostname", "proc/sys/kernel/osrelease",
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(p, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s blocks", what)
	}
}

func TestFIFOs(t *testing.T) {
	dir := fifos(t)
	for name, fsys := range map[string]fs.FS{"os.DirFS": os.DirFS(dir), "root": newRoot(dir)} {
		within(t, name, func() {
			if got := Detect(fsys, nil); got.Detected() || len(got.Evidence) > 0 {
				t.Errorf("%s: got %#v", name, got)
			}
		})
	}
}

// lying says "regular" of everything, as the look did before somebody replaced the file.
type lying struct{ root }

func (lying) Lstat(name string) (fs.FileInfo, error) { return info{0o644, name}, nil }

func TestFileReplacedByFIFO(t *testing.T) {
	dir := fifos(t)
	within(t, "an open of a FIFO", func() {
		if got := Detect(lying{newRoot(dir)}, nil); got.Runtime != "" {
			t.Errorf("got %#v", got)
		}
	})
}

func TestRootOpen(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "l")); err != nil {
		t.Fatal(err)
	}
	r := newRoot(dir)
	if data, err := fs.ReadFile(r, "a"); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := r.Open("l"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link at the end: %v", err)
	}
	for _, name := range []string{"../a", "/a", ""} {
		if _, err := r.Open(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
