package dirlock

import (
	"errors"
	"testing"
	"time"
)

// Who waits behind one who got the lock, and has no answer of his own, does not name the holder of before.
func TestFormerHolderIsNotNamed(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		l := a.acquire(0)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(time.Second)
		next := b.goes(t.Context(), b.mutex())
		time.Sleep(time.Second)
		var h *hang
		b.on(first(1, "create dirlock-1", afterwards(func() { h = hangs(b, "mkdir") })))
		a.leave()
		a.release(l)
		got := <-had
		s.must(got.err)
		err := (<-next).err
		if held, ok := errors.AsType[*HeldError](err); ok || err == nil {
			t.Errorf("held by %+v? %v", held.Holder, err)
		}
		h.heal()
		b.on(nil)
		b.sound(got.lock)
	})
}
