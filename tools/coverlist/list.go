package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// An entry of the list excuses what is not reached in one place.
type entry struct {
	place  // its text is "*" for a whole function
	line   int
	reason string
}

func (e entry) rare() bool { return strings.HasPrefix(e.reason, "rare:") }

var entryLine = regexp.MustCompile(`^(\S+\.go) ([^\s:#]+)(?:#(\d+))?: (.+)$`)

// readList reads the list of what is not reached.
func readList(file string) (entries []entry, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	reason, line := "", 0
	for text := range strings.Lines(string(data)) {
		line++
		trimmed := strings.TrimSpace(text)
		switch {
		case trimmed == "" || text[0] == '#':
			continue
		case text[0] != ' ' && text[0] != '\t':
			reason = trimmed
			continue
		case reason == "":
			return nil, fmt.Errorf("%s:%d: an entry stands below its reason", file, line)
		}
		m := entryLine.FindStringSubmatch(trimmed)
		if m == nil {
			return nil, fmt.Errorf("%s:%d: an entry is FILE FUNCTION: FIRST LINE of the block, or a star", file, line)
		}
		e := entry{place: place{file: m[1], fn: m[2], text: m[4]}, line: line, reason: reason}
		if m[3] != "" {
			if e.nth, err = strconv.Atoi(m[3]); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, line, err)
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}
