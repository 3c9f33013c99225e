package proptest

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

// An Action is one step of a schedule. Which fields count depends on the Verb; the package's documentation has all verbs.
type Action struct {
	Verb string        // what is done
	On   string        // to which process or host; "" if that is no question
	Op   string        // a call of the file system: "mkdir", "create", "unlink", "list", ...; "" is any
	Skip int           // how many such calls pass first
	When When          // before or after the call's effect
	What string        // what happens there: "fail", "stop", ...
	Err  syscall.Errno // the answer, of "fail", "late" and "unheard"
	For  time.Duration
	Opt  []string // more words: of "start" the host and its settings, of "run" the process that goes first
}

// When is a moment of a call.
type When uint8

// The two moments.
const (
	Before When = iota // it has been sent, and has had no effect
	After              // it has had its effect, and its answer is under way
)

func (w When) String() string {
	if w == After {
		return "after"
	}
	return "before"
}

// String is the action as a line of a script.
func (a Action) String() string {
	words := []string{a.Verb}
	add := func(s string) {
		if s != "" {
			words = append(words, s)
		}
	}
	add(a.On)
	if verbs[a.Verb].fault {
		words = append(words, a.faultWords()...)
	}
	if verbs[a.Verb].dur {
		add(a.For.String())
	}
	return strings.Join(append(words, a.Opt...), " ")
}

// ParseAction reads one line of a script; the package's documentation has the words. A process or a host that does not exist is
// found out by [World.Do] only.
func ParseAction(line string) (Action, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return Action{}, fmt.Errorf("proptest: an empty action")
	}
	a := Action{Verb: words[0]}
	v, ok := verbs[a.Verb]
	if !ok {
		return a, fmt.Errorf("proptest: %q: no such verb", line)
	}
	words = words[1:]
	next := func() string {
		if len(words) == 0 {
			return ""
		}
		w := words[0]
		words = words[1:]
		return w
	}
	if v.on {
		if a.On = next(); a.On == "" {
			return a, fmt.Errorf("proptest: %q: on what?", line)
		}
	}
	if v.fault {
		if err := a.parseFault(words); err != nil {
			return a, fmt.Errorf("proptest: %q: %w", line, err)
		}
		return a, nil
	}
	if v.dur {
		d, err := time.ParseDuration(next())
		if err != nil {
			return a, fmt.Errorf("proptest: %q: %w", line, err)
		}
		a.For = d
	}
	a.Opt = words
	return a, nil
}

// A Script is a schedule: a world and what happens in it.
type Script struct {
	Config  Config
	Actions []Action
}

// String is the script as text, for [ParseScript].
func (s Script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "world %s\n", s.Config)
	for _, a := range s.Actions {
		fmt.Fprintln(&b, a)
	}
	return b.String()
}

// ParseScript reads a script. Empty lines and what follows a # are left out.
// One without its first line, the world, is an error.
func ParseScript(text string) (Script, error) {
	var s Script
	first := true
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case first:
			first = false
			rest, ok := strings.CutPrefix(line, "world")
			if !ok {
				return s, fmt.Errorf("proptest: a script begins with its world, not with %q", line)
			}
			c, err := ParseConfig(rest)
			if err != nil {
				return s, err
			}
			s.Config = c
		default:
			a, err := ParseAction(line)
			if err != nil {
				return s, err
			}
			s.Actions = append(s.Actions, a)
		}
	}
	if first {
		return s, fmt.Errorf("proptest: a script begins with its world, and there is nothing in it")
	}
	return s, nil
}
