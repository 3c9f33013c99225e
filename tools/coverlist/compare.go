package main

import (
	"bufio"
	"fmt"
)

// A verdict is what comes of comparing a profile with a list.
type verdict struct {
	missing             []*block // not reached, and without an entry
	complaints          []string // about entries
	reached, statements int
	excused             map[string]int // statements, by reason
	reasons             []string       // in the list's order
}

func (v *verdict) ok() bool { return len(v.missing)+len(v.complaints) == 0 }

func compare(blocks []*block, entries []entry) *verdict {
	v := &verdict{excused: map[string]int{}}
	excuse := map[*block]string{}
	seen := map[place]int{}
	for _, e := range entries {
		if len(v.reasons) == 0 || v.reasons[len(v.reasons)-1] != e.reason {
			v.reasons = append(v.reasons, e.reason)
		}
		complain := func(what string) {
			v.complaints = append(v.complaints, fmt.Sprintf("line %d: %s: %s", e.line, what, e.place))
		}
		if first := seen[e.place]; first != 0 {
			complain(fmt.Sprintf("stands in line %d already", first))
			continue
		}
		seen[e.place] = e.line
		found, reached := excused(blocks, e)
		switch {
		case found == nil:
			complain("there is no such block (any more)")
		case reached && !e.rare():
			complain("is reached")
		}
		for _, b := range found {
			if !b.reached && excuse[b] == "" {
				excuse[b] = e.reason
			}
		}
	}
	whole := unreachedFunctions(blocks)
	var last *block // with what is inside it
	for _, b := range blocks {
		v.statements += b.statements
		switch {
		case b.reached:
			v.reached += b.statements
		case excuse[b] != "":
			v.excused[excuse[b]] += b.statements
		case last != nil && last.file == b.file && b.start.compare(last.span) < 0:
		default:
			if whole[function{b.place.file, b.fn}] {
				b.nth, b.text = 0, "*"
				if last != nil && last.place == b.place {
					continue
				}
			}
			v.missing = append(v.missing, b)
			last = b
		}
	}
	return v
}

// excused returns the blocks that an entry covers, none if it fits nothing, and whether the simulation came there.
func excused(blocks []*block, e entry) (found []*block, reached bool) {
	if e.text == "*" {
		for _, b := range blocks {
			if b.place.file == e.file && b.fn == e.fn {
				found = append(found, b)
				reached = reached || b.reached
			}
		}
		return found, reached
	}
	for _, head := range blocks {
		if head.place != e.place {
			continue
		}
		for _, b := range blocks {
			if b.file == head.file && b.start.compare(head.start) >= 0 && b.start.compare(head.span) < 0 {
				found = append(found, b)
			}
		}
		return found, head.reached
	}
	return nil, false
}

type function struct{ file, fn string }

// unreachedFunctions are those of which nothing is reached.
func unreachedFunctions(blocks []*block) map[function]bool {
	whole := map[function]bool{}
	for _, b := range blocks {
		f := function{b.place.file, b.fn}
		before, known := whole[f]
		whole[f] = !b.reached && (before || !known)
	}
	return whole
}

// print says what is wrong, in a form that can be put into the list, and then the sum.
func (v *verdict) print(w *bufio.Writer, listFile string) {
	for _, c := range v.complaints {
		fmt.Fprintf(w, "%s: %s\n", listFile, c)
	}
	if len(v.missing) > 0 {
		fmt.Fprintf(w, "not reached, and %s does not say why:\n", listFile)
		for _, b := range v.missing {
			fmt.Fprintf(w, "\t%s\n", b.place)
		}
	}
	fmt.Fprintf(w, "%d of %d statements are reached (%.1f%%)\n", v.reached, v.statements, 100*float64(v.reached)/float64(v.statements))
	for _, r := range v.reasons {
		fmt.Fprintf(w, "%5d are not: %s\n", v.excused[r], r)
	}
}
