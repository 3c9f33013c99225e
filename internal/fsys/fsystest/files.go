package fsystest

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

func testStat(t *testing.T, s *suite) {
	p := s.dir(t)
	d := s.open(t, p)
	s.file(t, join(p, "file"), "12345")
	a := s.stat(t, join(p, "file"))
	b, err := d.Stat("file")
	ok(t, err)
	if a != b {
		t.Errorf("by path %+v, by directory %+v", a, b)
	}
	dir, self := s.stat(t, p), fsys.Info{}
	self, err = d.Info()
	ok(t, err)
	if dir != self || dir.Kind != fsys.KindDir || dir.Nlink == 0 {
		t.Errorf("by path %+v, by descriptor %+v", dir, self)
	}
	if a.Kind != fsys.KindRegular || a.Size != 5 || a.Dev != dir.Dev || a.Mtime.IsZero() {
		t.Errorf("file: %+v, directory: %+v", a, dir)
	}
	ok(t, d.Unlink("file"))
	_, err = s.f.Stat(join(p, "file"))
	fails(t, err, join(p, "file"), fsys.NotExist)
	_, err = d.Stat("file")
	fails(t, err, join(p, "file"), fsys.NotExist)
	_, err = s.f.Stat(join(join(p, "missing"), "x"))
	fails(t, err, join(join(p, "missing"), "x"), fsys.NotExist)
}

func testRead(t *testing.T, s *suite) {
	p := s.dir(t)
	d := s.open(t, p)
	long := strings.Repeat("0123456789", 2000)
	for name, content := range map[string]string{"empty": "", "short": "abc", "long": long} {
		s.file(t, join(p, name), content)
		for _, max := range []int{len(content), len(content) + 1, 1 << 20} {
			if data, err := d.Read(name, max); string(data) != content || err != nil {
				t.Errorf("%s, at most %d: %d bytes, %v", name, max, len(data), err)
			}
		}
		if content == "" {
			continue
		}
		data, err := d.Read(name, len(content)-1)
		if !errors.Is(err, fsys.ErrTooLong) || string(data) != content[:len(content)-1] {
			t.Errorf("%s, at most %d: %d bytes, %v", name, len(content)-1, len(data), err)
		}
	}
	_, err := d.Read("missing", 10)
	fails(t, err, join(p, "missing"), fsys.NotExist)
}

func testNotRegular(t *testing.T, s *suite) {
	p := s.dir(t)
	d := s.open(t, p)
	ok(t, s.f.Mkdir(join(p, "sub"), 0o755))
	names := map[string]fsys.Kind{"sub": fsys.KindDir}
	if s.opt.Fifo != nil {
		ok(t, s.opt.Fifo(join(p, "fifo")))
		names["fifo"] = fsys.KindOther
	}
	listed(t, d, names)
	for name, kind := range names {
		if i := s.stat(t, join(p, name)); i.Kind != kind {
			t.Errorf("%s is a %v", name, i.Kind)
		}
		// All that could open it, against the clock: to open a FIFO blocks for ever.
		done := make(chan error, 1)
		go func() {
			_, err := d.Read(name, 10)
			done <- errors.Join(s.f.Touch(join(p, name)), notRegular(err))
		}()
		select {
		case err := <-done:
			ok(t, err)
		case <-time.After(10 * time.Second):
			t.Fatalf("%s blocks whoever looks at it", name)
		}
		fails(t, d.Create(name, nil, 0o644), join(p, name), fsys.Exist)
		if kind == fsys.KindDir {
			continue
		}
		_, err := s.f.OpenDir(join(p, name))
		fails(t, err, join(p, name), fsys.NotDir)
	}
}

func notRegular(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fsys.ErrNotRegular) {
		return nil
	}
	return errors.New("read something that is not a file: " + errString(err))
}

func errString(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

func testSymlink(t *testing.T, s *suite) {
	if s.opt.Symlink == nil {
		t.Skip("no links to be had")
	}
	p := s.dir(t)
	d := s.open(t, p)
	target, to := join(p, "target"), join(p, "to")
	ok(t, s.f.Mkdir(target, 0o755))
	s.file(t, join(target, "file"), "content")
	ok(t, s.opt.Symlink(target, to))
	_, err := s.f.OpenDir(to)
	fails(t, err, to, fsys.NotDir)
	if i := s.stat(t, to); i.Kind != fsys.KindSymlink {
		t.Errorf("stat follows the link to a %v", i.Kind)
	}
	fails(t, s.f.Mkdir(to, 0o755), to, fsys.Exist)
	fails(t, s.f.Rmdir(to), to, fsys.NotDir)
	ok(t, s.f.Unlink(to))
	s.stat(t, join(target, "file"))

	ok(t, s.opt.Symlink(join(p, "dangling"), to))
	fails(t, d.Create("to", []byte("x"), 0o644), to, fsys.Exist)
	_, err = s.f.Stat(join(p, "dangling"))
	fails(t, err, join(p, "dangling"), fsys.NotExist)
	ok(t, d.Unlink("to"))

	ok(t, s.opt.Symlink(join(target, "file"), to))
	listed(t, d, map[string]fsys.Kind{"target": fsys.KindDir, "to": fsys.KindSymlink})
	if data, err := d.Read("to", 100); err == nil {
		t.Errorf("read %q through a link", data)
	}
	before := s.stat(t, join(target, "file"))
	s.opt.Advance()
	if err := s.f.Touch(to); err != nil && !fsys.Is(err, fsys.NotDir) {
		t.Error(err)
	}
	ok(t, s.f.SetMtime(to, time.Unix(1e9, 0)))
	if after := s.stat(t, join(target, "file")); after != before && !s.opt.SFTP {
		t.Errorf("touched through a link: %+v, was %+v", after, before)
	}
}
