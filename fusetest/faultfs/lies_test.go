//go:build linux

package faultfs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

func mtime(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := unix.UtimesNanoAt(unix.AT_FDCWD, path, nil, 0); err != nil {
		t.Fatal(err)
	}
}

func TestTimesThatLie(t *testing.T) {
	m := mount(t)
	furnish(t, m)
	f := filepath.Join(m.Point, "d/f")
	still, err := m.Add(faultfs.Rule{Still: true})
	if err != nil {
		t.Fatal(err)
	}
	touch(t, f)
	if got := mtime(t, f); got.Unix() != 1 {
		t.Error("it was to stand still, and is", got)
	}
	if err := m.Remove(still); err != nil {
		t.Fatal(err)
	}
	touch(t, f)
	if got := mtime(t, f); time.Since(got) > time.Minute {
		t.Error("it was to move, and is", got)
	}
	if _, err := m.Add(faultfs.Rule{Coarse: 2 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if got := mtime(t, f); got.Unix()%2 != 0 || got.Nanosecond() != 0 {
		t.Error("it was to be a multiple of 2 s, and is", got)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestListingsThatLie(t *testing.T) {
	m := mount(t)
	furnish(t, m)
	id, err := m.Add(faultfs.Rule{Omit: true, Path: "d"})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, m.Point); !slices.Equal(got, []string{"empty"}) {
		t.Error("d was to be left out:", got)
	}
	if err := m.Remove(id); err != nil {
		t.Fatal(err)
	}
	if id, err = m.Add(faultfs.Rule{Keep: true}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Unlink(m.Point+"/d/f"), syscall.Rmdir(m.Point+"/empty")); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string][]string{"": {"d", "empty"}, "d": {"f"}} {
		if got := names(t, filepath.Join(m.Point, dir)); !slices.Equal(got, want) {
			t.Errorf("listed in %q: %v, want %v", dir, got, want)
		}
	}
	if _, err := os.Lstat(m.Point + "/d/f"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it is listed, and there as well:", err)
	}
	if err := m.Remove(id); err != nil {
		t.Fatal(err)
	}
	if got := names(t, m.Point+"/d"); len(got) > 0 {
		t.Error("what was removed is listed without a lie:", got)
	}
}

func TestCache(t *testing.T) {
	m := mount(t)
	furnish(t, m)
	f, missing := filepath.Join(m.Point, "d/f"), filepath.Join(m.Point, "later")
	looks := func() (time.Time, bool) { return mtime(t, f), there(missing) }
	change := func(at time.Time) {
		if err := errors.Join(os.Chtimes(m.Dir+"/d/f", at, at), os.WriteFile(m.Dir+"/later", nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Add(faultfs.Rule{Cache: time.Hour}); err != nil {
		t.Fatal(err)
	}
	looks()
	change(time.Unix(2, 0))
	if at, late := looks(); at.Unix() != 1 || late {
		t.Errorf("with a cache: %v, %v", at, late)
	}
	var forced unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, f, unix.AT_STATX_FORCE_SYNC, unix.STATX_MTIME, &forced); err != nil || forced.Mtime.Sec != 2 {
		t.Error("a forced stat:", forced.Mtime, err)
	}

	fresh := mount(t)
	furnish(t, fresh)
	f, missing = filepath.Join(fresh.Point, "d/f"), filepath.Join(fresh.Point, "later")
	m = fresh
	looks()
	change(time.Unix(2, 0))
	if at, late := looks(); at.Unix() != 2 || !late {
		t.Errorf("without a cache: %v, %v", at, late)
	}
}
