package chaos

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Kind says what a record tells.
type Kind string

// What a worker tells.
const (
	Hello   Kind = "hello"   // it begins; Text is its pid and its boot id
	Tick    Kind = "tick"    // it runs
	Wait    Kind = "wait"    // it asks for the lock
	Try     Kind = "try"     // it asks for the lock, and does not wait
	Gave    Kind = "gave"    // it was told that somebody else holds it, or that the file system does not answer
	Enter   Kind = "enter"   // it was given the lock: its moment begins with the call and ends with the answer
	Alive   Kind = "alive"   // the lock's context had not ended
	Checked Kind = "checked" // Check said that the lock is held, at some time between its call and its answer
	Lost    Kind = "lost"    // the lock's context has ended, or Check said so
	Leave   Kind = "leave"   // it is about to release, and claims nothing from here on
	Left    Kind = "left"    // the release has returned; Text is its error
	Took    Kind = "took"    // it removed the stamp of an owner that it took for dead or lapsed
	Log     Kind = "log"     // what the lock's logger heard, for people
	Wrong   Kind = "wrong"   // something happened that must not, whatever the faults; Text says what
)

// What a probe tells.
const (
	Reached Kind = "reached" // the server answered this host, within the record's moment
)

// What the watch on the server tells.
const (
	Begin  Kind = "begin"  // it looks at everything that is there: what is not told of until Ready is not there
	There  Kind = "there"  // a stamp, or with an empty Token a lock's directory, that is there, made nobody knows when
	Ready  Kind = "ready"  // from here on each change is told of
	Made   Kind = "made"   // a lock's directory was made
	Gone   Kind = "gone"   // a lock's directory was removed
	Create Kind = "create" // a stamp was created; Text is its name
	Beat   Kind = "beat"   // a stamp was touched
	Remove Kind = "remove" // a stamp was removed
)

// A Record is one thing that a witness told. Who is set by who listens to it.
type Record struct {
	At    Moment
	Who   string
	Kind  Kind
	Lock  string // without blanks
	Token string // the stamp's uuid
	Text  string
}

// String is the line that Parse reads, but for Who, which stands before it, if it is set.
func (r Record) String() string {
	line := fmt.Sprintf("%d %d %s %s %s", r.At.From, r.At.To, r.Kind, dash(r.Lock), dash(r.Token))
	if r.Text != "" {
		line += " " + strconv.Quote(r.Text)
	}
	if r.Who != "" {
		line = r.Who + " " + line
	}
	return line
}

// Parse reads a line of a witness.
func Parse(line string) (Record, error) {
	f := strings.SplitN(line, " ", 6)
	if len(f) < 5 {
		return Record{}, fmt.Errorf("chaos: %q has too few words", line)
	}
	from, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return Record{}, fmt.Errorf("chaos: %q: %w", line, err)
	}
	to, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return Record{}, fmt.Errorf("chaos: %q: %w", line, err)
	}
	r := Record{At: Moment{time.Duration(from), time.Duration(to)}, Kind: Kind(f[2]), Lock: undash(f[3]), Token: undash(f[4])}
	if len(f) == 6 {
		if r.Text, err = strconv.Unquote(f[5]); err != nil {
			return Record{}, fmt.Errorf("chaos: %q: %w", line, err)
		}
	}
	return r, nil
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func undash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}
