package config

import "gopkg.in/yaml.v3"

// servers is names of MCP servers, or maps of one name to a server written in place.
func servers() shape[[]MCPRef] {
	return shape[[]MCPRef]{
		words: "list of names or inline maps",
		schema: func() schema {
			inline := schema{"type": "object", "additionalProperties": schema{"type": "object"}}
			return schema{"anyOf": []schema{{"type": "string"}, inline, {"type": "array", "items": schema{"anyOf": []schema{{"type": "string"}, inline}}}}}
		},
		read: func(d *decoder, n *yaml.Node) ([]MCPRef, bool) {
			out := []MCPRef{}
			switch n.Kind {
			case yaml.MappingNode:
				d.inlineServers(n, &out)
			case yaml.SequenceNode:
				for _, c := range n.Content {
					if c.Kind == yaml.MappingNode {
						d.inlineServers(c, &out)
						continue
					}
					d.namedServers(c, &out)
				}
			default:
				d.namedServers(n, &out)
			}
			return out, true
		},
	}
}

func (d *decoder) namedServers(n *yaml.Node, to *[]MCPRef) {
	var refs []Ref
	d.items(n, false, false, &refs)
	for _, r := range refs {
		*to = append(*to, MCPRef{Name: r})
	}
}

// inlineServers reads a map of names to servers, or one server with its name among its fields, as SwarmSDK v2 writes it.
func (d *decoder) inlineServers(n *yaml.Node, to *[]MCPRef) {
	if name := child(n, "name"); name != nil && name.Kind == yaml.ScalarNode {
		d.inlineServer(name, n, to)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		d.inlineServer(n.Content[i], n.Content[i+1], to)
	}
}

// inlineServer reads one server by the rules of the file: in the form of Claude Code in its locations, else as in mcp/.
func (d *decoder) inlineServer(k, v *yaml.Node, to *[]MCPRef) {
	name := Ref{V: k.Value, At: d.at(k), Key: d.at(k).Span()}
	if d.foreign {
		if m := d.entry(k, v); m != nil {
			*to = append(*to, MCPRef{Name: name, Inline: m})
		}
		return
	}
	if v.Kind != yaml.MappingNode {
		d.wrong(v, "a map with command or url")
		return
	}
	m := &MCP{}
	d.nested(v)
	d.inside(func() { decode(d, v, mcpTable.Get(), m) })
	m.NameRef = name
	d.server(m, k.Value, name.At, name.At)
	*to = append(*to, MCPRef{Name: name, Inline: m})
}
