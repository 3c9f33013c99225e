package heartbeat_test

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/aac6cccc/mkdirlock/heartbeat"
)

// clock stands for one that counts suspend, such as CLOCK_BOOTTIME.
type clock struct{ start time.Time }

func (c clock) Mono() time.Duration { return time.Since(c.start) }
func (c clock) Boot() time.Duration { return time.Since(c.start) }

// stamp stands for a file. Somebody removes it after three beats.
type stamp struct{ beats int }

func (s *stamp) Touch() error {
	if s.beats == 3 {
		return &fs.PathError{Op: "utimensat", Path: "lock/stamp", Err: fs.ErrNotExist}
	}
	s.beats++
	fmt.Println("beat", s.beats)
	return nil
}

func (s *stamp) Mtime() (time.Time, error) { return time.Unix(int64(s.beats), 0), nil }

// A lock beats until its name is gone.
func Example() {
	c := clock{time.Now()}
	s := heartbeat.New(c)
	lost := make(chan string, 1)
	leaseFrom := c.Boot() // before the stamp is created
	b := s.Start("the mount", &stamp{}, heartbeat.Settings{Heartbeat: 10 * time.Millisecond, Stale: time.Minute}, leaseFrom, time.Unix(0, 0), heartbeat.Events{
		Gone:   func() { lost <- "gone" },
		Lapsed: func(asleep bool) { lost <- "lapsed" },
	})
	defer b.Stop()
	fmt.Println("40 s to go:", b.Remaining() > 39*time.Second)
	fmt.Println(<-lost)
	// Output:
	// 40 s to go: true
	// beat 1
	// beat 2
	// beat 3
	// gone
}

// What a waiter may say of a heartbeat that it looks at once a second.
func ExampleObserver() {
	var o heartbeat.Observer
	mtime := time.Unix(1_000_000, 0)
	look := func(at time.Duration, err error) {
		o.Add(heartbeat.Sample{Sent: at, Answered: at + time.Millisecond, Mtime: mtime, Err: err}, 2*time.Second)
		b := o.Beat()
		fmt.Println(b.Unchanged, b.Err)
	}
	look(1*time.Second, nil) // first sight says nothing
	look(2*time.Second, nil)
	look(3*time.Second, nil)
	look(4*time.Second, errors.New("stale file handle")) // nor does an error
	look(5*time.Second, nil)
	mtime = mtime.Add(-time.Hour) // a step back is a beat
	look(6*time.Second, nil)
	look(7*time.Second, nil)
	// Output:
	// 0s <nil>
	// 999ms <nil>
	// 1.999s <nil>
	// 0s stale file handle
	// 0s <nil>
	// 0s <nil>
	// 999ms <nil>
}
