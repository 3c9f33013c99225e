package heartbeat

import (
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A file system that fails, hangs, stands still and sleeps as rapid likes. Whatever it does:
// a lease never reaches further than a beat that was sent within it, its name is never beaten once it has run out, its end is
// told in time and once, and nothing is left behind.
func TestSchedulerUnderAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, anything)
	})
}

func anything(t *rapid.T) {
	set := rapid.SampledFrom([]Settings{usual, {time.Second, 3 * time.Second}, {500 * time.Millisecond, 2 * time.Second}}).Draw(t, "settings")
	c := newClock()
	s, r := New(c), &recorder{c: c}
	tt := &fakeTarget{c: c}
	var hang chan struct{} // what calls wait for, nil: nothing
	var good []time.Duration
	var lapsedSends []time.Duration
	var b *Beat
	started := make(chan struct{})
	behave := func(err error, still bool) {
		wait := hang
		tt.onTouch(func() error {
			<-started
			if b.Remaining() <= 0 {
				lapsedSends = append(lapsedSends, c.Boot())
			}
			at := c.Boot()
			if wait != nil {
				<-wait
			}
			if err == nil {
				good = append(good, at)
			}
			return err
		})
		at := epoch
		tt.onMtime(func(m time.Time) (time.Time, error) {
			if still {
				return at, nil
			}
			return m, nil
		})
	}
	behave(nil, false)
	b = s.Start("m", tt, set, 0, epoch, r.events())
	close(started)

	maxLeft := func() { // the lease never reaches further than the last good beat does
		synctest.Wait()
		last := time.Duration(0)
		if len(good) > 0 {
			last = good[len(good)-1]
		}
		if left := b.Remaining(); left > last+set.Lease()-c.Boot() {
			t.Fatalf("at %v %v remain, but the last good beat was sent at %v", c.Boot(), left, last)
		}
	}
	ended := time.Duration(-1) // when the lease was first seen to be over
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		switch rapid.SampledFrom([]string{"run", "run", "run", "behave", "hang", "back", "suspend"}).Draw(t, "step") {
		case "run":
			time.Sleep(time.Duration(rapid.IntRange(1, 8000).Draw(t, "ms")) * time.Millisecond)
		case "behave":
			var err error
			if i := rapid.IntRange(0, 9).Draw(t, "error"); i > 6 {
				err = []error{syscall.EIO, syscall.EACCES, ErrGone}[i-7]
			}
			behave(err, rapid.IntRange(0, 3).Draw(t, "still") == 3)
		case "hang":
			if hang == nil {
				hang = make(chan struct{})
				behave(nil, false)
			}
		case "back":
			if hang != nil {
				close(hang)
				hang = nil
				behave(nil, false)
			}
		case "suspend":
			c.suspend(time.Duration(rapid.IntRange(1, 40_000).Draw(t, "ms")) * time.Millisecond)
		}
		maxLeft()
		if b.Remaining() <= 0 && ended < 0 {
			ended = c.Boot()
		}
		if ended >= 0 && b.Remaining() > 0 {
			t.Fatalf("over at %v, alive again at %v", ended, c.Boot())
		}
	}
	time.Sleep(set.tick() + time.Millisecond) // for the watchdog, which may have slept until now
	if b.Remaining() <= 0 && ended < 0 {
		ended = c.Boot()
	}
	synctest.Wait()
	b.Stop()
	if hang != nil {
		close(hang)
	}
	terminal := 0
	for i, e := range r.all() {
		if strings.HasSuffix(e, "gone") || strings.Contains(e, "lapsed") {
			terminal++
			if i != len(r.all())-1 {
				t.Fatalf("something after the end: %q", r.all())
			}
		}
	}
	if ended >= 0 && terminal != 1 || terminal > 1 {
		t.Fatalf("over at %v, told %q", ended, r.all())
	}
	if len(lapsedSends) > 0 {
		t.Fatalf("beaten after the lease at %v; %q", lapsedSends, r.all())
	}
	if tt.most > 1 {
		t.Fatalf("%d calls at once", tt.most)
	}
	synctest.Wait()
	empty(t, s)
}
