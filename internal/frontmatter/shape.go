package frontmatter

import (
	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// sound tells whether a tree may be the result of a step of the ladder: a mapping, no key of which occurs twice, at any depth.
func sound(root *yaml.Node) bool {
	ok := root.Kind == yaml.MappingNode
	twice(root, func(_, _ *yaml.Node) { ok = false })
	return ok
}

// twice calls found for each key that repeats one of the same mapping.
func twice(n *yaml.Node, found func(first, again *yaml.Node)) {
	if n.Kind == yaml.MappingNode {
		repeats(n, found)
	}
	for _, c := range n.Content {
		twice(c, found)
	}
}

// repeats looks at one mapping. Short ones, which is all that people write, need no index.
func repeats(n *yaml.Node, found func(first, again *yaml.Node)) {
	const short = 64
	var index map[string]*yaml.Node
	if len(n.Content) > short {
		index = make(map[string]*yaml.Node, len(n.Content)/2)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			continue
		}
		first := index[k.Value]
		for j := 0; index == nil && first == nil && j < i; j += 2 {
			if o := n.Content[j]; o.Kind == yaml.ScalarNode && o.Value == k.Value {
				first = o
			}
		}
		switch {
		case first != nil:
			found(first, k)
		case index != nil:
			index[k.Value] = k
		}
	}
}

// once is a tree without the keys that repeat one of the same mapping: what else is wrong with the file can be told too.
func once(n *yaml.Node) *yaml.Node {
	again := map[*yaml.Node]bool{}
	twice(n, func(_, k *yaml.Node) { again[k] = true })
	return without(n, again)
}

func without(n *yaml.Node, keys map[*yaml.Node]bool) *yaml.Node {
	if len(n.Content) == 0 {
		return n
	}
	out := *n
	out.Content = nil
	for i := 0; i < len(n.Content); i++ {
		if n.Kind == yaml.MappingNode && i%2 == 0 && keys[n.Content[i]] {
			i++ // with its value
			continue
		}
		out.Content = append(out.Content, without(n.Content[i], keys))
	}
	return &out
}

// misshapen says why a tree that parses is no metadata.
func (d *Document) misshapen(root *yaml.Node) diag.List {
	if root.Kind != yaml.MappingNode {
		return diag.List{diag.New("E-YAML-SHAPE", d.Range(root), "the metadata is %s, not a map of keys", article(root)).
			Suggest("write one \"key: value\" a line")}
	}
	return d.duplicates(root)
}

// maxDuplicates is how many repeated keys of a file are reported.
const maxDuplicates = 20

func (d *Document) duplicates(root *yaml.Node) (ds diag.List) {
	twice(root, func(first, again *yaml.Node) {
		if len(ds) < maxDuplicates {
			ds.Add(d.repeated(first, again))
		}
	})
	return ds
}

func (d *Document) repeated(first, again *yaml.Node) diag.Diagnostic {
	return diag.New("E-YAML-DUPKEY", d.Range(again), "the key %q occurs twice, first in line %d", again.Value, first.Line).
		Suggest("remove one of the two").Note(d.Range(first), "the first one")
}

func article(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a map"
	default:
		return "text"
	}
}

// anchors refuses what repeats other nodes, and keys that are no text.
func (d *Document) anchors(n *yaml.Node) (ds diag.List) {
	switch {
	case n.Kind == yaml.AliasNode:
		ds.Add(diag.New("E-YAML-ANCHOR", d.Range(n), "aliases are refused in frontmatter: *%s", n.Value).
			Suggest("write the value in full, or quote it if it is text"))
	case n.Anchor != "":
		ds.Add(diag.New("E-YAML-ANCHOR", d.Range(n), "anchors are refused in frontmatter: &%s", n.Anchor).
			Suggest("write the value in full, or quote it if it is text"))
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			ds.Add(d.badKey(n.Content[i])...)
		}
	}
	for _, c := range n.Content {
		ds.Add(d.anchors(c)...)
	}
	return ds
}

func (d *Document) badKey(k *yaml.Node) diag.List {
	switch {
	case k.Tag == "!!merge":
		return diag.List{diag.New("E-YAML-ANCHOR", d.Range(k), "merge keys are refused in frontmatter").Suggest("write the keys in full")}
	case k.Kind != yaml.ScalarNode && k.Kind != yaml.AliasNode:
		return diag.List{diag.New("E-YAML-SHAPE", d.Range(k), "a key must be text, not %s", article(k)).
			Suggest("write text; a value that begins with { or [ and is text needs quotes")}
	}
	return nil
}
