package config

import (
	"gopkg.in/yaml.v3"
)

// delegateFields are what a delegate may say besides its name; the forms of SwarmSDK v2 included.
var delegateFields = lazyTable[Delegate]{New: func() *table[Delegate] {
	return newTable(
		value("agent", text(), func(d *Delegate) *Ref { return &d.Agent }).like("tester").means("whom, where the entry is an item of a list"),
		value("as", text(), func(d *Delegate) *Ref { return &d.As }).also("tool_name").or("WorkWith and the name").like("AskTester").means("name of the tool"),
		value("when", text(), func(d *Delegate) *Value[string] { return &d.When }).like("after a change").means("added to the tool's description"),
		with("context", word(nil, "fresh", "keep"), func(d *Delegate, v Value[string]) { d.Keep = v.V == "keep" }).
			or("fresh").like("keep").means("keep: the conversation goes on between calls"),
		with("preserve_context", boolean(), func(d *Delegate, v Value[bool]) { d.Keep = v.V }).like("true").means("SwarmSDK v2: context keep"),
		idle("share", "true or false", func(d *Delegate) *[]Ref { return &d.Inactive }).means("one conversation for all callers"),
	)
}}

// delegates is a list of names or maps, or a map of names to settings.
func delegates() shape[[]Delegate] {
	return shape[[]Delegate]{
		words: "list of names, or map of names to {as, when, context, share}",
		schema: func() schema {
			one, named := delegateFields.Get().object(), delegateFields.Get().object()
			named["required"] = []string{"agent"}
			setting := schema{"anyOf": []schema{{"type": []string{"null", "string"}}, one}}
			pair := schema{"type": "object", "additionalProperties": setting, "minProperties": 1, "maxProperties": 1}
			return schema{"anyOf": []schema{
				{"type": "string"},
				{"type": "array", "items": schema{"anyOf": []schema{{"type": "string"}, named, pair}}},
				{"type": "object", "additionalProperties": setting},
			}}
		},
		read: func(d *decoder, n *yaml.Node) ([]Delegate, bool) {
			out := make([]Delegate, 0, len(n.Content))
			switch n.Kind {
			case yaml.MappingNode:
				for i := 0; i+1 < len(n.Content); i += 2 {
					d.delegate(n.Content[i], n.Content[i+1], &out)
				}
			case yaml.SequenceNode:
				for _, c := range n.Content {
					d.delegateItem(c, &out)
				}
			default:
				var refs []Ref
				if !d.items(n, false, false, &refs) {
					return nil, false
				}
				for _, r := range refs {
					out = append(out, Delegate{Agent: r})
				}
			}
			return out, true
		},
	}
}

// delegate is an entry of a map: nothing, the name of the tool, or settings.
func (d *decoder) delegate(k, n *yaml.Node, to *[]Delegate) {
	x := Delegate{}
	switch {
	case isNull(n):
	case n.Kind == yaml.ScalarNode:
		x.As = Ref{V: n.Value, At: d.at(n), Key: d.at(k).Span()}
	default:
		d.inside(func() { decode(d, n, delegateFields.Get(), &x) })
	}
	x.Agent = Ref{V: k.Value, At: d.at(k), Key: d.at(k).Span()}
	*to = append(*to, x)
}

// delegateItem is an item of a list: a name, settings with the name under agent, or one name to its tool.
func (d *decoder) delegateItem(n *yaml.Node, to *[]Delegate) {
	switch {
	case n.Kind == yaml.ScalarNode:
		var one [1]Ref
		refs := one[:0]
		if d.item(n, &refs); len(refs) == 1 {
			*to = append(*to, Delegate{Agent: refs[0]})
		}
	case n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value != "agent":
		d.delegate(n.Content[0], n.Content[1], to)
	default:
		x := Delegate{}
		d.inside(func() { decode(d, n, delegateFields.Get(), &x) })
		if !x.Agent.Set() {
			if n.Kind == yaml.MappingNode && !x.Agent.Lost() {
				d.inside(func() { d.wrong(n, "a map with the key agent") })
			}
			return
		}
		*to = append(*to, x)
	}
}
