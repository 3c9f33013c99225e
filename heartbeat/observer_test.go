package heartbeat

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/stamp"
)

const sec = time.Second

// look is a sample sent at s and answered a tenth of a second later, both in seconds, of an mtime m seconds after the epoch.
func look(s, m float64) Sample {
	return Sample{Sent: dur(s), Answered: dur(s + 0.1), Mtime: epoch.Add(dur(m))}
}

// probed adds the file system's clock, read 0.1 s before, as seconds after the epoch.
func (s Sample) probed(now float64) Sample {
	s.FSNow, s.HasFSNow, s.FSNowAt = epoch.Add(dur(now)), true, s.Sent-dur(0.1)
	return s
}

func failed(s float64) Sample {
	return Sample{Sent: dur(s), Answered: dur(s + 0.1), Err: errBad}
}

var errBad = errors.New("bad")

func dur(s float64) time.Duration { return time.Duration(math.Round(s*1e6)) * time.Microsecond }

func unchanged(s float64) stamp.Beat { return stamp.Beat{Unchanged: dur(s)} }
func aged(u, age float64) stamp.Beat {
	return stamp.Beat{Unchanged: dur(u), Age: dur(age), AgeKnown: true}
}

func TestObserver(t *testing.T) {
	late := look(2, 5).probed(8)
	late.FSNowAt = late.Sent + 1
	for _, c := range []struct {
		name  string
		looks []Sample
		want  stamp.Beat
	}{
		{"nothing seen", nil, stamp.Beat{}},
		{"first sight", []Sample{look(1, 5)}, unchanged(0)},
		{"answer of the first to sending of the last", []Sample{look(1, 5), look(2, 5), look(3, 5)}, unchanged(1.9)},
		{"changed", []Sample{look(1, 5), look(2, 5), look(3, 6)}, unchanged(0)},
		{"changed, then still", []Sample{look(1, 5), look(2, 6), look(3, 6)}, unchanged(0.9)},
		{"stepped back", []Sample{look(1, 5), look(2, 5), look(3, 4), look(4, 4)}, unchanged(0.9)},
		{"there and back", []Sample{look(1, 5), look(2, 6), look(3, 5)}, unchanged(0)},
		{"a nanosecond", []Sample{look(1, 5), {Sent: 2 * sec, Answered: 2 * sec, Mtime: epoch.Add(5*sec + 1)}}, unchanged(0)},
		{"other time zone", []Sample{look(1, 5), {Sent: 2 * sec, Answered: 2 * sec, Mtime: epoch.Add(5 * sec).In(time.FixedZone("x", 3600))}}, unchanged(0.9)},

		{"error", []Sample{look(1, 5), failed(2)}, stamp.Beat{Err: errBad}},
		{"error first", []Sample{failed(1)}, stamp.Beat{Err: errBad}},
		{"after an error", []Sample{look(1, 5), failed(2), look(3, 5)}, unchanged(0)},
		{"after an error, on", []Sample{look(1, 5), failed(2), look(3, 5), look(4, 5)}, unchanged(0.9)},
		{"error takes the age along", []Sample{look(1, 5).probed(9), failed(2), look(3, 5)}, unchanged(0)},

		{"gap just allowed", []Sample{look(1, 5), look(3, 5)}, unchanged(1.9)},
		{"gap", []Sample{look(1, 5), look(3.0001, 5)}, unchanged(0)},
		{"gap is from the answer", []Sample{{Sent: 1 * sec, Answered: 9 * sec, Mtime: epoch}, look(10, 0)}, unchanged(1)},
		{"a look that is slow", []Sample{look(1, 5), {Sent: 2 * sec, Answered: 3200 * time.Millisecond, Mtime: epoch.Add(5 * sec)}}, unchanged(0)},
		{"gap takes the age along", []Sample{look(1, 5).probed(9), look(5, 5)}, unchanged(0)},
		{"looks that overlap", []Sample{{Sent: 1 * sec, Answered: 9 * sec, Mtime: epoch}, look(2, 0)}, unchanged(0)},

		{"age", []Sample{look(1, 5).probed(65)}, aged(0, 60)},
		{"age zero", []Sample{look(1, 5).probed(5)}, aged(0, 0)},
		{"future is no age", []Sample{look(1, 5).probed(4.9)}, unchanged(0)},
		{"future is no age later", []Sample{look(1, 5).probed(4.9), look(2, 5), look(3, 5)}, unchanged(1.9)},
		{"age goes on", []Sample{look(1, 5).probed(65), look(2, 5)}, aged(0.9, 61.1)},
		{"age by the last probe", []Sample{look(1, 5).probed(65), look(2, 5), look(3, 5).probed(66.5), look(4, 5)}, aged(2.9, 62.6)},
		{"age of another beat", []Sample{look(1, 5).probed(65), look(2, 6)}, unchanged(0)},
		{"age after a change, probed", []Sample{look(1, 5).probed(65), look(2, 6).probed(66)}, aged(0, 60)},
		{"probe after the look", []Sample{late}, unchanged(0)},
		{"probe after the look is no age", []Sample{look(1, 5).probed(7), late}, aged(0.9, 3.1)},

		{"drift below a second", []Sample{look(1, 5).probed(65), look(2, 5).probed(66.999)}, aged(0.9, 61.999)},
		{"fs clock steps forward", []Sample{look(1, 5).probed(65), look(2, 5).probed(67)}, aged(0, 62)},
		{"fs clock steps back", []Sample{look(1, 5).probed(65), look(2, 5).probed(65)}, aged(0, 60)},
		{"slow drift adds up", []Sample{look(1, 5).probed(65), look(2, 5).probed(66.4), look(3, 5).probed(67.8), look(4, 5).probed(69.2)}, aged(0, 64.2)},
		{"to and fro", []Sample{look(1, 5).probed(65), look(2, 5).probed(66.6), look(3, 5).probed(66.5)}, aged(0, 61.5)},
		{"drift past looks without a probe", []Sample{look(1, 5).probed(65), look(2, 5), look(3, 5), look(4, 5).probed(70)}, aged(0, 65)},
		{"after a drift", []Sample{look(1, 5).probed(65), look(2, 5).probed(68), look(3, 5).probed(69)}, aged(0.9, 64)},
		{"drift does not outlive its window", []Sample{look(1, 5).probed(65), look(2, 6).probed(80), look(3, 6).probed(81)}, aged(0.9, 75)},
	} {
		var o Observer
		for _, s := range c.looks {
			o.Add(s, 2*sec)
		}
		if got := o.Beat(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, show(got), show(c.want))
		}
	}
}

func show(b stamp.Beat) string { return fmt.Sprintf("%+v", b) }

// Scenario 28: always old, always moving, by a few nanoseconds a beat.
func TestScenario028OldButMoving(t *testing.T) {
	var o Observer
	for i := range 100 {
		s := look(float64(i)/4, 0).probed(600 + float64(i)/4)
		s.Mtime = s.Mtime.Add(time.Duration(i / 4 * 3))
		o.Add(s, 2*sec)
		if u := o.Beat().Unchanged; u >= sec {
			t.Fatalf("look %d: unchanged for %v", i, u)
		}
	}
	if !o.Beat().AgeKnown || o.Beat().Age < 500*sec {
		t.Errorf("age %v", o.Beat().Age)
	}
}

// Scenario 27: a time in the future is no age, however long it stands still; what was watched is.
func TestScenario027FutureTime(t *testing.T) {
	var o Observer
	for i := range 100 {
		o.Add(look(float64(i), 86400).probed(float64(i)), 2*sec)
	}
	if b := o.Beat(); b.AgeKnown || b.Unchanged != 98900*time.Millisecond {
		t.Error(show(b))
	}
}
