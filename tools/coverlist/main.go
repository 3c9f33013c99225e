// Coverlist compares a cover profile with a list of what the profiled tests are known not to reach, and why not. It exits with 1
// if something was not reached and is not in the list, and if the list names what was reached, or what is not there any more.
//
//	coverlist -list unreached.txt cover.out
//
// It runs in the root of the module that the profile is of. The list is text. A line that begins at the margin is a reason; those below
// it that are indented name what is not reached for that reason:
//
//	settings that are refused before anything happens
//		dirlock/mutex.go Mutex.Acquire: if err != nil { / return nil, err
//		dirlock/errors.go HeldError.Error: *
//
// That is a file, a function, and the first line of a block; if that only opens the block, also the one after it. Comments are
// left out. So an entry stands for the same block when lines are added elsewhere. Of blocks that begin alike in one function the
// second has #2 after the function's name, and so on. An entry covers what is inside its block and, if it is
// none in braces, what follows up to the end of those around it. A star is a function of which nothing is reached.
//
// What a random search reaches now and then stands below a reason that begins with "rare:". Lines with # at the margin are comments.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	file := flag.String("list", "", "`file` that says what is not reached, and why")
	flag.Parse()
	if *file == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: coverlist -list FILE PROFILE")
		os.Exit(2)
	}
	ok, err := run(os.Stdout, ".", *file, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "coverlist:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run compares the profile of the module in root with a list, and says on out what does not fit, or the sum of it.
func run(out io.Writer, root, listFile, profile string) (ok bool, err error) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	entries, err := readList(listFile)
	if err != nil {
		return false, err
	}
	blocks, err := readProfile(profile)
	if err != nil {
		return false, err
	}
	if err := locate(root, blocks); err != nil {
		return false, err
	}
	v := compare(blocks, entries)
	v.print(w, listFile)
	return v.ok(), nil
}
