package fsystest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

func testOpenDir(t *testing.T, s *suite) {
	p := s.dir(t)
	file := join(p, "file")
	s.file(t, file, "")
	_, err := s.f.OpenDir(file)
	fails(t, err, file, fsys.NotDir)
	missing := join(p, "missing")
	_, err = s.f.OpenDir(missing)
	fails(t, err, missing, fsys.NotExist)
}

func testClosed(t *testing.T, s *suite) {
	p := s.dir(t)
	d, err := s.f.OpenDir(p)
	ok(t, err)
	ok(t, d.Close())
	_, listErr := d.List()
	_, statErr := d.Stat("x")
	_, readErr := d.Read("x", 1)
	_, infoErr := d.Info()
	_, traitsErr := d.Traits()
	_, guardErr := d.Guard("x")
	_, probeErr := d.Probe("x")
	for op, err := range map[string]error{
		"Close": d.Close(), "Create": d.Create("x", nil, 0o644), "Unlink": d.Unlink("x"), "Grant": d.Grant(0o755),
		"List": listErr, "Stat": statErr, "Read": readErr, "Info": infoErr, "Traits": traitsErr,
		"Guard": guardErr, "Probe": probeErr,
	} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s on a closed directory: %v", op, err)
		}
	}
}

// listed checks that d lists these names, no others, none twice; a kind may be unknown but not wrong.
func listed(t *testing.T, d fsys.Dir, want map[string]fsys.Kind) {
	t.Helper()
	list, err := d.List()
	ok(t, err)
	left := maps.Clone(want)
	for _, e := range list {
		k, there := left[e.Name]
		if !there {
			t.Errorf("lists %q, which is not there or was listed before", e.Name)
		} else if e.Kind != k && e.Kind != fsys.KindUnknown {
			t.Errorf("lists %q as %v, is %v", e.Name, e.Kind, k)
		}
		delete(left, e.Name)
	}
	if len(left) > 0 {
		t.Errorf("does not list %v", left)
	}
}

func testList(t *testing.T, s *suite) {
	p := s.dir(t)
	d := s.open(t, p)
	want := map[string]fsys.Kind{}
	listed(t, d, want)
	for _, name := range []string{"a", ".hidden", "z with blank", "dirlock-x"} {
		ok(t, d.Create(name, nil, 0o644))
		want[name] = fsys.KindRegular
		listed(t, d, want) // each listing is from the start, and as of now
	}
	ok(t, s.f.Mkdir(join(p, "sub"), 0o755))
	want["sub"] = fsys.KindDir
	listed(t, d, want)
	ok(t, d.Unlink("a"))
	ok(t, s.f.Rmdir(join(p, "sub")))
	delete(want, "a")
	delete(want, "sub")
	listed(t, d, want)
	listed(t, s.open(t, p), want)
}

func testListLong(t *testing.T, s *suite) {
	p := s.dir(t)
	d := s.open(t, p)
	want := map[string]fsys.Kind{}
	for i := range 300 {
		name := fmt.Sprintf("%d-%s", i, strings.Repeat("x", i%100))
		ok(t, d.Create(name, nil, 0o644))
		want[name] = fsys.KindRegular
	}
	listed(t, d, want)
	listed(t, d, want)
}

func testGrant(t *testing.T, s *suite) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes on Windows")
	}
	p := s.dir(t)
	d := s.open(t, p)
	var stays fs.FileMode
	for _, mode := range []fs.FileMode{0o700, 0o775, 0o755 | fs.ModeSetgid, 0o777 | fs.ModeSticky, 0o755, 0o755} {
		ok(t, d.Grant(mode))
		stays |= mode &^ fs.ModePerm
		i, err := d.Info()
		ok(t, err)
		if s.opt.NoModes { // to ask for them must do no harm
			i.Mode = mode | stays
		} else if i.Mode != s.stat(t, p).Mode {
			t.Errorf("%v by descriptor, %v by path", i.Mode, s.stat(t, p).Mode)
		}
		if want := mode | stays; i.Mode != want || i.Kind != fsys.KindDir {
			t.Errorf("granted %v, it has %v, want %v", mode, i.Mode, want)
		}
	}
}

func testRemovedDir(t *testing.T, s *suite) {
	p := s.dir(t)
	d := s.open(t, p)
	ok(t, s.f.Rmdir(p))
	err := d.Create("x", []byte("data"), 0o644)
	if s.opt.ByPath && err == nil {
		ok(t, d.Unlink("x"))
		ok(t, d.Close())
		t.Skip("a removed directory takes files for as long as it is open: wine does, Windows does not")
	}
	gone := gone
	if s.opt.ByPath { // the removal is pending
		gone = append(slices.Clip(gone), fsys.Access, fsys.Busy)
	}
	if fails(t, err, join(p, "x"), gone...); fsys.Created(err) {
		t.Error("claims to have made a file in a directory that is gone")
	}
	fails(t, d.Unlink("x"), join(p, "x"), gone...)
	_, err = d.Stat("x")
	fails(t, err, join(p, "x"), gone...)
	if list, err := d.List(); err == nil && len(list) > 0 {
		t.Errorf("lists %v in a directory that is gone", list)
	} else if err != nil {
		fails(t, err, p, gone...)
	}
	if i, err := d.Info(); err == nil && i.Nlink > 0 {
		t.Errorf("a directory that is gone has %d links", i.Nlink)
	}
}

func testReplacedDir(t *testing.T, s *suite) {
	if s.opt.ByPath {
		t.Skip("directories are known by path here: a documented limit")
	}
	p := s.dir(t)
	d := s.open(t, p)
	listed(t, d, nil) // a host that goes off with the directory listed must not keep its name: an SMB server waits for that one
	ok(t, s.f.Rmdir(p))
	ok(t, s.f.Mkdir(p, 0o755))
	s.file(t, join(p, "theirs"), "")
	fails(t, d.Create("ours", nil, 0o644), join(p, "ours"), gone...)
	fails(t, d.Unlink("theirs"), join(p, "theirs"), gone...)
	listed(t, s.open(t, p), map[string]fsys.Kind{"theirs": fsys.KindRegular})
}
