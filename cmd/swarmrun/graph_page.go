package main

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/swarmrun/swarmrun/internal/page"
	"github.com/swarmrun/swarmrun/loader"
)

//go:embed pages/graph.html
var graphHTML string

//go:embed pages/graph.css
var graphCSS string

// graphPage is the graph as its page shows it: drawn, and as a table.
type graphPage struct {
	page.Frame
	Workspace string
	Facts     []string
	Drawing   template.HTML // in which names are escaped
	Rows      []graphRow
}

type graphRow struct {
	loader.Node
	Edges []graphEdge
}

type graphEdge struct{ Kind, To string }

// graphAsPage writes one page.
func graphAsPage(w io.Writer, p picture) error {
	v := &graphPage{
		Frame: page.New("Graph of "+p.workspace, graphCSS, ""), Workspace: p.workspace,
		Drawing: template.HTML(drawing(p, "")), Rows: make([]graphRow, len(p.nodes)),
	}
	at, counts := map[string]int{}, map[string]int{}
	var kinds []string
	for i, n := range p.nodes {
		v.Rows[i].Node = n
		at[n.ID] = i
		kind := string(n.Kind)
		if counts[kind] == 0 {
			kinds = append(kinds, kind)
		}
		counts[kind]++
	}
	for _, kind := range kinds {
		v.Facts = append(v.Facts, plural(counts[kind], strings.ReplaceAll(kind, "mcp", "MCP server")))
	}
	for _, e := range p.edges {
		row := &v.Rows[at[e.From]]
		row.Edges = append(row.Edges, graphEdge{e.Kind, p.nodes[at[e.To]].Name})
	}
	return page.Write(w, graphHTML, v)
}
