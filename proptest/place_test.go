package proptest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

// place draws what a process's kernel shows of it and to it.
func (d *drawer) place(t *rapid.T, h *Host) (words []string) {
	if d.p.siblings {
		place := rapid.SampledFrom([]string{"ns=c1", "ns=c1", "ns=c2", "ns=c2", "ns=c3", "", "ns=c1 proc=none", "uid=1000", "uid=1000 ns=c2", "guards=0"}).Draw(t, "place")
		words = append(words, strings.Fields(place)...)
		if rapid.IntRange(0, 9).Draw(t, "group") == 0 {
			words = append(words, "group=1")
		}
	}
	if d.p.kernels {
		if word := rapid.SampledFrom([]string{"", "", "", "", "uid=1000", "ns=c1", "ns=c2", "ns=c1 proc=host", "ns=c1 proc=host",
			"proc=none", "uid=1000 proc=hidden", "deny=kill", "deny=pidfd_open", "deny=read"}).Draw(t, "place"); word != "" {
			words = append(words, strings.Fields(word)...)
		}
		if rapid.IntRange(0, 5).Draw(t, "group") == 0 {
			words = append(words, "group=1")
		}
		if pid := d.freed(t, h); pid != 0 {
			words = append(words, fmt.Sprintf("pid=%d", pid))
		}
	}
	return words
}

// freed draws the number of a process that is gone, to be used again; 0: none.
func (d *drawer) freed(t *rapid.T, h *Host) int {
	for _, p := range d.w.procs {
		if p.host == h && p.dead && p.task.State() == simkernel.Gone && rapid.Bool().Draw(t, "reuse") {
			return p.task.PID()
		}
	}
	return 0
}
