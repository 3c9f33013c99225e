package kit

import (
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Now reads CLOCK_MONOTONIC in ns, which all processes of a machine share.
func Now() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // every Linux has it
	}
	return ts.Nano()
}

// say prints one line at once: standard output has no buffer.
func say(words ...any) { fmt.Println(words...) }

// gate prints READY, reads the start time from standard input and sleeps until then; false at the end of input. Without a
// gate it is open.
func (s *session) gate() bool {
	if !s.gated {
		return true
	}
	say("READY")
	if !s.in.Scan() {
		return false
	}
	at, err := strconv.ParseInt(s.in.Text(), 10, 64)
	if err != nil {
		say("ERR no start time:", s.in.Text())
		return false
	}
	time.Sleep(time.Duration(at - Now()))
	return true
}
