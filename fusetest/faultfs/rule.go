//go:build linux

package faultfs

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Ops are the operations that a rule can name.
var Ops = []string{
	"lookup", "getattr", "setattr", "utimens", "mkdir", "rmdir", "unlink", "create", "open", "read", "write", "flush", "fsync",
	"opendir", "readdir", "statfs", "symlink", "readlink", "link", "rename", "mknod",
}

// A Rule is one fault or lie. The zero rule does nothing, to any call: it only counts them.
//
// A call that several rules apply to meets all of them: the delays add up, and the first error counts.
type Rule struct {
	Ops  []string // names of [Ops]; none: all. Lies apply to whatever reports what they falsify.
	Path string   // below the mount point; "": everything; see match

	Skip  int // so many calls pass unharmed first
	Times int // so many calls meet it; 0: all

	Stall bool          // until the rule is removed; then the call goes on, as if it had only been slow
	Delay time.Duration // before the call is carried out
	Fail  syscall.Errno // what is answered
	After bool          // the call is carried out before it fails, as when a reply is lost

	Still  bool          // setting the modification time succeeds and changes nothing
	Coarse time.Duration // modification times are multiples of this
	Omit   bool          // listings leave these names out
	Keep   bool          // listings keep these names when they are unlinked through this mount
	Cache  time.Duration // how long the kernel may keep names and attributes, and that a name is missing
}

// matches reports whether the rule is about this call.
func (r Rule) matches(op, name string) bool {
	return (len(r.Ops) == 0 || slices.Contains(r.Ops, op)) && match(r.Path, name)
}

// match reports whether name, relative to the mount point ("" is that itself), fits the pattern: as in [path.Match], and "X/**" is X with
// all below it. A pattern without a slash is about the last element alone.
func match(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	if top, ok := strings.CutSuffix(pattern, "/**"); ok {
		for ; name != "." && name != ""; name = path.Dir(name) {
			if ok, _ := path.Match(top, name); ok {
				return true
			}
		}
		return false
	}
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	ok, _ := path.Match(pattern, name)
	return ok
}

// String is the rule as [ParseRule] reads it.
func (r Rule) String() string {
	var words []string
	add := func(set bool, word string) {
		if set {
			words = append(words, word)
		}
	}
	add(len(r.Ops) > 0, "op="+strings.Join(r.Ops, ","))
	add(r.Path != "", "path="+r.Path)
	add(r.Skip != 0, "skip="+strconv.Itoa(r.Skip))
	add(r.Times != 0, "times="+strconv.Itoa(r.Times))
	add(r.Stall, "stall")
	add(r.Delay != 0, "delay="+r.Delay.String())
	add(r.Fail != 0, "fail="+unix.ErrnoName(r.Fail))
	add(r.After, "after")
	add(r.Still, "still")
	add(r.Coarse != 0, "coarse="+r.Coarse.String())
	add(r.Omit, "omit")
	add(r.Keep, "keep")
	add(r.Cache != 0, "cache="+r.Cache.String())
	return strings.Join(words, " ")
}

// ParseRule reads a rule such as "op=mkdir,rmdir path=lock fail=EIO after times=1" or "path=lock/** stall".
func ParseRule(text string) (Rule, error) {
	var r Rule
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "op":
			r.Ops = strings.Split(value, ",")
		case "path":
			r.Path = value
			_, err = path.Match(value, "")
		case "skip":
			r.Skip, err = strconv.Atoi(value)
		case "times":
			r.Times, err = strconv.Atoi(value)
		case "stall":
			r.Stall = true
		case "delay":
			r.Delay, err = time.ParseDuration(value)
		case "fail":
			if r.Fail = errnoNamed(value); r.Fail == 0 {
				err = fmt.Errorf("no such errno")
			}
		case "after":
			r.After = true
		case "still":
			r.Still = true
		case "coarse":
			r.Coarse, err = time.ParseDuration(value)
		case "omit":
			r.Omit = true
		case "keep":
			r.Keep = true
		case "cache":
			r.Cache, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("no such word")
		}
		if err != nil {
			return r, fmt.Errorf("faultfs: %q: %w", word, err)
		}
	}
	for _, op := range r.Ops {
		if !slices.Contains(Ops, op) {
			return r, fmt.Errorf("faultfs: %q is no operation; there are %s", op, strings.Join(Ops, ", "))
		}
	}
	return r, nil
}

func errnoNamed(name string) syscall.Errno {
	for e := syscall.Errno(1); e < 200; e++ {
		if unix.ErrnoName(e) == name {
			return e
		}
	}
	return 0
}
