// Testlog reads the output of "go test -json" on standard input and prints what a person wants of it: the line of each package, and
// all that a failed test said. It exits with 1 if anything failed.
//
// With -allowed-skips FILE it also exits with 1 for every test that was skipped and is not named in FILE, and for every
// line of FILE that names a test which was not skipped. A skip that nobody allowed is a promise that nobody kept.
//
// With -elsewhere TEXT|TEXT, a skip whose reason has one of these in it does not count: another run, where it would, tries what it promises.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	allowed := flag.String("allowed-skips", "", "`file` of tests that may be skipped; none given: skips do not count")
	elsewhere := flag.String("elsewhere", "", "`texts`, with | between them, in the reasons of skips that do not count")
	flag.Parse()
	ok, err := run(os.Stdin, os.Stdout, *allowed, *elsewhere)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, allowedFile, elsewhere string) (ok bool, err error) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	l := newLog(w)
	if err := l.read(in); err != nil {
		return false, err
	}
	if l.tests == 0 {
		fmt.Fprintln(w, "no test ran")
		return false, nil
	}
	for _, f := range l.failed { // what a test said may be pages above
		fmt.Fprintln(w, "FAILED:", f)
	}
	ok = len(l.failed) == 0
	if allowedFile == "" {
		return ok, nil
	}
	allow, err := readAllowed(allowedFile)
	if err != nil {
		return false, err
	}
	for _, complaint := range judge(l.skips, allow, elsewhere) {
		fmt.Fprintln(w, complaint)
		ok = false
	}
	return ok, nil
}
