package fsystest

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

func testTouch(t *testing.T, s *suite) {
	p := s.dir(t)
	d := s.open(t, p)
	file, other := join(p, "file"), join(p, "other")
	s.file(t, file, "content")
	s.file(t, other, "")
	old := time.Unix(1e9, 0)
	for _, path := range []string{file, other, p} {
		ok(t, s.f.SetMtime(path, old))
	}
	last := old
	for range 3 {
		before, err := fsys.ProbeClock(s.f, p+".aux")
		ok(t, err)
		s.opt.Advance()
		ok(t, s.f.Touch(file))
		i, err := d.Stat("file")
		ok(t, err)
		s.opt.Advance()
		after, err := fsys.ProbeClock(s.f, p+".aux")
		ok(t, err)
		if !i.Mtime.After(last) || i.Mtime.Before(before) || i.Mtime.After(after) {
			t.Errorf("touched to %v, was %v; the clock said %v before and %v after", i.Mtime, last, before, after)
		}
		if i.Size != 7 {
			t.Errorf("content changed to %d bytes", i.Size)
		}
		last = i.Mtime
		s.opt.Advance()
	}
	ok(t, fsys.SweepAux(s.f, p+".aux"))
	for _, path := range []string{other, p} {
		if m := s.stat(t, path).Mtime; !m.Equal(old) {
			t.Errorf("touching a file moved %s to %v", path, m)
		}
	}
	missing := join(p, "missing")
	fails(t, s.f.Touch(missing), missing, fsys.NotExist)
	listed(t, d, map[string]fsys.Kind{"file": fsys.KindRegular, "other": fsys.KindRegular})
}

func testSetMtime(t *testing.T, s *suite) {
	p := s.dir(t)
	file := join(p, "file")
	s.file(t, file, "")
	for _, want := range []time.Time{time.Unix(1e9, 123456700), time.Now().Add(time.Hour).Truncate(time.Second)} {
		ok(t, s.f.SetMtime(file, want))
		if got := s.stat(t, file).Mtime; got.Sub(want).Abs() > 2*time.Second {
			t.Errorf("mtime %v, set to %v", got, want)
		}
	}
	missing := join(p, "missing")
	fails(t, s.f.SetMtime(missing, time.Now()), missing, fsys.NotExist)
}

func testClock(t *testing.T, s *suite) {
	p := s.dir(t)
	aux := p + ".aux"
	traits, err := s.f.Traits(p)
	ok(t, err)
	last := time.Time{}
	for range 3 {
		now, err := s.f.Clock(aux, traits)
		ok(t, err)
		if !now.After(last) {
			t.Errorf("the clock says %v after %v", now, last)
		}
		last = now
		s.opt.Advance()
		s.opt.Advance() // a tick is 10 ms at most
	}
	if _, err := s.f.Stat(aux); traits.Local {
		fails(t, err, aux, fsys.NotExist) // a local clock needs no probe
	}
	// The same by a probe.
	traits.Local = false
	now, err := s.f.Clock(aux, traits)
	ok(t, err)
	if now.Before(last.Add(-10 * time.Millisecond)) {
		t.Errorf("the probe says %v after %v", now, last)
	}
	s.stat(t, aux)
	ok(t, fsys.SweepAux(s.f, aux))
	if _, err = s.f.Stat(aux); err == nil {
		t.Error("the probe's directory is left behind")
	}
}

func testSweep(t *testing.T, s *suite) {
	p := s.dir(t)
	aux := join(p, "side")         // not "aux", which is a device on Windows
	ok(t, fsys.SweepAux(s.f, aux)) // nothing there
	_, err := fsys.ProbeClock(s.f, aux)
	ok(t, err)
	s.file(t, join(aux, "probe-0f8fad5b-d9cb-469f-a165-70867728950e"), "") // somebody else's
	s.file(t, join(aux, "probe-notes"), "")                                // none at all
	ok(t, fsys.SweepAux(s.f, aux))
	d := s.open(t, aux)
	listed(t, d, map[string]fsys.Kind{"probe-notes": fsys.KindRegular})
	ok(t, d.Close())                   // where a removal is pending for as long as anybody has the directory open
	_, err = fsys.ProbeClock(s.f, aux) // a swept probe comes back
	ok(t, err)
	ok(t, fsys.SweepAux(s.f, aux))
	ok(t, s.f.Unlink(join(aux, "probe-notes")))
	ok(t, fsys.SweepAux(s.f, aux))
	_, err = s.f.Stat(aux)
	fails(t, err, aux, fsys.NotExist)

	// What stands in the way is neither followed nor removed.
	s.file(t, aux, "")
	if _, err := fsys.ProbeClock(s.f, aux); err == nil || fsys.SweepAux(s.f, aux) == nil {
		t.Error("a file in the place of the directory goes unnoticed")
	}
	s.stat(t, aux)
}
