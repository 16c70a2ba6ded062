package config

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	schemas "github.com/swarmrun/swarmrun/internal/schema"
)

// textMap is names to texts. The texts may be keys, as in headers.
func textMap() shape[map[string]string] {
	return shape[map[string]string]{
		words: "map of texts",
		schema: func() schema {
			return schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean"}}}
		},
		read: func(d *decoder, n *yaml.Node) (map[string]string, bool) {
			if n.Kind != yaml.MappingNode {
				d.hiding(func() { d.wrong(n, "a map") })
				return nil, false
			}
			out := make(map[string]string, len(n.Content)/2)
			for i := 0; i+1 < len(n.Content); i += 2 {
				if v, ok := scalar(n.Content[i+1]); ok {
					out[n.Content[i].Value] = v
				} else {
					d.hiding(func() { d.wrong(n.Content[i+1], "text") })
				}
			}
			return out, true
		},
	}
}

// placedMap is a map of texts that know where they stand: those of one map may come from several files.
func placedMap() shape[map[string]Ref] {
	s := textMap()
	return shape[map[string]Ref]{
		words: s.words, schema: s.schema,
		read: func(d *decoder, n *yaml.Node) (map[string]Ref, bool) {
			texts, ok := s.read(d, n)
			out := make(map[string]Ref, len(texts))
			for i := 0; ok && i+1 < len(n.Content); i += 2 {
				if v, known := texts[n.Content[i].Value]; known {
					out[n.Content[i].Value] = Ref{V: v, At: d.at(n.Content[i+1])}
				}
			}
			return out, ok
		},
	}
}

// entries is a map of names to values of one shape; named gets each with its key. One with an error, which is not sound, holds
// its name too, even where nothing of it could be read.
func entries[V any](words string, s shape[V], named func(d *decoder, v *V, name Ref, read, sound bool)) shape[[]V] {
	return shape[[]V]{
		words:  words,
		schema: func() schema { return schema{"type": "object", "additionalProperties": s.schema()} },
		read: func(d *decoder, n *yaml.Node) ([]V, bool) {
			if n.Kind != yaml.MappingNode {
				d.wrong(n, "a map of names")
				return nil, false
			}
			out := make([]V, 0, len(n.Content)/2)
			for i := 0; i+1 < len(n.Content); i += 2 {
				k, before := n.Content[i], len(d.ds)
				v, ok := s.read(d, n.Content[i+1])
				if sound := !d.failed(before) && !d.gone.below(n.Content[i+1]); ok || !sound {
					named(d, &v, d.nameOf(k), ok, sound)
					out = append(out, v)
				}
			}
			for _, k := range d.gone[n] {
				var v V
				named(d, &v, d.nameOf(k.node), false, false)
				out = append(out, v)
			}
			return out, true
		},
	}
}

// nameOf is a key that is a name.
func (d *decoder) nameOf(k *yaml.Node) Ref { return Ref{V: k.Value, At: d.at(k), Key: d.at(k).Span()} }

// parameters are request settings: the ones that providers share by name, any other as JSON.
func parameters() shape[Parameters] {
	return shape[Parameters]{
		words:  "map",
		schema: func() schema { return parameterTable().object() },
		read: func(d *decoder, n *yaml.Node) (Parameters, bool) {
			var p Parameters
			if n.Kind != yaml.MappingNode {
				d.wrong(n, "a map")
				return p, false
			}
			d.inside(func() { decode(d, n, parameterTable(), &p) })
			return p, true
		},
	}
}

func parameterTable() *table[Parameters] {
	t := newTable(
		with("temperature", number(0, 2), func(p *Parameters, v Value[float64]) { p.Temperature = &v.V }).like("0.2").means("randomness"),
		with("top_p", number(0, 1), func(p *Parameters, v Value[float64]) { p.TopP = &v.V }).like("0.9").means("nucleus sampling"),
		with("max_tokens", count(1, 0), func(p *Parameters, v Value[int]) { p.MaxTokens = v.V }).like("2000").means("tokens of an answer at most"),
		with("stop", list("text or list", false, true), func(p *Parameters, v Value[[]Ref]) { p.Stop = texts(v.V) }).like("[END]").means("texts that end an answer"),
	)
	t.rest = func(d *decoder, p *Parameters, k, v *yaml.Node) {
		if raw, ok := d.toJSON(v); ok {
			if p.Extra == nil {
				p.Extra = map[string]json.RawMessage{}
			}
			p.Extra[k.Value] = raw
		}
	}
	return t
}

func texts(refs []Ref) []string {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = r.V
	}
	return out
}

// jsonSchema is a JSON Schema written in YAML.
func jsonSchema() shape[json.RawMessage] {
	return shape[json.RawMessage]{
		words:  "JSON Schema",
		schema: func() schema { return schema{"type": "object"} },
		read: func(d *decoder, n *yaml.Node) (json.RawMessage, bool) {
			if n.Kind != yaml.MappingNode {
				d.wrong(n, "a JSON Schema")
				return nil, false
			}
			raw, ok := d.toJSON(n)
			if !ok || !d.compiles(n, raw) {
				return raw, false
			}
			raw, err := schemas.Upgrade(raw) // models take the current draft only
			return raw, err == nil
		},
	}
}

// compiles checks a schema that was written as node n, and points at the parts of it that are wrong.
func (d *decoder) compiles(n *yaml.Node, raw json.RawMessage) bool {
	_, err := schemas.Compile(raw)
	var bad schemas.CompileErrors
	errors.As(err, &bad)
	for _, e := range bad {
		d.add(diag.New("E-SCHEMA", d.at(follow(n, e.Path)), "no valid JSON Schema: %s", e.Message).Suggest("correct the schema; it is of draft 2020-12"))
	}
	return err == nil
}

// follow is the node at a JSON pointer, or the last one on the way to it.
func follow(n *yaml.Node, pointer string) *yaml.Node {
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		next := child(n, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// child is the value of a key or the item of an index; nil where there is none, or no n.
func child(n *yaml.Node, step string) *yaml.Node {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
	}
	return nil
}

// listOf is a YAML list of values of one shape; done looks at each with its node.
func listOf[V any](words string, s shape[V], done func(d *decoder, n *yaml.Node, v *V) bool) shape[[]V] {
	return shape[[]V]{
		words:  words,
		schema: func() schema { return schema{"type": "array", "items": s.schema()} },
		read: func(d *decoder, n *yaml.Node) ([]V, bool) {
			if n.Kind != yaml.SequenceNode {
				d.wrong(n, "a list")
				return nil, false
			}
			before, out := len(d.ds), make([]V, 0, len(n.Content))
			for _, c := range n.Content {
				if v, ok := s.read(d, c); ok && done(d, c, &v) {
					out = append(out, v)
				}
			}
			return out, d.draft(len(out), before)
		},
	}
}

// checked is a shape with one more condition, which reports what does not hold.
func checked[V any](s shape[V], words string, holds func(d *decoder, n *yaml.Node, v V) bool) shape[V] {
	return shape[V]{
		words:  words,
		schema: s.schema,
		read: func(d *decoder, n *yaml.Node) (V, bool) {
			v, ok := s.read(d, n)
			return v, ok && holds(d, n, v)
		},
	}
}
