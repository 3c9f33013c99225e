package report

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// A chart is horizontal bars in groups: one group a peer, one bar a file system.
type chart struct {
	title  string
	log    bool
	series []string
	groups []group
	text   func(float64) string
}

// A group's values are NaN where there is none, and infinite for what never happened.
type group struct {
	label  string
	own    bool
	values []float64
}

const (
	wide   = 760
	left   = 170 // labels end here, bars begin
	right  = 90  // room for a value behind the longest bar
	top    = 58
	bar    = 13
	gap    = 9
	bottom = 26
)

var colours = []string{"#3366aa", "#dd8833", "#559955", "#aa4499"}

// svg draws it on white, so that it is legible on a dark page too.
func (c chart) svg() string {
	each := bar*len(c.series) + gap
	high := top + each*len(c.groups) + bottom
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", wide, high, wide, high)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", wide, high)
	fmt.Fprintf(&b, `<text x="10" y="20" font-size="14" font-weight="bold">%s</text>`+"\n", escape(c.title))
	for i, s := range c.series {
		x := left + 90*i
		fmt.Fprintf(&b, `<rect x="%d" y="31" width="10" height="10" fill="%s"/><text x="%d" y="40">%s</text>`+"\n", x, colours[i%len(colours)], x+14, escape(s))
	}
	axis := c.axis()
	for _, at := range axis.ticks {
		x := axis.x(at)
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle" fill="#666">%s</text>`+"\n",
			x, top-6, x, high-bottom, x, high-10, digits(at))
	}
	for i, g := range c.groups {
		y := top + each*i
		weight := "normal"
		if g.own {
			weight = "bold"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end" font-weight="%s">%s</text>`+"\n", left-8, y+each/2, weight, escape(g.label))
		for j, v := range g.values {
			c.bar(&b, axis, v, y+bar*j, colours[j%len(colours)])
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (c chart) bar(b *strings.Builder, axis scale, v float64, y int, colour string) {
	end, says := axis.x(v), ""
	switch {
	case math.IsNaN(v):
		end, says = left, "not measured"
	case math.IsInf(v, 1):
		end, says = wide-right, "never"
	default:
		says = c.text(v)
	}
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/><text x="%.1f" y="%d">%s</text>`+"\n",
		left, y, max(end-left, 1), bar-2, colour, end+4, y+bar-3, says)
}

// A scale maps values to places.
type scale struct {
	least, most float64
	log         bool
	ticks       []float64
}

func (s scale) x(v float64) float64 {
	share := (v - s.least) / (s.most - s.least)
	if s.log {
		share = math.Log(v/s.least) / math.Log(s.most/s.least)
	}
	return left + (wide-left-right)*min(max(share, 0), 1) // a logarithm of nought is where the axis begins
}

// axis fits the values that can be drawn.
func (c chart) axis() scale {
	least, most := math.Inf(1), math.Inf(-1)
	for _, g := range c.groups {
		for _, v := range g.values {
			if v > 0 && !math.IsInf(v, 0) {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	if most < least {
		least, most = 1, 10
	}
	s := scale{log: c.log}
	if c.log {
		s.least = math.Pow(10, math.Floor(math.Log10(least)))
		s.most = max(math.Pow(10, math.Ceil(math.Log10(most))), 10*s.least)
		for t := s.least; t <= s.most*1.01; t *= 10 {
			s.ticks = append(s.ticks, t)
		}
		return s
	}
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for most/step < 3 {
		step /= 2
	}
	s.most = step * math.Ceil(most/step)
	for t := 0.0; t <= s.most*1.001; t += step {
		s.ticks = append(s.ticks, t)
	}
	return s
}

// digits prints about three that mean something.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
	default:
		return fmt.Sprintf("%.2g", v)
	}
}

func escape(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}
