package notify

import (
	"errors"
	"testing"
)

// fake is a process whose end is known at the test's command: by the handle, then by the notice.
type fake struct {
	ended  func()
	isOver bool
	closed int
}

func (f *fake) over() bool { return f.isOver }
func (f *fake) close()     { f.closed++ }

// fakes returns an Exits and the handles that it opens, in order.
func fakes() (*Exits, *[]*fake) {
	var opened []*fake
	return &Exits{open: func(_ int, ended func()) (handle, error) {
		f := &fake{ended: ended}
		opened = append(opened, f)
		return f, nil
	}}, &opened
}

// TestJoinLate: the process of a handle that others have has ended, and its notice has not come yet. The number may be another's
// by now, and it may be the other about whom confirm answered.
func TestJoinLate(t *testing.T) {
	e, opened := fakes()
	first, second, asked := 0, 0, 0
	if _, err := e.Watch(1, func() bool { return true }, func() { first++ }); err != nil {
		t.Fatal(err)
	}
	old := (*opened)[0]
	old.isOver = true
	stop, err := e.Watch(1, func() bool { asked++; return true }, func() { second++ })
	if err != nil || asked != 2 || len(*opened) != 2 {
		t.Fatalf("asked %d times about %d processes: %v", asked, len(*opened), err)
	}
	old.ended()
	if first != 1 || second != 0 || old.closed != 1 {
		t.Errorf("told %d and %d times; closed %d times", first, second, old.closed)
	}
	stopThird, err := e.Watch(1, func() bool { return true }, func() {})
	if err != nil || len(*opened) != 2 {
		t.Errorf("a third waiter does not share the second's handle: %v", err)
	}
	stop()
	stopThird()
	now := (*opened)[1]
	now.ended() // on its way when it was closed
	if second != 0 || now.closed != 1 {
		t.Errorf("told %d times after stop; closed %d times", second, now.closed)
	}
}

// TestEndedDuringConfirm: the notice comes while confirm is asked.
func TestEndedDuringConfirm(t *testing.T) {
	for _, sure := range []bool{true, false} {
		e, opened := fakes()
		told := 0
		_, err := e.Watch(1, func() bool { (*opened)[0].ended(); return sure }, func() { told++ })
		if sure && (err != nil || told != 1) || !sure && (!errors.Is(err, ErrNoProcess) || told != 0) {
			t.Errorf("confirmed %v: told %d times, %v", sure, told, err)
		}
		if n := (*opened)[0].closed; n != 1 || len(e.seen) != 0 {
			t.Errorf("closed %d times, %d kept", n, len(e.seen))
		}
	}
}

// TestStopDuringConfirm: the handle stays open for who has not decided yet.
func TestStopDuringConfirm(t *testing.T) {
	e, opened := fakes()
	stop, err := e.Watch(1, func() bool { return true }, func() {})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	_, err = e.Watch(1, func() bool { stop(); return true }, func() { told++ })
	if err != nil || len(*opened) != 1 || (*opened)[0].closed != 0 {
		t.Fatalf("%d handles, the first closed %d times: %v", len(*opened), (*opened)[0].closed, err)
	}
	(*opened)[0].ended()
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}
