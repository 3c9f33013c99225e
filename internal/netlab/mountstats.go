package netlab

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An OpStats is what /proc/self/mountstats says of one operation since the mount: how often it was asked for, how often it was
// sent (again, too), and how long it waited for its answers in all.
type OpStats struct {
	Ops, Sent int64
	RTT       time.Duration
}

// parseStats reads /proc/self/mountstats, which names the mount point of each, and /proc/fs/cifs/Stats behind it, which does not:
// what it counts is summed up.
func parseStats(text, path string) (map[string]OpStats, error) {
	mine, there := false, false // whether the lines are about path, and whether any were
	stats := map[string]OpStats{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 8 && words[0] == "device" && words[2] == "mounted":
			mine = words[4] == path
			there = there || mine
			if mine && words[7] == "cifs" {
				return parseCIFS(text)
			}
		case mine && len(words) >= 9 && strings.HasSuffix(words[0], ":") && words[0] == strings.ToUpper(words[0]): // not "events:"
			op, ok := operation(words[1:])
			if ok && op.Ops > 0 {
				stats[strings.TrimSuffix(words[0], ":")] = op
			}
		}
	}
	if !there {
		return nil, fmt.Errorf("netlab: nothing is mounted on %s", path)
	}
	return stats, nil
}

// operation reads: asked for, sent, timed out, bytes sent, bytes received, ms queued, ms to the answer, ms in all.
func operation(words []string) (OpStats, bool) {
	var n [8]int64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseInt(words[i], 10, 64); err != nil {
			return OpStats{}, false
		}
	}
	return OpStats{Ops: n[0], Sent: n[1], RTT: time.Duration(n[6]) * time.Millisecond}, true
}

// parseCIFS reads lines like "Closes: 6 total 0 failed".
func parseCIFS(text string) (map[string]OpStats, error) {
	_, text, ok := strings.Cut(text, "Resources in use")
	if !ok {
		return nil, errors.New("netlab: /proc/fs/cifs/Stats is missing")
	}
	stats := map[string]OpStats{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) != 5 || words[4] != "failed" || !strings.HasSuffix(words[0], ":") {
			continue
		}
		n, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil || n == 0 {
			continue
		}
		name := strings.TrimSuffix(words[0], ":")
		op := stats[name]
		stats[name] = OpStats{Ops: op.Ops + n, Sent: op.Sent + n}
	}
	return stats, nil
}

// Sum returns how many requests were sent in all.
func Sum(stats map[string]OpStats) (sent int64) {
	for _, op := range stats {
		sent += op.Sent
	}
	return sent
}
