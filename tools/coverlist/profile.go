package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A block is what one counter of the profile stands for: statements of which either all are reached or none.
type block struct {
	file       string // as in the profile: import path and name
	start, end at
	statements int
	reached    bool

	// See locate.
	place
	span at // up to where nothing is reached if the block is not
}

// at is a position in a file.
type at struct{ line, col int }

func (p at) compare(q at) int { return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col)) }

// A place names a block, by what does not change when the file does elsewhere.
type place struct {
	file string // from the module's root
	fn   string
	nth  int // of the blocks that begin alike, from 1; 0 if it is the only one
	text string
}

func (p place) String() string {
	nth := ""
	if p.nth > 0 {
		nth = fmt.Sprintf("#%d", p.nth)
	}
	return fmt.Sprintf("%s %s%s: %s", p.file, p.fn, nth, p.text)
}

var profileLine = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$`)

// readProfile reads what "go test -coverprofile" wrote. A block may stand there several times, once for each test binary.
func readProfile(file string) ([]*block, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	type key struct {
		file       string
		start, end at
	}
	known := map[key]*block{}
	var blocks []*block
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "mode: ") {
			continue
		}
		m := profileLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%s: %q is no line of a cover profile", file, line)
		}
		var n [6]int
		for i := range n {
			if n[i], err = strconv.Atoi(m[i+2]); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", file, line, err)
			}
		}
		if n[4] == 0 { // nothing to reach: an empty function
			continue
		}
		k := key{m[1], at{n[0], n[1]}, at{n[2], n[3]}}
		b := known[k]
		if b == nil {
			b = &block{file: k.file, start: k.start, end: k.end, statements: n[4]}
			known[k] = b
			blocks = append(blocks, b)
		}
		b.reached = b.reached || n[5] > 0
	}
	if len(blocks) == 0 {
		return nil, fmt.Errorf("%s: no blocks: nothing was counted", file)
	}
	slices.SortFunc(blocks, func(a, b *block) int {
		return cmp.Or(cmp.Compare(a.file, b.file), a.start.compare(b.start), b.end.compare(a.end))
	})
	return blocks, nil
}
