package simkernel_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
)

// about says in words what a kernel answers about one process, in the same words for the real one and a simulated one:
// numbers are named by whose they are.
func about(sys kernel.System, pid int, names map[int]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kill: %s; pidfd: ", word(sys.Kill(pid)))
	if fd, err := sys.Pidfd(pid); err != nil {
		b.WriteString(word(err))
	} else {
		fmt.Fprint(&b, fd.Readable(), fd.Readable())
		fd.Close()
	}
	b.WriteString("; stat: ")
	p, err := sys.Proc()
	if err != nil {
		return b.String() + word(err)
	}
	defer p.Close()
	text, err := p.ReadFile(strconv.Itoa(pid) + "/stat")
	if err != nil {
		b.WriteString(word(err))
	} else {
		b.WriteString(stat(text, names))
	}
	listing, err := p.Names()
	fmt.Fprintf(&b, "; listed: %v %s", slices.Contains(listing, strconv.Itoa(pid)), word(err))
	return b.String()
}

// self says what a process reads of itself.
func self(sys kernel.System, pid int) string {
	p, err := sys.Proc()
	if err != nil {
		return "no /proc: " + word(err)
	}
	defer p.Close()
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	link, err := p.Readlink("self")
	names := map[int]string{pid: "its pid"}
	say("self: %s %s; ", name(link, names), word(err))
	status, err := p.ReadFile("self/status")
	say("NSpid: %s", word(err))
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("NSpid:")); ok {
			for f := range bytes.FieldsSeq(rest) {
				say(" %s", name(string(f), names))
			}
		}
	}
	boot, err := p.ReadFile("sys/kernel/random/boot_id")
	say("; boot_id: %q %s", hex.ReplaceAll(boot, []byte("x")), word(err))
	for _, file := range []string{"self/stat", "self/nothing", "nothing"} {
		text, err := p.ReadFile(file)
		say("; %s: %v %s", file, len(text) > 0, word(err))
	}
	for _, kind := range []string{"pid", "time"} {
		link, err := p.Readlink("self/ns/" + kind)
		say("; %s: %v %s", kind, strings.HasPrefix(link, kind+":[4026"), word(err))
	}
	info, err := p.ReadFile("self/mountinfo")
	mount := ""
	for line := range strings.Lines(string(info)) {
		if f := strings.Fields(line); len(f) > 4 && f[4] == "/proc" {
			i := slices.Index(f, "-")
			mount = fmt.Sprint(f[3], f[i+1:]) // the last is the one that is seen
		}
	}
	say("; mount: %s %s", mount, word(err))
	return b.String()
}

var hex = regexp.MustCompile("[0-9a-f]")

func stat(text []byte, names map[int]string) string {
	pid, _, _ := bytes.Cut(text, []byte(" "))
	_, rest, _ := cutLast(text, ')')
	f := strings.Fields(string(rest))
	if len(f) != 50 {
		return fmt.Sprintf("%d fields after the name: %q", len(f), text)
	}
	state := f[0]
	if state == "R" { // running or sleeping is a matter of luck
		state = "S"
	}
	threads := f[17]
	if n, err := strconv.Atoi(threads); err == nil && n > 1 {
		threads = "many"
	}
	return fmt.Sprintf("%s %s parent %s group %s threads %s start %v", name(string(pid), names), state,
		name(f[1], names), name(f[2], names), threads, f[19] != "0")
}

func cutLast(text []byte, sep byte) (before, after []byte, found bool) {
	i := bytes.LastIndexByte(text, sep)
	if i < 0 {
		return text, nil, false
	}
	return text[:i], text[i+1:], true
}

func name(number string, names map[int]string) string {
	n, err := strconv.Atoi(number)
	switch {
	case err != nil:
		return number
	case n <= 0:
		return number
	case names[n] != "":
		return names[n]
	}
	return "another"
}

func word(err error) string {
	var no syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &no) && no == syscall.ENOENT && !errors.Is(err, fs.ErrNotExist):
		return "ENOENT that is not fs.ErrNotExist"
	case errors.As(err, &no):
		return fmt.Sprint(int(no), " ", no)
	}
	return err.Error()
}
