package frontmatter

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Split takes a Markdown file apart (R1–R7). The document is never nil; Found and Root say how far it got, the list why not
// further. Known are the keys that may be repaired: those of all kinds of definition.
func Split(src []byte, file string, known Keys) (*Document, diag.List) {
	s, bad := readSource(src, file)
	if bad != nil {
		return &Document{File: file, Fence: diag.At(file, 1, 1, 0), BodyAt: diag.Pos{Line: 1, Column: 1}, Found: true}, diag.List{*bad}
	}
	f, ds := s.findFences(known)
	d := &Document{File: file, src: s, Body: s.text, BodyAt: diag.Pos{Line: 1, Column: 1}, Fence: s.at(1, 1, 0)}
	if f.close == 0 {
		if d.Found = ds.HasErrors(); d.Found {
			d.Body = ""
			d.Fence = ds[len(ds)-1].Range
		}
		return d, ds
	}
	d.Found, d.Fence, d.Body = true, s.at(f.open, 1, 3), ""
	d.BodyAt = diag.Place(f.close, len(strings.TrimRight(s.line(f.close), " \t"))+1)
	if s.has(f.close + 1) {
		d.Body, d.BodyAt = s.text[s.starts[f.close]:], diag.Place(f.close+1, 1)
	}
	meta, err := s.cut(f)
	if err != nil {
		ds.Add(diag.New("E-YAML", d.Fence, "the frontmatter cannot be cut out: %v", err))
		return d, ds
	}
	ds.Add(d.climb(meta, f.open+1, known)...)
	return d, ds
}

// climb is the ladder: strict YAML, repair A, repair B. It sets Root at the first step that succeeds.
func (d *Document) climb(meta string, first int, known Keys) diag.List {
	strict := rowsOf(meta, first)
	root, err := parse(textOf(strict))
	if err == nil && sound(root) {
		return d.accept(root, strict, nil)
	}
	for _, step := range []func([]row, Keys) ([]row, []repair){quoteLines, foldLines} {
		rows, repairs := step(strict, known)
		if len(repairs) == 0 {
			continue
		}
		if fixed, err := parse(textOf(rows)); err == nil && sound(fixed) {
			return d.accept(fixed, rows, repairs)
		}
	}
	if err != nil {
		return d.src.syntaxErrors(strict, err)
	}
	place(root, strict)
	if root.Kind == yaml.MappingNode && len(d.anchors(root)) == 0 {
		d.Root = once(root)
	}
	return d.misshapen(root)
}

// accept takes a tree that a step of the ladder gave.
func (d *Document) accept(root *yaml.Node, rows []row, repairs []repair) diag.List {
	place(root, rows)
	var ds diag.List
	for _, r := range repairs {
		x := r.diagnostic(d.src)
		ds.Add(x)
		d.Fixes = append(d.Fixes, *x.Fix)
		if d.raw == nil {
			d.raw = map[diag.Pos]diag.Pos{}
		}
		d.raw[x.Range.Start] = x.Range.End
	}
	if refused := d.anchors(root); len(refused) > 0 {
		d.Fixes = nil
		return refused
	}
	d.Root = root
	return ds
}

func rowsOf(meta string, first int) []row {
	var rows []row
	for line := range strings.Lines(meta) {
		rows = append(rows, row{strings.TrimSuffix(line, "\n"), first + len(rows)})
	}
	return rows
}

func textOf(rows []row) string {
	n := 1
	for _, r := range rows {
		n += len(r.text) + 1
	}
	var b strings.Builder
	b.Grow(n)
	for _, r := range rows {
		b.WriteString(r.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// errDocument is text that starts another document inside: YAML would stop reading there without a word.
type errDocument struct{ line int }

func (e errDocument) Error() string {
	return fmt.Sprintf("yaml: line %d: a second document starts here", e.line)
}

// parse reads YAML text of one document into its top node. Empty text is an empty mapping.
func parse(text string) (root *yaml.Node, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "---\t") || strings.HasPrefix(line, "... ") || strings.HasPrefix(line, "...\t") {
			return nil, errDocument{n}
		}
	}
	return parseAny(text)
}

func parseAny(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	if doc.Kind == 0 || len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}, nil
	}
	return doc.Content[0], nil
}

func parses(text string) bool {
	_, err := parse(text)
	return err == nil
}

// place rewrites line and column of all nodes to those of the file.
func place(root *yaml.Node, rows []row) {
	var table []diag.Pos
	for _, r := range rows {
		table = append(table, diag.Place(r.line, 0))
		if strings.ContainsAny(r.text, otherBreaks) {
			table = append(table, brokenBy(r)...)
		}
	}
	table = append(table, diag.Pos{Line: 1})
	if n := len(rows); n > 0 {
		table[len(table)-1].Line = int32(rows[n-1].line)
	}
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		p := table[min(max(n.Line-1, 0), len(table)-1)]
		n.Line, n.Column = int(p.Line), int(p.Column)+max(n.Column, 1)
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(root)
}

// otherBreaks end a line for YAML 1.1, but not for an editor.
const otherBreaks = "\u0085\u2028\u2029"

// brokenBy is where the lines begin that YAML sees inside a row.
func brokenBy(r row) []diag.Pos {
	var ps []diag.Pos
	column := 0
	for _, c := range r.text {
		column++
		if strings.ContainsRune(otherBreaks, c) {
			ps = append(ps, diag.Place(r.line, column))
		}
	}
	return ps
}
