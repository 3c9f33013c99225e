package notify

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// script is a source whose calls answer when the test wants them to.
type script struct {
	report sink
	answer map[string]chan int // an add of such a path waits; others are answered by their length at once

	mu     sync.Mutex
	calls  []string
	once   sync.Once
	closed chan struct{} // by the first close: after a break, a second session has the same script
}

func scripted(slow ...string) (*Dirs, *script) {
	s := &script{answer: map[string]chan int{}, closed: make(chan struct{})}
	for _, path := range slow {
		s.answer[path] = make(chan int)
	}
	return &Dirs{open: func(report sink) (source, error) {
		s.report = report
		return s, nil
	}}, s
}

func (s *script) note(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
}

func (s *script) did(call string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.calls, call)
}

func (s *script) add(path string) (int, error) {
	s.note("add " + path)
	id := len(path)
	if c, slow := s.answer[path]; slow {
		id = <-c
	}
	if id == 0 {
		return 0, errors.New("no")
	}
	return id, nil
}

func (s *script) drop(id int) { s.note("drop " + string(rune('0'+id))) }

func (s *script) close() { s.once.Do(func() { close(s.closed) }) }

// slowly begins a Watch whose add hangs until the function that is returned is called with its answer.
func (s *script) slowly(t *testing.T, d *Dirs, path string, wake func()) (answer func(id int) (stop func())) {
	t.Helper()
	stops := make(chan func())
	go func() {
		stop, err := d.Watch(path, wake)
		if err != nil {
			stop = nil
		}
		stops <- stop
	}()
	for end := time.Now().Add(time.Minute); !s.did("add " + path); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("add was not called")
		}
	}
	return func(id int) func() {
		s.answer[path] <- id
		return <-stops
	}
}

func watchOne(t *testing.T, d *Dirs, path string, wake func()) (stop func()) {
	t.Helper()
	stop, err := d.Watch(path, wake)
	if err != nil {
		t.Fatal(err)
	}
	return stop
}

func never() {}

// TestStopDuringAdd: the last one leaves while another is about to join him.
func TestStopDuringAdd(t *testing.T) {
	d, s := scripted("slow")
	stop := watchOne(t, d, "a", never)
	answer := s.slowly(t, d, "slow", never)
	stop()
	if s.did("drop 1") {
		t.Fatal("dropped what an add that is under way may have found")
	}
	stopSlow := answer(1)
	if s.did("drop 1") {
		t.Fatal("dropped what somebody joined")
	}
	stopSlow()
	if !s.did("drop 1") {
		t.Error("not dropped by the last")
	}
}

// TestIdleDropped: what was left while an add was under way is dropped after it, be it a failure.
func TestIdleDropped(t *testing.T) {
	d, s := scripted("slow")
	stop := watchOne(t, d, "a", never)
	answer := s.slowly(t, d, "slow", never)
	stop()
	if answer(0) != nil {
		t.Fatal("a failed add is a watch")
	}
	if !s.did("drop 1") {
		t.Error("not dropped")
	}
	<-s.closed
}

// TestNoticeBeforeEntry: the kernel may tell of a directory before the call that asked for it has returned.
func TestNoticeBeforeEntry(t *testing.T) {
	for _, n := range []notice{changed, over, lost, broken} {
		d, s := scripted("slow", "later")
		woken, later := 0, 0
		answer := s.slowly(t, d, "slow", func() { woken++ })
		s.report(7, n)
		answerLater := s.slowly(t, d, "later", func() { later++ })
		stop := answer(7)
		if woken != 1 {
			t.Errorf("notice %d: woken %d times", n, woken)
		}
		stopLater := answerLater(7)
		if later != 0 {
			t.Errorf("notice %d: who began to watch after it is woken", n)
		}
		s.report(7, changed)
		if later != 1 {
			t.Errorf("notice %d: who began to watch after it is not woken by the next one", n)
		}
		stop()
		stopLater()
		<-s.closed
	}
}

// TestHangingAdd: one path that hangs delays nobody else, nor has them run in circles.
func TestHangingAdd(t *testing.T) {
	d, s := scripted("hang")
	answer := s.slowly(t, d, "hang", never)
	woken := 0
	stop := watchOne(t, d, "a", func() { woken++ })
	s.report(1, changed)
	for range 3 { // watches anew, as one does who was woken
		next := watchOne(t, d, "a", func() { woken++ })
		stop()
		stop = next
	}
	if woken != 1 {
		t.Errorf("woken %d times by one notice", woken)
	}
	stop()
	answer(0)
	<-s.closed
}

// TestOver: after its end nobody is told any more, and the number is dropped: it may have been given out a second time.
func TestOver(t *testing.T) {
	d, s := scripted()
	woken := 0
	stop := watchOne(t, d, "a", func() { woken++ })
	s.report(1, over)
	if !s.did("drop 1") {
		t.Error("not dropped")
	}
	s.report(1, changed)
	if woken != 1 {
		t.Errorf("woken %d times", woken)
	}
	again := 0
	stopAgain := watchOne(t, d, "b", func() { again++ })
	stop() // of another one with the same number
	s.report(1, changed)
	if again != 1 || woken != 1 {
		t.Errorf("woken %d and %d times", woken, again)
	}
	stopAgain()
	<-s.closed
}

// TestBroken: all are told when nothing more will be told, and the next one gets another source.
func TestBroken(t *testing.T) {
	d, first := scripted()
	woken := 0
	stop := watchOne(t, d, "a", func() { woken++ })
	first.report(0, broken)
	if woken != 1 {
		t.Errorf("woken %d times", woken)
	}
	other, second := scripted()
	d.open = other.open
	stopAgain := watchOne(t, d, "b", never)
	if !second.did("add b") {
		t.Error("the broken source is used")
	}
	stop()
	<-first.closed
	stopAgain()
	<-second.closed
}

func TestCannotOpen(t *testing.T) {
	fails := errors.New("none left")
	d := &Dirs{open: func(sink) (source, error) { return nil, fails }}
	for range 2 {
		if _, err := d.Watch("a", never); !errors.Is(err, fails) {
			t.Errorf("got %v", err)
		}
	}
	if d.used != nil {
		t.Error("something is open")
	}
}

// TestReopened: one who comes while nobody watches any more, but before the watcher is closed, keeps it open.
func TestReopened(t *testing.T) {
	d, s := scripted()
	watchOne(t, d, "a", never)()
	stop := watchOne(t, d, "a", never)
	d.closeUnused(d.used) // the time is up
	select {
	case <-s.closed:
		t.Fatal("closed in use")
	default:
	}
	stop()
	<-s.closed
}
