package stamp

import (
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// everyCase checks many cases a run: a run of rapid costs more than a verdict.
func everyCase(t *testing.T, check func(*rapid.T, Case)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			check(t, drawCase(t))
		}
	})
}

// drawTime draws times about the thresholds as well as anywhere.
func drawTime(t *rapid.T, name string, most time.Duration) time.Duration {
	return time.Duration(rapid.OneOf(
		rapid.Int64Range(0, int64(most)),
		rapid.Map(rapid.Int64Range(0, int64(most/time.Second)), func(n int64) int64 { return n * int64(time.Second) }),
		rapid.Map(rapid.Int64Range(0, int64(time.Minute/time.Millisecond)), func(n int64) int64 { return n * int64(time.Millisecond) }),
	).Draw(t, name))
}

func drawCase(t *rapid.T) Case {
	s := sampleStamp()
	s.Version = rapid.SampledFrom([]int{1, 1, 1, 0, 2, 999}).Draw(t, "version")
	s.Heartbeat, s.Stale = drawTime(t, "heartbeat", 2*time.Hour), drawTime(t, "stale", 2*time.Hour)
	s.Group = rapid.IntRange(0, 2).Draw(t, "group")
	c := Case{
		Kind: rapid.SampledFrom([]Kind{Stamped, Stamped, Stamped, Corrupt, Unstamped}).Draw(t, "kind"), Stamp: s,
		SameHost: rapid.Bool().Draw(t, "same host"), SameName: rapid.Bool().Draw(t, "same name"),
		Self:        rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "self"),
		Kernel:      Evidence{Answer: rapid.SampledFrom([]Answer{Dead, Dead, Dead, Alive, Unknown, 7}).Draw(t, "answer"), Zombies: rapid.Bool().Draw(t, "zombies")},
		ExitSeen:    rapid.Bool().Draw(t, "exit seen"),
		Across:      Evidence{Answer: rapid.SampledFrom([]Answer{Dead, Dead, Alive, Unknown, 7}).Draw(t, "across")},
		Local:       rapid.Bool().Draw(t, "local"),
		ReleaseSeen: rapid.Bool().Draw(t, "release seen"),
		Heartbeat:   drawTime(t, "my heartbeat", 2*time.Hour), Stale: drawTime(t, "my stale", 2*time.Hour),
	}
	c.Beat = Beat{
		Age:      drawTime(t, "age", 2*time.Hour) - rapid.SampledFrom([]time.Duration{0, time.Second, 100 * time.Hour}).Draw(t, "ahead"),
		AgeKnown: rapid.Bool().Draw(t, "age known"), Unchanged: drawTime(t, "unchanged", 2*time.Hour),
	}
	if rapid.SampledFrom([]bool{false, false, false, false, true}).Draw(t, "failed") {
		c.Beat.Err = errors.New("stat: EIO")
	}
	return c
}

// later is the same case after d of further silence, watched.
func later(c Case, d time.Duration) Case {
	c.Beat.Age += d
	c.Beat.Unchanged += d
	return c
}

func TestVerdictNever(t *testing.T) {
	took := map[Row]int{}
	everyCase(t, func(t *rapid.T, c Case) {
		v := Judge(c)
		heartbeat, stale := clamp(c.Heartbeat, c.Stale)
		theirs, theirStale := c.Stamp.Bounds()
		if c.Kind != Stamped {
			theirs, theirStale = heartbeat, stale
		}
		living := c.Kind == Stamped && c.SameHost && !c.Self && c.Kernel.Answer != Dead
		known := c.Kind == Stamped && !c.Self && c.Stamp.Version == Version
		here := known && c.SameHost && c.Kernel.Answer == Dead && c.SameName
		across := known && !c.SameHost && c.Across.Answer == Dead && (c.SameName || c.Local)
		proven := here || across
		missed := 3 * theirs
		switch {
		case here && c.ExitSeen:
			missed = 0
		case across && c.ReleaseSeen:
			missed = 2 * theirs
		}
		silent := c.Beat.Unchanged
		if c.Beat.AgeKnown {
			silent = max(silent, c.Beat.Age)
		}
		switch {
		case v.Takeover && c.Beat.Err != nil:
			t.Fatal("takeover on an error")
		case v.Takeover && living:
			t.Fatal("takeover from the living")
		case (v.Row == RowAlive) != living, (v.Row == RowDead) != proven:
			t.Fatalf("%v: living %v, proven dead %v", v.Row, living, proven)
		case v.Takeover && proven && silent < missed:
			t.Fatal("takeover before enough beats were missed")
		case v.Takeover && !proven && (silent < theirStale || c.Stale > 0 && silent < stale):
			t.Fatal("takeover before stale")
		case v.Takeover && !proven && (c.Beat.Unchanged < 3*theirs || c.Beat.Unchanged < theirStale/5):
			t.Fatal("takeover without watching")
		case v.Takeover && (v.Wait != 0 || v.Watching), !v.Takeover && v.Wait == 0, v.Wait < -1:
			t.Fatalf("%+v", v)
		case v.Row == 0 || v.Reason == "" || v.Reason != readable(v.Reason):
			t.Fatalf("%+v", v)
		}
		if v.Takeover {
			took[v.Row]++
		}
	})
	// What never takes over satisfies all of the above.
	for row := RowDead; row <= RowSelf; row++ {
		if took[row] == 0 && !t.Failed() {
			t.Errorf("no takeover by row %v was drawn", row)
		}
	}
}

func TestVerdictWaitIsExact(t *testing.T) {
	foreseen := 0
	everyCase(t, func(t *rapid.T, c Case) {
		v := Judge(c)
		switch {
		case v.Takeover:
			return
		case v.Wait < 0:
			if c.Beat.Err == nil && v.Row != RowAlive {
				t.Fatalf("not foreseen: %+v", v)
			}
			if Judge(later(c, 1000*time.Hour)).Takeover {
				t.Fatalf("not foreseen, yet it comes: %+v", v)
			}
			return
		}
		foreseen++
		if !Judge(later(c, v.Wait)).Takeover {
			t.Fatalf("no takeover after %v: %+v", v.Wait, v)
		}
		less := time.Duration(rapid.OneOf(rapid.Just(v.Wait-1), rapid.Map(rapid.Int64Range(0, int64(v.Wait)-1), func(n int64) time.Duration { return time.Duration(n) })).Draw(t, "less"))
		early := Judge(later(c, less))
		if early.Takeover || early.Wait != v.Wait-less {
			t.Fatalf("after %v of %v: %+v", less, v.Wait, early)
		}
	})
	if foreseen == 0 {
		t.Error("no wait was drawn")
	}
}

// More silence, or more watching, never makes an owner safer.
func TestVerdictIsMonotone(t *testing.T) {
	everyCase(t, func(t *rapid.T, c Case) {
		more := c
		more.Beat.Age += drawTime(t, "more age", 2*time.Hour)
		more.Beat.Unchanged += drawTime(t, "more watching", 2*time.Hour)
		a, b := Judge(c), Judge(more)
		if a.Takeover && !b.Takeover || a.Old && !b.Old || b.Wait > a.Wait {
			t.Fatalf("%+v\n%+v", a, b)
		}
		// And a waiter that asks for more never takes sooner.
		patient := c
		patient.Stale = max(c.Stale, time.Millisecond) + drawTime(t, "more stale", time.Hour)
		if c.Stale > 0 && c.Heartbeat > 0 && Judge(patient).Takeover && !a.Takeover {
			t.Fatalf("%+v\n%+v", a, Judge(patient))
		}
	})
}

func TestVerdictOfNonsense(t *testing.T) {
	for _, d := range []time.Duration{math.MinInt64, -1, 0, math.MaxInt64} {
		for _, known := range []bool{false, true} {
			c := with(foreign, mine(d, d), theirs(d, d), func(c *Case) { c.Beat = Beat{Age: d, AgeKnown: known, Unchanged: d} })
			if v := Judge(c); v.Takeover != (d > time.Hour) || v.Wait < 0 || v.Wait > time.Hour {
				t.Errorf("%v: %+v", d, v)
			}
		}
	}
	if v := Judge(Case{}); v.Takeover || v.Row != RowForeign || v.Wait != 30*time.Second {
		t.Errorf("an empty case: %+v", v)
	}
}
