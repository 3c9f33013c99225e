// Package kit turns one acquire function into a worker of the benchmarks: a program that wraps one lock and is told by its
// arguments, its environment and its standard input what to do. README.md of the module has the protocol; workers/kit.py
// and workers/kit.js speak the same one.
package kit

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Worker is one lock under test.
type Worker struct {
	// Version says what is measured, for the report.
	Version string

	// Acquire blocks until it has the lock at path, and returns what releases it.
	Acquire func(path string) (release func() error, err error)

	// Keep is called once many locks are held, and keeps them alive; nil where the library does that by itself.
	Keep func(paths []string) error
}

// Fast asks for the fastest safe settings, instead of the library's own.
func Fast() bool { return Profile() == "fast" }

// Profile is the name of the settings that are asked for.
func Profile() string { return os.Getenv("LOCK_PROFILE") }

// Module is the version of a module that this program was built with.
func Module(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return path
	}
	for _, d := range info.Deps {
		if d.Path == path && d.Replace == nil {
			return path + " " + d.Version
		}
	}
	return path
}

// session is one run of a worker.
type session struct {
	Worker

	path    string        // the lock
	witness string        // the file that shows two holders; empty: none
	section time.Duration // how long a holder stays inside
	gated   bool
	in      *bufio.Scanner
}

var roles = map[string]func(*session, []int) error{
	"uncontended": (*session).uncontended,
	"hold":        (*session).hold,
	"wait":        (*session).wait,
	"contend":     (*session).contend,
	"goroutines":  (*session).goroutines,
	"held":        (*session).held,
}

// Run does what the program's arguments ask for and ends the process: with 0 when it was done, 1 when it failed, and 2 when
// the arguments make no sense.
func Run(w Worker) {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		fmt.Println("VERSION", w.Version)
		os.Exit(0)
	}
	role, numbers, err := arguments(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	us, _ := strconv.Atoi(os.Getenv("LOCK_SECTION_US"))
	s := &session{
		Worker:  w,
		path:    os.Getenv("LOCK_PATH"),
		witness: os.Getenv("LOCK_WITNESS"),
		section: time.Duration(us) * time.Microsecond,
		gated:   os.Getenv("LOCK_GATE") != "",
		in:      bufio.NewScanner(os.Stdin),
	}
	if err := role(s, numbers); err != nil {
		fmt.Println("ERR", oneLine(err))
		os.Exit(1)
	}
	os.Exit(0)
}

func arguments(args []string) (func(*session, []int) error, []int, error) {
	usage := fmt.Errorf("usage: %s version|hold|wait|uncontended MS|contend SECONDS|goroutines N SECONDS|held N", os.Args[0])
	if len(args) == 0 || roles[args[0]] == nil {
		return nil, nil, usage
	}
	want := map[string]int{"uncontended": 1, "contend": 1, "goroutines": 2, "held": 1}[args[0]]
	var numbers []int
	for _, a := range args[1:] {
		n, err := strconv.Atoi(a)
		if err != nil || n <= 0 {
			return nil, nil, usage
		}
		numbers = append(numbers, n)
	}
	if len(numbers) != want || os.Getenv("LOCK_PATH") == "" {
		return nil, nil, usage
	}
	if args[0] == "contend" || args[0] == "goroutines" {
		if os.Getenv("LOCK_WITNESS") == "" {
			return nil, nil, fmt.Errorf("%s needs LOCK_WITNESS", args[0])
		}
	}
	return roles[args[0]], numbers, nil
}

func oneLine(err error) string {
	return strings.Join(slices.Collect(strings.FieldsSeq(err.Error())), " ")
}
