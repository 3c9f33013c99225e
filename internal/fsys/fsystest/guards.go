package fsystest

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// testGuards tries what the proof of a death rests on: who has the guard keeps out all who probe, until it has ended, and who probes keeps
// out those who want the guard, until it has done what it probed for.
func testGuards(t *testing.T, s *suite) {
	p := s.dir(t)
	d, other := s.open(t, p), s.open(t, p)
	traits, err := d.Traits()
	ok(t, err)
	if !traits.Guards {
		t.Logf("there are no guards on %s, and nothing is asked of them", traits.Type)
		return
	}
	stamp := join(p, "stamp")
	s.file(t, stamp, "content")

	first, err := other.Probe("stamp")
	ok(t, err)
	second, err := d.Probe("stamp")
	ok(t, err)
	_, err = d.Guard("stamp")
	fails(t, err, stamp, fsys.Busy)
	ok(t, first.Close())
	_, err = d.Guard("stamp")
	fails(t, err, stamp, fsys.Busy)
	ok(t, second.Close())
	if err := second.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}

	guard, err := d.Guard("stamp")
	ok(t, err)
	for _, d := range []fsys.Dir{d, other} {
		_, err = d.Probe("stamp")
		fails(t, err, stamp, fsys.Busy)
		_, err = d.Guard("stamp")
		fails(t, err, stamp, fsys.Busy)
	}
	if data, err := other.Read("stamp", 100); string(data) != "content" || err != nil { // it keeps nobody from reading
		t.Errorf("%q, %v", data, err)
	}
	ok(t, s.f.Touch(stamp))
	ok(t, guard.Close())
	if err := guard.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	third, err := other.Probe("stamp")
	ok(t, err)
	ok(t, d.Unlink("stamp"))
	ok(t, third.Close())

	// What has lost its name is another file than the next of that name.
	s.file(t, stamp, "")
	guard, err = d.Guard("stamp")
	ok(t, err)
	ok(t, d.Unlink("stamp"))
	s.file(t, stamp, "")
	third, err = d.Probe("stamp")
	ok(t, err)
	ok(t, third.Close())
	ok(t, guard.Close())

	_, err = d.Probe("missing")
	fails(t, err, join(p, "missing"), fsys.NotExist)
	_, err = d.Guard("missing")
	fails(t, err, join(p, "missing"), fsys.NotExist)
	ok(t, s.f.Mkdir(join(p, "sub"), 0o755))
	_, err = d.Probe("sub")
	ok(t, notRegular(err))
	if s.opt.Fifo != nil {
		ok(t, s.opt.Fifo(join(p, "fifo")))
		_, err = d.Probe("fifo")
		ok(t, notRegular(err))
	}
	if s.opt.Symlink != nil {
		ok(t, s.opt.Symlink("stamp", join(p, "link")))
		_, err = d.Probe("link")
		ok(t, notRegular(err))
		_, err = d.Guard("link")
		fails(t, err, join(p, "link"), fsys.NotDir)
	}
}
