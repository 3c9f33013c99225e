package heartbeat

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A fakeClock runs with the bubble's time and can be put to sleep: Boot then jumps while timers, and Mono, do not.
type fakeClock struct {
	start time.Time
	mu    sync.Mutex
	extra time.Duration
}

func newClock() *fakeClock { return &fakeClock{start: time.Now()} }

func (c *fakeClock) Mono() time.Duration { return time.Since(c.start) }

func (c *fakeClock) Boot() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.start) + c.extra
}

func (c *fakeClock) suspend(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.extra += d
}

// A fakeTarget is a scripted stamp. Its script functions are called without a lock held; a nil one does what a good file
// system does.
type fakeTarget struct {
	c     *fakeClock
	grain time.Duration // of modification times
	touch func() error  // may block
	mtime func(time.Time) (time.Time, error)

	mu       sync.Mutex
	m        time.Duration
	sends    []time.Duration // when Touch was called
	reads    []time.Duration // when Mtime was called
	inFlight int
	most     int // in flight at once
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// onTouch and onMtime change the script.
func (t *fakeTarget) onTouch(f func() error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.touch = f
}

func (t *fakeTarget) onMtime(f func(time.Time) (time.Time, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mtime = f
}

// enter notes a call and fetches the script for it.
func (t *fakeTarget) enter(log *[]time.Duration) (func() error, func(time.Time) (time.Time, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*log = append(*log, t.c.Boot())
	t.inFlight++
	t.most = max(t.most, t.inFlight)
	return t.touch, t.mtime
}

func (t *fakeTarget) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight--
}

func (t *fakeTarget) Touch() error {
	script, _ := t.enter(&t.sends)
	defer t.leave()
	if script != nil {
		if err := script(); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m = t.c.Boot()
	if t.grain > 0 {
		t.m = t.m.Truncate(t.grain)
	}
	return nil
}

func (t *fakeTarget) Mtime() (time.Time, error) {
	_, script := t.enter(&t.reads)
	defer t.leave()
	t.mu.Lock()
	m := epoch.Add(t.m)
	t.mu.Unlock()
	if script != nil {
		return script(m)
	}
	return m, nil
}

func (t *fakeTarget) sent() []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]time.Duration(nil), t.sends...)
}

func (t *fakeTarget) readBacks() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.reads)
}

func (t *fakeTarget) lastSent() time.Duration {
	s := t.sent()
	if len(s) == 0 {
		return -1
	}
	return s[len(s)-1]
}

// A recorder writes events down as "7.5s gone".
type recorder struct {
	c   *fakeClock
	mu  sync.Mutex
	log []string
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

func (r *recorder) events() Events {
	at := func() time.Duration { return r.c.Boot().Round(10 * time.Microsecond) }
	return Events{
		Gone:    func() { r.add("%v gone", at()) },
		Lapsed:  func(asleep bool) { r.add("%v lapsed asleep=%v", at(), asleep) },
		Failing: func(err error) { r.add("%v failing: %v", at(), err) },
	}
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.log...)
}

func (r *recorder) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	if got := r.all(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

var usual = Settings{Heartbeat: time.Second, Stale: 30 * time.Second}

// A rig is one lock under test.
type rig struct {
	c *fakeClock
	s *Scheduler
	t *fakeTarget
	r *recorder
	b *Beat
}

// start begins a lock with the given script; the bubble's clock is at zero, its phase makes beats due at 0.618 s of each second.
func start(set Settings, script func(*rig)) *rig {
	c := newClock()
	g := &rig{c: c, s: New(c), t: &fakeTarget{c: c}, r: &recorder{c: c}}
	if script != nil {
		script(g)
	}
	g.b = g.s.Start("m", g.t, set, 0, epoch, g.r.events())
	return g
}

// until lets the clock of timers run up to a moment just before d by Boot (a millisecond), and everything settle.
func (g *rig) until(d time.Duration) {
	time.Sleep(d - time.Millisecond - g.c.Boot())
	synctest.Wait()
}

// halt is SIGSTOP and SIGCONT: time goes on without s, and what timers are overdue then all ring at once, in either order.
// Whatever Boot jumps by here, the bubble's own timers will ring later for nothing, which timers may.
func halt(c *fakeClock, s *Scheduler, d time.Duration, dogFirst bool) {
	c.suspend(d)
	s.mu.Lock()
	now := c.Boot()
	beats, dog := s.beats.armed && s.beats.at <= now, s.dog.armed && s.dog.at <= now
	s.mu.Unlock()
	if dog && dogFirst {
		s.onWatch()
	}
	if beats {
		s.onBeats()
		synctest.Wait()
	}
	if dog && !dogFirst {
		s.onWatch()
	}
	synctest.Wait()
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// ours is the number of goroutines of this package, whatever else runs in the process.
func ours() int {
	buf := make([]byte, 1<<20)
	n := 0
	for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "heartbeat.(*Scheduler)") || strings.Contains(g, "heartbeat.(*Beat)") {
			n++
		}
	}
	return n
}

// settled fails unless the scheduler has nothing left: no timer, no group, no lock, no goroutine.
func settled(t testing.TB, s *Scheduler) {
	t.Helper()
	synctest.Wait()
	empty(t, s)
}

type failer interface {
	Helper()
	Errorf(string, ...any)
}

func empty(t failer, s *Scheduler) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beats.timer != nil || s.dog.timer != nil || s.due.first() != nil || s.leases.first() != nil || len(s.groups) != 0 || len(s.ticks) != 0 {
		t.Errorf("left behind: timers %v %v, %d due, %d leases, %d groups, %d ticks",
			s.beats.timer != nil, s.dog.timer != nil, s.due.Len(), s.leases.Len(), len(s.groups), len(s.ticks))
	}
	if n := ours(); n > 0 {
		t.Errorf("%d goroutines left", n)
	}
}
