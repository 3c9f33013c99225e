package dirlock

import (
	"syscall"
	"testing"
)

// The lock is released between two calls of one who only looks, and taken again by somebody else: what a network file system says
// of the directory that was opened is no answer.
func TestSimInspectOfOneThatGoes(t *testing.T) {
	for _, call := range []struct {
		name  string
		errno syscall.Errno
	}{
		{"opendir", syscall.ESTALE}, {"traits", syscall.ESTALE}, {"list", syscall.ESTALE}, {"list", syscall.ENOENT}, {"stat dirlock-1", syscall.ESTALE},
	} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("two")
			l := a.acquire(0)
			b.on(first(1, call.name, fail(call.errno)))
			if r, err := b.mutex().Inspect(); err != nil || r.State != StateHeld {
				t.Errorf("%s says %v: %v, %+v", call.name, call.errno, err, r)
			}
			a.release(l)
			s.nothingLeft()
		})
	}
}

// What stays as it is remains an error.
func TestSimInspectOfOneThatIsNotReadable(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		a.on(every("list", fail(syscall.ESTALE)))
		if r, err := a.mutex().Inspect(); err == nil {
			t.Errorf("%+v", r)
		}
		a.on(nil)
		a.release(l)
	})
}

// A client that was told a moment ago that there is no lock asks again.
func TestSimInspectOfOneThatWasNotThere(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		b.process.World.FS = s.server.NFS4("two")
		b.inspects(StateFree)
		l := a.acquire(0)
		b.inspects(StateHeld)
		a.release(l)
		b.inspects(StateFree)
	})
}

func (p *simProc) inspects(want State) {
	p.t.Helper()
	if r, err := p.mutex().Inspect(); err != nil || r.State != want {
		p.t.Errorf("%v, %+v; want %s", err, r, want)
	}
}
