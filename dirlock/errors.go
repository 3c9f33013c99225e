package dirlock

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/stamp"
)

var (
	// ErrHeld is matched by every [*HeldError]: the lock could not be had because somebody has it, or may have it.
	ErrHeld = errors.New("dirlock: held")

	// ErrLost is the cause of a lock's context, and matched by what [Lock.Check] and [Lock.Release] return, once the lock
	// was taken over, removed from outside, or could not be kept fresh until its lease ran out.
	ErrLost = errors.New("dirlock: lost")

	// ErrReleased is the cause of a lock's context after [Lock.Release], and what a second Release returns.
	ErrReleased = errors.New("dirlock: released")

	// ErrNotLock is matched when the path holds something that is not a lock: a file, a symbolic link, a directory of
	// somebody's data. Nothing there was touched.
	ErrNotLock = errors.New("dirlock: not a lock")
)

// A Holder is the owner of a lock as far as a look from outside can tell.
type Holder struct {
	Token     string        // the name of the stamp, which names the owner in full
	Stamp     stamp.Stamp   // the token taken apart; zero if it is not our format
	PID       int           // in the holder's own pid namespace
	Host      string        // the host's name where the content could be read, else the label in the token
	Boot      string        // the boot id of the holder's kernel, 32 hex digits; "" if the holder could not tell
	PIDNS     uint64        // the holder's pid namespace; 0 if the holder could not tell
	Since     time.Time     // when it was acquired, by the holder's clock; zero if the content was not read
	Container string        // the holder's container, for people
	Program   string        // the holder's program, for people
	Note      string        // what the holder's [Mutex.Note] said
	Age       time.Duration // since the last heartbeat, if AgeKnown
	AgeKnown  bool
}

// String is a short line for people: pid, host, program, container and note, as far as known.
func (h Holder) String() string {
	var b strings.Builder
	switch {
	case h.Stamp.Version == 0:
		fmt.Fprintf(&b, "a stamp that is not our format (%q)", h.Token)
		return b.String()
	default:
		fmt.Fprintf(&b, "pid %d on host %q", h.PID, h.Host)
	}
	var more []string
	for _, x := range []struct{ what, value string }{
		{"program", h.Program}, {"container", h.Container}, {"note", h.Note},
	} {
		if x.value != "" {
			more = append(more, fmt.Sprintf("%s %q", x.what, x.value))
		}
	}
	if !h.Since.IsZero() {
		more = append(more, "since "+h.Since.UTC().Format(time.RFC3339))
	}
	more = append(more, "token "+h.Stamp.UUID.String())
	fmt.Fprintf(&b, " (%s)", strings.Join(more, ", "))
	return b.String()
}

// A HeldError says why a lock could not be had and who holds it. It matches [ErrHeld]; when a wait ended, it matches the
// cause too ([context.DeadlineExceeded] when [Mutex.Wait] ran out, else the context's cause).
type HeldError struct {
	Path     string
	Holder   *Holder       // nil: a directory without a stamp, or one that could not be read
	Verdict  stamp.Verdict // what was decided about the holder, and on what evidence
	Waited   time.Duration // how long this call waited
	Takeover time.Duration // the lock could be taken over after this time at the earliest; 0: now; negative: cannot be foreseen
	Cause    error         // why the wait ended; nil from [Mutex.TryAcquire]
	Problem  error         // what stood in the way besides, such as EACCES on listing or on evicting a dead holder
}

// Error names the holder, its heartbeat, the verdict with its evidence and the prospects, in one line.
func (e *HeldError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dirlock: %s is held", e.Path)
	if e.Holder != nil {
		fmt.Fprintf(&b, " by %s", e.Holder)
		if e.Holder.AgeKnown {
			fmt.Fprintf(&b, ", last heartbeat %s ago", round(e.Holder.Age))
		} else {
			b.WriteString(", heartbeat of unknown age")
		}
	}
	if e.Verdict.Reason != "" {
		fmt.Fprintf(&b, "; verdict: %s", e.Verdict.Reason)
	}
	switch {
	case e.Verdict.Takeover && e.Problem != nil:
		b.WriteString("; it may be taken over, but could not be")
	case e.Takeover > 0:
		fmt.Fprintf(&b, "; it can be taken over in %s at the earliest", round(e.Takeover))
	}
	if e.Problem != nil {
		fmt.Fprintf(&b, "; in the way: %v", e.Problem)
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, "; waited %s: %v", round(e.Waited), e.Cause)
	}
	return b.String()
}

// Is reports whether target is [ErrHeld].
func (e *HeldError) Is(target error) bool { return target == ErrHeld }

// Unwrap returns the cause and the problem, as far as there are any.
func (e *HeldError) Unwrap() []error {
	var list []error
	for _, err := range []error{e.Cause, e.Problem} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

// A lostError says how the lock was lost; it matches [ErrLost].
type lostError struct {
	path string
	how  string
	err  error // what the system said, if anything
}

func (e *lostError) Error() string {
	s := fmt.Sprintf("dirlock: lost %s: %s", e.path, e.how)
	if e.err != nil {
		s += ": " + e.err.Error()
	}
	return s
}

func (e *lostError) Is(target error) bool { return target == ErrLost }
func (e *lostError) Unwrap() error        { return e.err }

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// errNoBeats is what a mount without usable modification times comes to: locking is not supported there.
var errNoBeats = errors.ErrUnsupported

// both is err, with what went wrong besides while cleaning up after it, if anything; in one line, unlike [errors.Join].
func both(err, besides error) error {
	switch {
	case besides == nil:
		return err
	case err == nil:
		return besides
	}
	return fmt.Errorf("%w (and cleaning up: %w)", err, besides)
}
