package notify

import (
	"errors"
	"testing"
	"testing/synctest"
)

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

// TestAddDuringDrop: nobody joins what is about to be dropped, and a stop need not wait for another's.
func TestAddDuringDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s := scripted()
		s.dropping = make(chan struct{})
		stopA, stopB := watchOne(t, d, "a", never), watchOne(t, d, "bb", never)
		go stopA()
		s.await(t, "drop 1")
		stopB()
		added := make(chan func())
		go func() { added <- watchOne(t, d, "a3c", never) }()
		synctest.Wait()
		if s.did("add a3c") {
			t.Error("added during a drop")
		}
		close(s.dropping)
		(<-added)()
		for _, call := range []string{"drop 2", "drop 3"} {
			s.await(t, call)
		}
		<-s.closed
	})
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
		want := 2
		if n == over || n == broken {
			want = 1
		}
		if woken != want {
			t.Errorf("notice %d: woken %d times in all, want %d", n, woken, want)
		}
		if kept := len(d.used.since); kept != 0 {
			t.Errorf("notice %d: %d notices kept for nobody", n, kept)
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
	<-first.closed // there is nothing to wait for
	stop()
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
