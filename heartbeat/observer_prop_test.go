package heartbeat

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A world in which a holder beats when it likes, looks take as long as they like, and both clocks run as they should. Whatever
// the looks: what the observer says it saw unchanged was unchanged, and an age is never more than the true one.
func TestObserverIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.IntRange(0, 3000)
		var beats []time.Duration // when the name was touched, in true time
		at := time.Duration(0)
		for range rapid.IntRange(1, 20).Draw(t, "beats") {
			at += time.Duration(span.Draw(t, "pause")) * time.Millisecond
			beats = append(beats, at)
		}
		grain := rapid.SampledFrom([]time.Duration{1, time.Second, 2 * time.Second}).Draw(t, "grain")
		offset := time.Duration(rapid.IntRange(0, 1<<40).Draw(t, "offset")) // of the file system's clock
		clock := func(now time.Duration) time.Time { return epoch.Add((now + offset).Truncate(grain)) }
		last := func(now time.Duration) time.Duration { // the last beat
			i, found := slices.BinarySearch(beats, now)
			if found {
				return beats[i]
			}
			return beats[max(i-1, 0)]
		}

		var o Observer
		now := beats[0]
		for range rapid.IntRange(1, 40).Draw(t, "looks") {
			step := func(what string) time.Duration {
				now += time.Duration(span.Draw(t, what)/4) * time.Millisecond
				return now
			}
			step("pause")
			var s Sample
			if s.HasFSNow = rapid.Bool().Draw(t, "probe"); s.HasFSNow {
				s.FSNow, s.FSNowAt = clock(now), step("probing")
			}
			s.Sent = step("before")
			true_ := step("looking")
			s.Mtime = clock(last(true_))
			s.Answered = step("answering")
			o.Add(s, 2*time.Second)
			b := o.Beat()
			if b.Unchanged > 0 {
				// No beat that shows fell into it. With whole ticks, no beat that began another tick.
				for _, x := range beats {
					if x > s.Answered-b.Unchanged-(s.Answered-s.Sent) && x <= s.Sent && !clock(x).Equal(s.Mtime) {
						t.Fatalf("unchanged for %v at %v, but there was a beat at %v", b.Unchanged, s.Sent, x)
					}
				}
			}
			if b.AgeKnown {
				// Within a tick: a time and the clock are both cut off to it.
				if truth := s.Answered - last(true_); b.Age > truth+grain {
					t.Fatalf("age %v, in truth %v", b.Age, truth)
				}
				if b.Age < 0 {
					t.Fatalf("age %v", b.Age)
				}
			}
		}
	})
}

// The window as it is described: the longest run of looks up to the last that are all good, of one time, without a gap, and
// whose probes do not differ by a second among each other.
func TestObserverAgreesWithItsDescription(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := func(name string, n int) time.Duration {
			return time.Duration(rapid.IntRange(0, n).Draw(t, name)) * time.Millisecond
		}
		var o Observer
		var looks []Sample
		now := time.Duration(0)
		for range rapid.IntRange(1, 12).Draw(t, "looks") {
			var s Sample
			now += ms("pause", 600)
			if s.HasFSNow = rapid.Bool().Draw(t, "probe"); s.HasFSNow {
				s.FSNowAt = now
				s.FSNow = epoch.Add(now + ms("drift", 1100))
			}
			now += ms("before", 100)
			s.Sent = now
			now += ms("looking", 300)
			s.Answered = now
			s.Mtime = epoch.Add(time.Duration(rapid.IntRange(0, 8).Draw(t, "mtime")/8) * time.Second)
			if rapid.IntRange(0, 15).Draw(t, "fails") == 15 {
				s.Err = errBad
			}
			o.Add(s, 800*time.Millisecond)
			looks = append(looks, s)

			from := begins(looks)
			want := time.Duration(0)
			if s.Err == nil {
				want = max(0, s.Sent-looks[from].Answered)
			}
			b := o.Beat()
			if b.Unchanged != want || b.Err != s.Err {
				t.Fatalf("%s, want unchanged for %v since look %d of %+v", show(b), want, from, looks)
			}
			age, known := time.Duration(0), false
			for i, p := range slices.Backward(looks) {
				if i >= from && p.HasFSNow && s.Err == nil {
					age = p.FSNow.Sub(p.Mtime)
					if known = age >= 0; known && i < len(looks)-1 {
						age += s.Sent - p.FSNowAt
					}
					break
				}
			}
			if b.AgeKnown != known || known && b.Age != age {
				t.Fatalf("%s, want age %v (%v) of %+v", show(b), age, known, looks)
			}
		}
	})
}

// begins is the index of the look that began the window of the last one: it plays the description forward.
func begins(looks []Sample) int {
	from := 0
	for i, s := range looks {
		if i == 0 {
			continue
		}
		p := looks[i-1]
		if p.Err != nil || s.Err != nil || !p.Mtime.Equal(s.Mtime) || s.Answered-p.Answered > 800*time.Millisecond {
			from = i
			continue
		}
		for _, q := range looks[from:i] {
			if q.HasFSNow && s.HasFSNow {
				if d := s.FSNow.Sub(q.FSNow) - (s.FSNowAt - q.FSNowAt); d.Abs() >= time.Second {
					from = i
					break
				}
			}
		}
	}
	return from
}
