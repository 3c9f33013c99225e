package fsystest

import (
	"io/fs"
	"runtime"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

func testMkdir(t *testing.T, s *suite) {
	p := s.dir(t)
	if i := s.stat(t, p); i.Kind != fsys.KindDir {
		t.Errorf("made a %v", i.Kind)
	}
	fails(t, s.f.Mkdir(p, 0o755), p, fsys.Exist)
	s.file(t, join(p, "file"), "")
	fails(t, s.f.Mkdir(p, 0o755), p, fsys.Exist) // not empty makes no difference
	fails(t, s.f.Mkdir(join(p, "file"), 0o755), join(p, "file"), fsys.Exist)
	missing := join(join(p, "missing"), "x")
	fails(t, s.f.Mkdir(missing, 0o755), missing, fsys.NotExist)
	under := join(join(p, "file"), "x")
	fails(t, s.f.Mkdir(under, 0o755), under, underFile()...)
}

func testRmdir(t *testing.T, s *suite) {
	p := s.dir(t)
	file := join(p, "file")
	s.file(t, file, "x")
	fails(t, s.f.Rmdir(p), p, fsys.NotEmpty)
	if s.stat(t, file).Size != 1 {
		t.Error("the entry was changed")
	}
	fails(t, s.f.Rmdir(file), file, fsys.NotDir)
	s.stat(t, file)
	sub := join(p, "sub")
	ok(t, s.f.Mkdir(sub, 0o755))
	ok(t, s.f.Unlink(file))
	fails(t, s.f.Rmdir(p), p, fsys.NotEmpty) // an empty directory in it is something, too
	ok(t, s.f.Rmdir(sub))
	ok(t, s.f.Rmdir(p))
	fails(t, s.f.Rmdir(p), p, fsys.NotExist)
	_, err := s.f.Stat(p)
	fails(t, err, p, fsys.NotExist)
}

func testUnlink(t *testing.T, s *suite) {
	p := s.dir(t)
	file, sub := join(p, "file"), join(p, "sub")
	s.file(t, file, "")
	ok(t, s.f.Mkdir(sub, 0o755))
	if s.f.Unlink(sub) == nil {
		t.Error("removed a directory")
	}
	d := s.open(t, p)
	if d.Unlink("sub") == nil {
		t.Error("removed a directory")
	}
	s.stat(t, sub)
	ok(t, s.f.Unlink(file))
	fails(t, s.f.Unlink(file), file, fsys.NotExist)
	s.file(t, file, "")
	ok(t, d.Unlink("file"))
	fails(t, d.Unlink("file"), file, fsys.NotExist)
	_, err := s.f.Stat(file)
	fails(t, err, file, fsys.NotExist)
}

func testCreate(t *testing.T, s *suite) {
	p := s.dir(t)
	d := s.open(t, p)
	for name, create := range map[string]func(name string, data []byte, mode fs.FileMode) error{
		"byDir":  d.Create,
		"byPath": func(name string, data []byte, mode fs.FileMode) error { return s.f.Create(join(p, name), data, mode) },
	} {
		ok(t, create(name, []byte("first"), 0o640))
		i := s.stat(t, join(p, name))
		if i.Kind != fsys.KindRegular || i.Size != 5 || i.Nlink != 1 {
			t.Errorf("%s: made %+v", name, i)
		}
		if runtime.GOOS != "windows" && !s.opt.NoModes && i.Mode != 0o640 {
			t.Errorf("%s: mode %v, asked for 0640", name, i.Mode)
		}
		err := create(name, []byte("second"), 0o600)
		fails(t, err, join(p, name), fsys.Exist)
		if fsys.Created(err) {
			t.Errorf("%s: claims to have made a file that was there", name)
		}
		if data, err := d.Read(name, 10); string(data) != "first" || err != nil {
			t.Errorf("%s: a create that failed left %q, %v", name, data, err)
		}
		ok(t, create(name+"-empty", nil, 0o644))
		if i := s.stat(t, join(p, name+"-empty")); i.Size != 0 {
			t.Errorf("%s: %d bytes in an empty file", name, i.Size)
		}
	}
	sub := join(p, "sub")
	ok(t, s.f.Mkdir(sub, 0o755))
	fails(t, d.Create("sub", nil, 0o644), sub, fsys.Exist)
	missing := join(join(p, "missing"), "x")
	err := s.f.Create(missing, nil, 0o644)
	if fails(t, err, missing, fsys.NotExist); fsys.Created(err) {
		t.Error("claims to have made a file in a directory that is missing")
	}
	under := join(join(p, "byDir"), "x")
	fails(t, s.f.Create(under, nil, 0o644), under, underFile()...)
}
