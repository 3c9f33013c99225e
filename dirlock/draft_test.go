package dirlock

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
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

// With a draft a stamp says what it would say without, and a try has a number of its own that was not there before it: of a machine that
// is copied while it sleeps, both copies go on from the same draft.
func TestDraftHasNoNumber(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p := s.proc("one")
		drawn := map[uuid.UUID]bool{}
		p.World.UUID = func() uuid.UUID {
			id := uuid.New()
			drawn[id] = true
			return id
		}
		a := &acquisition{process: p.process, set: settings{note: "n"}, self: p.id, traits: fsys.Traits{Beats: fsys.ClockFS}, looked: true}
		a.prepare()
		if a.draft == nil {
			t.Fatal("no draft")
		}
		for i, beats := range []fsys.ClockSource{fsys.ClockFS, fsys.ClockFS, fsys.ClockClient, fsys.ClockFS} {
			if i == 3 { // no longer who it was
				a.self.Host, a.self.Boot[0] = "two", a.self.Boot[0]+1
			}
			clear(drawn)
			got, content := a.stampFor(fsys.Traits{Beats: beats}, i%2 == 1)
			if !drawn[stamp.Guard(got.UUID, false)] {
				t.Errorf("try %d has a number from before", i)
			}
			if used := a.draft.is(got); used != (i < 2) {
				t.Errorf("try %d is by the draft: %v", i, used)
			}
			if text, want := string(content()), string(a.content(got, got.Name())); text != want {
				t.Errorf("try %d says %s and not %s", i, text, want)
			}
		}
	})
}
