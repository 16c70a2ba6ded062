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

// inlineServers reads the keys that say what is started; the others are the business of the servers themselves.
func (d *decoder) inlineServers(n *yaml.Node, to *[]MCPRef) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if v.Kind != yaml.MappingNode {
			d.wrong(v, "a map with command or url")
			continue
		}
		m := MCPRef{Name: Ref{V: k.Value, At: d.at(k), Key: d.at(k)}, Inline: true}
		for j := 0; j+1 < len(v.Content); j += 2 {
			field := v.Content[j+1]
			switch v.Content[j].Value {
			case "type":
				m.Type = d.written(field)
			case "command":
				m.Command = d.written(field)
			case "url":
				m.URL = d.written(field)
			case "args":
				var args []Ref
				d.items(field, false, true, &args)
				m.Args = texts(args)
			}
		}
		*to = append(*to, m)
	}
}
