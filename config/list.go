package config

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// list is a YAML list, or a text of items between commas (R10). Items are texts with a place each. With blanks the text is
// also split there; alone means that a text is one item whatever it holds. Lists in lists are flattened.
func list(words string, blanks, alone bool) shape[[]Ref] {
	return shape[[]Ref]{
		words: words,
		schema: func() schema {
			item := schema{"type": []string{"string", "number", "boolean"}}
			return schema{"anyOf": []schema{item, {"type": "array", "items": item}}}
		},
		read: func(d *decoder, n *yaml.Node) ([]Ref, bool) {
			refs := make([]Ref, 0, len(n.Content))
			ok := d.items(n, blanks, alone, &refs)
			return refs, ok
		},
	}
}

func (d *decoder) items(n *yaml.Node, blanks, alone bool, to *[]Ref) bool {
	switch {
	case hasForeignTag(n) || n.Kind == yaml.MappingNode:
		d.wrong(n, "a list")
		return false
	case n.Kind == yaml.SequenceNode || alone:
		before := len(d.ds)
		d.item(n, to)
		return d.draft(len(*to), before)
	}
	find := d.file(n).Find(n)
	for _, part := range splitList(n.Value, blanks) {
		*to = append(*to, Ref{V: part, At: find.Next(part)})
	}
	return true
}

// item takes one entry of a list. An empty one says nothing and is left out with a word.
func (d *decoder) item(n *yaml.Node, to *[]Ref) {
	switch {
	case n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			d.item(c, to)
		}
	case n.Kind != yaml.ScalarNode || hasForeignTag(n):
		d.wrong(n, "text")
	case isNull(n) || strings.TrimSpace(n.Value) == "":
		d.add(diag.New("W-VALUE-NULL", d.at(n), "an empty entry of a list counts as absent").Suggest("remove it"))
	default:
		*to = append(*to, Ref{V: strings.TrimSpace(n.Value), At: d.at(n)})
	}
}

// splitList cuts at commas, and at blanks where asked, outside of (), [], {} and quotes. Quotes around a whole item go.
func splitList(s string, blanks bool) []string {
	var out []string
	add := func(item string) {
		item = strings.TrimSpace(item)
		if n := len(item); n > 1 && (item[0] == '"' || item[0] == '\'') && item[n-1] == item[0] && !strings.ContainsRune(item[1:n-1], rune(item[0])) {
			item = item[1 : n-1]
		}
		if item != "" {
			out = append(out, item)
		}
	}
	depth, start := 0, 0
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && opensQuote(s, i):
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth = max(depth-1, 0)
		case depth == 0 && (c == ',' || blanks && (c == ' ' || c == '\t' || c == '\n')):
			add(s[start:i])
			start = i + 1
		}
	}
	add(s[start:])
	return out
}

// opensQuote tells a quote from an apostrophe: it stands where an item or a specifier may begin, and another one follows.
func opensQuote(s string, i int) bool {
	if i > 0 && !strings.ContainsRune(" \t\n,([{:=", rune(s[i-1])) {
		return false
	}
	return strings.IndexByte(s[i+1:], s[i]) >= 0
}
