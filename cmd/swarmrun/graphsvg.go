package main

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
)

// Measures of the drawing, in pixels.
const (
	boxHeight = 36
	rowGap    = 18
	columnGap = 90
	margin    = 20
	charWidth = 8
)

// box is a node at its place.
type box struct {
	loader.Node
	column, row    int
	x, y, width    int
	left, right, m int // where edges arrive and leave, and the middle
}

// svgStyle is what a drawing looks like that stands alone.
const svgStyle = `<style>rect{fill:#fff;stroke:#345;stroke-width:1.2}.model rect{rx:18;fill:#eef4ff}.tool rect{fill:#f2f7ee}.off rect{fill:#fdecea;stroke:#a33}` +
	`path{fill:none;stroke:#789;stroke-width:1.2}.uses{stroke-dasharray:4 3}.tip{fill:#789;stroke:none}text{fill:#123;text-anchor:middle}</style>` + "\n"

// svg writes the drawing as a file of its own.
func svg(w io.Writer, p picture) error {
	_, err := io.WriteString(w, drawing(p, svgStyle))
	return err
}

// drawing draws columns from left to right: who is asked stands right of who asks. Without a style of its own it takes that of
// the page around it.
func drawing(p picture, style string) string {
	boxes, lanes := layout(p)
	at := map[string]*box{}
	width, height := 2*margin, 2*margin
	for _, b := range boxes {
		at[b.ID] = b
		width, height = max(width, b.right+margin), max(height, b.y+boxHeight+margin)
	}
	for _, l := range lanes {
		height = max(height, l.y+boxHeight+margin)
	}
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	s.WriteString(style + `<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0,0 L8,4 L0,8 z"/></marker></defs>` + "\n")
	for _, e := range p.edges {
		from, to := at[e.From], at[e.To]
		fmt.Fprintf(&s, `<path class="%s" marker-end="url(#a)" d="%s"><title>%s %s %s</title></path>`+"\n",
			html.EscapeString(e.Kind), curve(from, to, lanes),
			html.EscapeString(printable.Line(from.Name)), html.EscapeString(e.Kind), html.EscapeString(printable.Line(to.Name)))
	}
	for _, b := range boxes {
		class := string(b.Kind)
		if b.State != "" {
			class += " off"
		}
		fmt.Fprintf(&s, `<g class="%s"><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="5"/><text x="%d" y="%d" dy=".35em">%s</text></g>`+"\n",
			class, html.EscapeString(string(b.Kind)+" "+printable.Line(b.File)), b.x, b.y, b.width, boxHeight, b.x+b.width/2, b.m, html.EscapeString(label(b.Node)))
	}
	s.WriteString("</svg>\n")
	return s.String()
}

// lane is where edges to a node cross a column that lies between.
type lane struct {
	to     string
	column int
}

// curve leads from a box to another, through the lanes of the columns between.
func curve(from, to *box, lanes map[lane]*box) string {
	d := fmt.Sprintf("M%d,%d", from.right, from.m)
	bend := func(a, b *box) {
		d += fmt.Sprintf(" C%d,%d %d,%d %d,%d", a.right+columnGap/2, a.m, b.left-columnGap/2, b.m, b.left, b.m)
	}
	at := from
	for c := from.column + 1; c < to.column; c++ {
		l := lanes[lane{to.ID, c}]
		bend(at, l)
		d += fmt.Sprintf(" H%d", l.right)
		at = l
	}
	bend(at, to)
	return d
}

// layout gives each node the column behind the last of those that lead to it, and rows in the order of the nodes. Edges of a
// cycle, which only broken workspaces have, do not push further than there are nodes. Edges that skip columns get a lane
// below the nodes there, so that no edge runs behind a node which is not its own.
func layout(p picture) ([]*box, map[lane]*box) {
	boxes := make([]*box, len(p.nodes))
	at := map[string]*box{}
	for i, n := range p.nodes {
		boxes[i] = &box{Node: n, width: max(60, charWidth*utf8.RuneCountInString(label(n))+20)}
		at[n.ID] = boxes[i]
	}
	for range boxes {
		moved := false
		for _, e := range p.edges {
			if from, to := at[e.From], at[e.To]; from != to && to.column <= from.column && to.column+1 < len(boxes) {
				to.column, moved = from.column+1, true
			}
		}
		if !moved {
			break
		}
	}
	lanes, all := map[lane]*box{}, slices.Clone(boxes)
	for _, e := range p.edges {
		to := at[e.To]
		for c := at[e.From].column + 1; c < to.column; c++ {
			if key := (lane{to.ID, c}); lanes[key] == nil {
				lanes[key] = &box{column: c}
				all = append(all, lanes[key])
			}
		}
	}
	place(all)
	slices.SortStableFunc(boxes, func(a, b *box) int { return a.x - b.x })
	return boxes, lanes
}

// place turns columns and rows into pixels.
func place(boxes []*box) {
	widest, filled := map[int]int{}, map[int]int{}
	last := 0
	for _, b := range boxes {
		b.row = filled[b.column]
		filled[b.column]++
		widest[b.column] = max(widest[b.column], b.width)
		last = max(last, b.column)
	}
	x := margin
	start := make([]int, last+1)
	for c := range start {
		start[c] = x
		if widest[c] > 0 {
			x += widest[c] + columnGap
		}
	}
	for _, b := range boxes {
		b.x, b.y = start[b.column], margin+b.row*(boxHeight+rowGap)
		if b.width == 0 { // a lane
			b.width = widest[b.column]
		}
		b.left, b.right, b.m = b.x, b.x+b.width, b.y+boxHeight/2
	}
}
