package dirlock

import (
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// What a waiter has ready says, once it is used, when the lock was acquired and not when it was written, whatever the note says.
func TestDraftIsDated(t *testing.T) {
	for _, note := range []string{"", `,"since":"1970-01-01T00:00:00.111Z"`, strings.Repeat("\x01", 1024)} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("two")
			l := a.acquire(0)
			m := b.patient()
			m.Note = note
			had := b.goes(t.Context(), m)
			time.Sleep(100*time.Second + 120*time.Millisecond)
			a.leave()
			a.release(l)
			got := <-had
			s.must(got.err)
			r, err := b.mutex().Inspect()
			s.must(err)
			want := got.at.UTC().Truncate(time.Millisecond)
			if h := r.Holder; h == nil || !h.Since.Equal(want) || h.Token != got.lock.Stamp().Name() || h.Stamp != got.lock.Stamp() || !strings.HasPrefix(note, h.Note) {
				t.Errorf("note %.40q: acquired at %v, and the stamp says %+v", note, want, r.Holder)
			}
			b.sound(got.lock)
		})
	}
}

// A draft is what a stamp without one would have been, and good for one try: two tries never have one token.
func TestDraftIsGoodForOneTry(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p := s.proc("one")
		traits := fsys.Traits{Beats: fsys.ClockFS}
		a := &acquisition{process: p.process, set: settings{note: "n"}, self: p.id, traits: traits, looked: true}
		for _, beats := range []fsys.ClockSource{fsys.ClockFS, fsys.ClockClient} {
			a.prepare()
			if a.draft == nil {
				t.Fatal("no draft")
			}
			ready := a.draft.stamp
			other := traits
			other.Beats = beats
			first, content := a.stampFor(other)
			if used := first.UUID == ready.UUID; used != (beats == fsys.ClockFS) {
				t.Errorf("a draft for %v used for %v: %v", traits.Beats, beats, used)
			}
			if text, want := string(content()), string(a.content(first, first.Name())); text != want {
				t.Errorf("the draft says %s and not %s", text, want)
			}
			if second, _ := a.stampFor(other); second.UUID == first.UUID || second.UUID == ready.UUID {
				t.Error("one token for two tries")
			}
		}
	})
}
