package report

import (
	"fmt"
	"strings"
)

// A grid is one Markdown table.
type grid struct {
	head []string
	rows [][]string
}

// inCell keeps a text from ending its cell.
var inCell = strings.NewReplacer("|", `\|`, "\n", "; ")

func (g grid) write(b *strings.Builder, title, note string) {
	fmt.Fprintf(b, "\n### %s\n\n", title)
	if note != "" {
		fmt.Fprintf(b, "%s\n\n", note)
	}
	line := func(cells []string) {
		b.WriteString("|")
		for i := range g.head {
			cell := "–"
			if i < len(cells) && cells[i] != "" {
				cell = inCell.Replace(cells[i])
			}
			fmt.Fprintf(b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	head := make([]string, len(g.head))
	for i, h := range g.head {
		head[i] = h
		if h == "" {
			head[i] = " "
		}
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(g.head)) + "|\n")
	for _, r := range g.rows {
		line(r)
	}
}
