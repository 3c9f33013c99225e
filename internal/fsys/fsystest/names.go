package fsystest

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

func testNames(t *testing.T, s *suite) {
	p := s.dir(t)
	d := s.open(t, p)
	traits, err := d.Traits()
	ok(t, err)
	if traits.NameMax == 0 {
		t.Skip("the longest name is not known here")
	}
	if traits.NameMax < 200 {
		t.Fatalf("names of %d bytes at most: no room for a stamp", traits.NameMax)
	}
	if traits.NameMax <= 255 { // it may count characters, so that more bytes are accepted
		name := strings.Repeat("n", traits.NameMax)
		ok(t, d.Create(name, nil, 0o644))
		listed(t, d, map[string]fsys.Kind{name: fsys.KindRegular})
		ok(t, d.Unlink(name))
		name += "n"
		_, err = d.Stat(name)
		for _, err := range []error{d.Create(name, nil, 0o644), s.f.Mkdir(join(p, name), 0o755), err} {
			if !s.opt.SFTP {
				fails(t, err, join(p, name), fsys.NameTooLong)
			} else if err == nil || fsys.Created(err) {
				t.Errorf("a name of %d bytes: %v", len(name), err)
			}
		}
	}
	long := join(p, strings.Repeat(strings.Repeat("d", 200)+string(sep), 200)+"x")
	if err := s.f.Mkdir(long, 0o755); !fsys.Is(err, fsys.NameTooLong) && !fsys.Is(err, fsys.NotExist) {
		t.Errorf("a path of 40,000 bytes: %s", errString(err))
	}
}

func testReadOnly(t *testing.T, s *suite) {
	if s.opt.ReadOnly == "" {
		t.Skip("no read-only mount to be had")
	}
	p := join(s.opt.ReadOnly, "x")
	traits, err := s.f.Traits(s.opt.ReadOnly)
	ok(t, err)
	if !traits.ReadOnly {
		t.Errorf("not said to be read-only: %+v", traits)
	}
	fails(t, s.f.Mkdir(p, 0o755), p, fsys.ReadOnlyFS)
	err = s.f.Create(p, nil, 0o644)
	if fails(t, err, p, fsys.ReadOnlyFS); fsys.Created(err) {
		t.Error("claims to have made a file")
	}
	fails(t, s.f.Touch(s.opt.ReadOnly), s.opt.ReadOnly, fsys.ReadOnlyFS)
	listed(t, s.open(t, s.opt.ReadOnly), nil)
}

func testTraits(t *testing.T, s *suite) {
	p := s.dir(t)
	a, err := s.f.Traits(p)
	ok(t, err)
	b, err := s.open(t, p).Traits()
	ok(t, err)
	if a != b || a.Type == "" || a.ReadOnly || a.Dev != s.stat(t, p).Dev {
		t.Errorf("by path %+v, by descriptor %+v", a, b)
	}
	_, err = s.f.Traits(join(p, "missing"))
	fails(t, err, join(p, "missing"), fsys.NotExist)
	if s.f.Mount(p) != s.f.Mount(join(p, "missing")) {
		t.Error("a mount is a matter of the file's being there")
	}
}

func testResolve(t *testing.T, s *suite) {
	p := s.dir(t)
	root, err := s.f.Resolve(p)
	ok(t, err)
	if !filepath.IsAbs(root) {
		t.Fatalf("%q is not absolute", root)
	}
	slash := string(sep)
	sub := join(p, "sub")
	ok(t, s.f.Mkdir(sub, 0o755))
	s.file(t, join(p, "file"), "")
	want := join(root, "x")
	cases := []string{join(p, "x"), join(p, "x") + slash, join(p, "x") + slash + slash, p + slash + slash + "x",
		join(join(p, "."), "x"), join(join(sub, ".."), "x")}
	if s.opt.Symlink != nil {
		ok(t, s.opt.Symlink(sub, join(p, "to")))
		cases = append(cases, join(join(join(p, "to"), ".."), "x"))
		// The last element is left alone, whatever it is.
		for _, path := range []string{join(p, "to"), join(p, "to") + slash} {
			if got, err := s.f.Resolve(path); got != join(root, "to") || err != nil {
				t.Errorf("%q is %q, %v", path, got, err)
			}
		}
		if got, err := s.f.Resolve(join(join(p, "to"), "x")); got != join(join(root, "sub"), "x") || err != nil {
			t.Errorf("a parent's link: %q, %v", got, err)
		}
		ok(t, s.opt.Symlink(join(p, "nowhere"), join(p, "dangling")))
		_, err := s.f.Resolve(join(join(p, "dangling"), "x"))
		if !fsys.Is(err, fsys.NotExist) {
			t.Errorf("a parent that is a dangling link: %s", errString(err))
		}
	}
	for _, path := range cases {
		if got, err := s.f.Resolve(path); got != want || err != nil {
			t.Errorf("%q is %q, %v, want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"", slash, slash + slash, ".", "..", join(p, "."), join(p, ".."), join(p, ".") + slash,
		"x\x00y", join(p, "x\x00")} {
		if got, err := s.f.Resolve(path); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q is %q, %v, want it refused", path, got, err)
		}
	}
	for path, classes := range map[string][]fsys.Class{
		join(join(p, "missing"), "x"): {fsys.NotExist},
		join(join(p, "file"), "x"):    underFile(),
	} {
		_, err := s.f.Resolve(path)
		pe, is := errors.AsType[*fs.PathError](err)
		if !is || strings.TrimRight(pe.Path, slash) != filepath.Dir(path) {
			t.Errorf("%q: %v does not name the parent", path, err)
			continue
		}
		fails(t, err, pe.Path, classes...)
	}
}
