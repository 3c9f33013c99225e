package runner

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// describe names the members for people, as far as /proc shows them.
func (g group) describe() string {
	if me, err := os.Readlink("/proc/self"); err != nil || me != strconv.Itoa(os.Getpid()) {
		return "" // another namespace's, whose numbers mean others
	}
	entries, _ := os.ReadDir("/proc")
	var names []string
	for _, e := range entries {
		if stat, err := os.ReadFile("/proc/" + e.Name() + "/stat"); err == nil {
			if comm, pgrp := parseStat(stat); pgrp == int(g) {
				names = append(names, fmt.Sprintf("%s (%s)", e.Name(), comm))
			}
		}
	}
	const most = 5
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

// parseStat reads the name and the process group from /proc/PID/stat. The name may contain anything; the last
// parenthesis ends it. The group is 0 if the text is something else, as for /proc/self.
func parseStat(stat []byte) (comm string, pgrp int) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return "", 0
	}
	if f := strings.Fields(string(stat[end+1:])); len(f) > 2 { // state, parent, group
		pgrp, _ = strconv.Atoi(f[2])
	}
	return strconv.QuoteToGraphic(string(stat[open+1 : end])), pgrp
}
