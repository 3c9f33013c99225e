package proptest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// errnos are the error numbers that a script can name. They are spelt alike on all systems.
var errnos = map[string]syscall.Errno{
	"EIO": syscall.EIO, "EACCES": syscall.EACCES, "ENOENT": syscall.ENOENT, "EEXIST": syscall.EEXIST, "ENOSPC": syscall.ENOSPC,
	"EINTR": syscall.EINTR, "ETIMEDOUT": syscall.ETIMEDOUT, "EMFILE": syscall.EMFILE, "EROFS": syscall.EROFS,
	"EAGAIN": syscall.EAGAIN, "ESTALE": errStale, "EBUSY": errBusy, "EDQUOT": errQuota,
}

func errnoName(e syscall.Errno) string {
	for name, n := range errnos {
		if n == e {
			return name
		}
	}
	return strconv.Itoa(int(e))
}

// faultKinds are the things that can happen at a call: at which of its moments, and whether they are an answer with an error.
var faultKinds = map[string]struct {
	at    []When
	errno bool
}{
	"stop":    {at: []When{Before, After}},
	"kill":    {at: []When{Before, After}},
	"hold":    {at: []When{Before, After}},
	"fail":    {at: []When{Before}, errno: true},
	"late":    {at: []When{Before}, errno: true},
	"unheard": {at: []When{After}, errno: true},
	"replay":  {at: []When{After}},
	"miss":    {at: []When{Before}},
}

// faultCalls are the calls that a fault can wait for, and faultThings what they may be about.
var (
	faultCalls  = []string{"mkdir", "rmdir", "opendir", "list", "info", "stat", "create", "open", "guard", "probe", "read", "touch", "setmtime", "unlink", "chmod", "statfs"}
	faultThings = []string{"own", "other", "lock", "vacant", "probe"}
)

// faultWords are the words of a fault, without those in Opt.
func (a Action) faultWords() []string {
	op := a.Op
	if op == "" {
		op = "any"
	}
	words := []string{fmt.Sprintf("%s+%d", op, a.Skip), a.When.String(), a.What}
	if a.Err != 0 {
		words = append(words, errnoName(a.Err))
	}
	return words
}

// parseFault reads CALL+SKIP before|after WHAT [ERRNO] [xN].
func (a *Action) parseFault(words []string) error {
	next := func() (word string) {
		if len(words) > 0 {
			word, words = words[0], words[1:]
		}
		return word
	}
	call := next()
	op, skip, _ := strings.Cut(call, "+")
	n, err := strconv.Atoi(skip)
	if err != nil {
		return fmt.Errorf("%q is no call: it is written as unlink+0", call)
	}
	a.Skip = n
	if op != "any" {
		a.Op = op
	}
	switch when := next(); when {
	case "before":
	case "after":
		a.When = After
	default:
		return fmt.Errorf("%q is no moment of a call: it is before or after", when)
	}
	a.What = next()
	if len(words) > 0 && errnos[words[0]] != 0 {
		a.Err = errnos[next()]
	}
	a.Opt = words
	return a.checkFault()
}

// checkFault looks for what no fault can be.
func (a Action) checkFault() error {
	kind, ok := faultKinds[a.What]
	if !ok {
		return fmt.Errorf("%q is no such fault", a.What)
	}
	call, of, about := strings.Cut(a.Op, ":")
	switch {
	case a.Op == "":
	case !slices.Contains(faultCalls, call), about && !slices.Contains(faultThings, of):
		return fmt.Errorf("%q is no call that there is", a.Op)
	}
	switch {
	case a.Skip < 0:
		return fmt.Errorf("\"%s+%d\" is no call: none, or some, go by", a.Op, a.Skip)
	case !slices.Contains(kind.at, a.When):
		return fmt.Errorf("%q is never %q a call's effect", a.What, a.When)
	case !kind.errno && a.Err != 0:
		return fmt.Errorf("%q has no answer, such as %q", a.What, errnoName(a.Err))
	}
	if _, err := a.times(); err != nil {
		return err
	}
	if kind.errno && a.Err == 0 {
		return fmt.Errorf("%q takes an error that is answered, such as EIO", a.What)
	}
	return nil
}

// times is to how many calls in a row a fault happens: "x5" are five.
func (a Action) times() (int, error) {
	if len(a.Opt) == 0 {
		return 1, nil
	}
	digits, ok := strings.CutPrefix(a.Opt[0], "x")
	n, err := strconv.Atoi(digits)
	switch {
	case !ok, err != nil, n < 1:
		return 0, fmt.Errorf("%q is neither an error that can be answered nor how often, such as x3", a.Opt[0])
	case len(a.Opt) > 1:
		return 0, fmt.Errorf("after %s nothing may follow, and not %q", a.Opt[0], a.Opt[1])
	}
	return n, nil
}
