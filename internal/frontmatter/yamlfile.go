package frontmatter

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// maxNodes bounds what anchors of one file expand to: more than any file that people write, less than what hurts.
const maxNodes = 100_000

// ParseYAML reads a file that is YAML as a whole: nothing is repaired; anchors, aliases and merge keys are expanded within
// bounds, and each copy keeps the place of what it repeats. Root is nil when the list has an error, but for keys that are given
// twice.
func ParseYAML(src []byte, file string) (*Document, diag.List) {
	s, bad := readSource(src, file)
	if bad != nil {
		return &Document{File: file, Fence: diag.At(file, 1, 1, 0), Found: true}, diag.List{*bad}
	}
	d := &Document{File: file, src: s, Fence: s.at(1, 1, 0), Found: true}
	rows := rowsOf(s.text, 1)
	root, err := parseAny(textOf(rows))
	if err != nil {
		return d, s.syntaxErrors(rows, err)
	}
	place(root, rows)
	if line := secondDocument(rows); line > 0 {
		return d, diag.List{diag.New("E-YAML-SHAPE", s.from(line, 1), "the file holds more than one document").
			Suggest("put each document into a file of its own")}
	}
	if root.Kind != yaml.MappingNode {
		return d, d.misshapen(root)
	}
	ds := d.duplicates(root)
	if len(ds) > 0 {
		root = once(root)
	}
	x := expander{d: d, open: map[*yaml.Node]bool{}}
	root = x.expand(root)
	ds.Add(x.ds...)
	if !x.ds.HasErrors() {
		d.Root = root
	}
	return d, ds
}

// secondDocument is the line of a --- that ends a document with content, or 0.
func secondDocument(rows []row) int {
	content := false
	for _, r := range rows {
		switch {
		case isFence(r.text) || strings.HasPrefix(r.text, "--- "):
			if content {
				return r.line
			}
			content = len(strings.TrimRight(r.text, " \t")) > 3
		case !isBlank(r.text) && r.text[0] != '#' && r.text[0] != '%' && !isClose(r.text):
			content = true
		}
	}
	return 0
}

// expander replaces aliases by copies and merge keys by what they bring.
type expander struct {
	d     *Document
	open  map[*yaml.Node]bool // the anchors that are being copied
	nodes int
	ds    diag.List
}

func (x *expander) expand(n *yaml.Node) *yaml.Node {
	if x.nodes++; x.nodes > maxNodes {
		if x.nodes == maxNodes+1 {
			x.ds.Add(diag.New("E-YAML-ANCHOR", x.d.Range(n), "the anchors of this file expand to more than %d values", maxNodes).
				Suggest("write the values in full"))
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}
	}
	if n.Kind == yaml.AliasNode {
		if x.open[n.Alias] {
			x.ds.Add(diag.New("E-YAML-ANCHOR", x.d.Range(n), "the anchor %q contains itself", n.Value))
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}
		}
		return x.expand(n.Alias)
	}
	x.open[n] = true
	defer delete(x.open, n)
	c := *n
	c.Anchor, c.Alias, c.Content = "", nil, nil
	if n.Kind == yaml.MappingNode {
		c.Content = x.mapping(n)
		return &c
	}
	for _, child := range n.Content {
		c.Content = append(c.Content, x.expand(child))
	}
	return &c
}

// mapping expands the entries of a map; its own keys win over merged ones, earlier merged ones over later.
func (x *expander) mapping(n *yaml.Node) []*yaml.Node {
	var own, merged []*yaml.Node
	has := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Tag == "!!merge" {
			merged = append(merged, v)
			continue
		}
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			x.ds.Add(x.d.badKey(k)...)
			continue
		}
		has[k.Value] = true
		own = append(own, k, x.expand(v))
	}
	for _, m := range merged {
		own = x.merge(own, has, m)
	}
	return own
}

func (x *expander) merge(own []*yaml.Node, has map[string]bool, m *yaml.Node) []*yaml.Node {
	v := x.expand(m)
	switch v.Kind {
	case yaml.SequenceNode:
		for _, c := range v.Content {
			own = x.merge(own, has, c)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(v.Content); i += 2 {
			if k := v.Content[i]; !has[k.Value] {
				has[k.Value] = true
				own = append(own, k, v.Content[i+1])
			}
		}
	default:
		x.ds.Add(diag.New("E-YAML-ANCHOR", x.d.Range(m), "only a map can be merged, not %s", article(v)))
	}
	return own
}
