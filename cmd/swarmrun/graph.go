package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
)

type graphAnswer struct {
	OK    bool          `json:"ok"`
	Nodes []loader.Node `json:"nodes"`
	Edges []loader.Edge `json:"edges"`

	workspace string
	draw      func(io.Writer, picture) error
}

// picture is what a drawing format gets.
type picture struct {
	workspace string
	nodes     []loader.Node
	edges     []loader.Edge
}

func (a *app) graphCommand() *cobra.Command {
	var format *formatFlag
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Draw the compiled graph: mermaid, dot, svg, html or json",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := format.take(a, cmd); err != nil {
				return err
			}
			r, err := a.report(cmd.Context())
			if err != nil {
				return err
			}
			a.summary(r.Diagnostics)
			v := graphAnswer{OK: true, Nodes: []loader.Node{}, Edges: []loader.Edge{}, workspace: r.Name, draw: drawings()[format.chosen]}
			nodes, edges := r.Map()
			v.Nodes, v.Edges = append(v.Nodes, nodes...), append(v.Edges, edges...)
			return a.answer(v)
		},
	}
	format = addFormat(cmd, "mermaid", "dot", "svg", formatHTML, formatJSON)
	return cmd
}

func drawings() map[string]func(io.Writer, picture) error {
	return map[string]func(io.Writer, picture) error{"mermaid": mermaid, "dot": dot, "svg": svg, formatHTML: graphAsPage}
}

func (v graphAnswer) text(w io.Writer) error {
	return v.draw(w, picture{v.workspace, v.Nodes, v.Edges})
}

// mermaid draws a flowchart. Ids are numbers, since names may hold anything.
func mermaid(w io.Writer, p picture) error {
	ids := map[string]string{}
	shapes := map[string][2]string{"agent": {"[", "]"}, "model": {"([", "])"}, "tool": {"{{", "}}"}}
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, n := range p.nodes {
		ids[n.ID] = fmt.Sprintf("n%d", i)
		shape, ok := shapes[string(n.Kind)]
		if !ok {
			shape = [2]string{"[", "]"}
		}
		fmt.Fprintf(&b, "  n%d%s\"%s\"%s\n", i, shape[0], mermaidText(label(n)), shape[1])
	}
	for _, e := range p.edges {
		arrow := "-.->"
		if e.Kind == "delegates" {
			arrow = "-->"
		}
		fmt.Fprintf(&b, "  %s %s|%s| %s\n", ids[e.From], arrow, e.Kind, ids[e.To])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mermaidText writes what mermaid would read as its own signs as entities.
func mermaidText(s string) string {
	return strings.NewReplacer(`"`, "#quot;", "#", "#35;", "<", "#lt;", ">", "#gt;").Replace(s)
}

// label is a node's name, with its state when it cannot be used.
func label(n loader.Node) string {
	if n.State == "" {
		return printable.Line(n.Name)
	}
	return printable.Line(n.Name) + " (" + n.State + ")"
}

// dot draws for Graphviz.
func dot(w io.Writer, p picture) error {
	shapes := map[string]string{"agent": "box", "model": "oval", "tool": "hexagon", "hook": "cds", "mcp": "component", "skill": "note"}
	var b strings.Builder
	b.WriteString("digraph workspace {\n  rankdir=LR\n")
	for _, n := range p.nodes {
		fmt.Fprintf(&b, "  %s [label=%s, shape=%s]\n", dotText(n.ID), dotText(label(n)), cmp.Or(shapes[string(n.Kind)], "box"))
	}
	for _, e := range p.edges {
		style := "dashed"
		if e.Kind == "delegates" {
			style = "solid"
		}
		fmt.Fprintf(&b, "  %s -> %s [label=%s, style=%s]\n", dotText(e.From), dotText(e.To), dotText(e.Kind), style)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(printable.Line(s)) + `"`
}
