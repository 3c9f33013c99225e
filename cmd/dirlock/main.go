// Command dirlock runs a command under a lock that is a directory, and tells who holds one.
//
//	dirlock run /shared/jobs.lock -- ./nightly-report
//	dirlock status /shared/jobs.lock
//
// See "dirlock help run" and "dirlock help status".
package main

import (
	"io"
	"os"
	"strings"

	"github.com/aac6cccc/mkdirlock/internal/runner"
)

func main() {
	runner.Leader() // before all else: what this process opens from here on would be the command's
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and returns the exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	complain(stderr, err)
	return codeOf(err)
}

// complain writes one line that begins with the program's name, which errors of the lock itself begin with already.
func complain(w io.Writer, err error) {
	if err == nil || err.Error() == "" {
		return
	}
	const name = "dirlock: "
	text := strings.ReplaceAll(strings.TrimPrefix(err.Error(), name), "\n", "; ")
	io.WriteString(w, name+text+"\n")
}
