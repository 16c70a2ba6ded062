package config

import (
	"encoding/json"
	"errors"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/expression"
	"github.com/swarmrun/swarmrun/internal/jsonpath"
)

// texted is a check of one value.
func texted[V any](s shape[V], set func(*JobCheck, V)) shape[JobCheck] {
	return shape[JobCheck]{
		words: s.words, schema: s.schema,
		read: func(d *decoder, n *yaml.Node) (c JobCheck, ok bool) {
			v, ok := s.read(d, n)
			if ok {
				set(&c, v)
			}
			return c, ok
		},
	}
}

// placed is a check of one text that keeps its place.
func placed(set func(*JobCheck, Ref)) shape[JobCheck] {
	s := text()
	return shape[JobCheck]{
		words: s.words, schema: s.schema,
		read: func(d *decoder, n *yaml.Node) (c JobCheck, ok bool) {
			v, ok := s.read(d, n)
			set(&c, Ref{V: v, At: d.at(n)})
			return c, ok
		},
	}
}

func tooled() shape[JobCheck] { return placed(func(c *JobCheck, r Ref) { c.Name = r }) }

func commanded() shape[JobCheck] {
	return placed(func(c *JobCheck, r Ref) { c.Run = JobShell{Run: r.V, At: r.At} })
}

func inBounds(s shape[Bound]) shape[JobCheck] {
	return texted(s, func(c *JobCheck, v Bound) { c.Times = &v })
}

// either is a short form, or a map.
func either[V any](short, long shape[V]) shape[V] {
	return shape[V]{
		words:  short.words + ", or " + long.words,
		schema: func() schema { return schema{"anyOf": []schema{short.schema(), long.schema()}} },
		read: func(d *decoder, n *yaml.Node) (V, bool) {
			if n.Kind == yaml.MappingNode {
				return long.read(d, n)
			}
			return short.read(d, n)
		},
	}
}

// once is a shape of nodes that are read under each combination of a matrix: those without an expression are the same.
func once[V any](s shape[V]) shape[V] {
	type made struct {
		v  V
		ok bool
	}
	read := s.read
	s.read = func(d *decoder, n *yaml.Node) (V, bool) {
		if m, known := d.memo[n].(made); known {
			return m.v, m.ok
		}
		v, ok := read(d, n)
		if d.memo != nil {
			d.memo[n] = made{v, ok}
		}
		return v, ok
	}
	return s
}

// needing is a map that must have some keys. What else it says is read without them too.
func needing[V any](s shape[V], keys ...string) shape[V] {
	return checked(s, s.words, func(d *decoder, n *yaml.Node, _ V) bool {
		for _, k := range keys {
			if d.lacks(n, k) {
				d.add(diag.New("E-KEY-MISSING", d.at(n), "%q is missing", k).Suggest("add %s:", k))
			}
		}
		return true
	})
}

// words is a text, or a list of texts; a text is one item whatever it holds.
func words() shape[[]string] {
	s := list("text, or list of texts", false, true)
	return shape[[]string]{
		words: s.words, schema: s.schema,
		read: func(d *decoder, n *yaml.Node) ([]string, bool) {
			if n.Kind == yaml.ScalarNode && !hasForeignTag(n) && n.Value != "" {
				return []string{n.Value}, true
			}
			refs, ok := s.read(d, n)
			if ok && len(refs) == 0 {
				d.wrong(n, "a text, or a list of texts")
			}
			return texts(refs), ok && len(refs) > 0
		},
	}
}

// anyObject is a map of anything.
func anyObject() shape[json.RawMessage] {
	s := checked(anyJSON(), "map", func(d *decoder, n *yaml.Node, _ json.RawMessage) bool {
		if n.Kind != yaml.MappingNode {
			d.wrong(n, "a map")
		}
		return n.Kind == yaml.MappingNode
	})
	s.schema = func() schema { return schema{"type": "object"} }
	return s
}

// jsonPath is a path into JSON that compiles.
func jsonPath() shape[*jsonpath.Path] {
	s := text()
	return shape[*jsonpath.Path]{
		words: "JSON path", schema: func() schema { return schema{"type": "string", "pattern": `^\$`} },
		read: func(d *decoder, n *yaml.Node) (*jsonpath.Path, bool) {
			v, ok := s.read(d, n)
			if !ok {
				return nil, false
			}
			p, err := jsonpath.Compile(v)
			if err != nil {
				d.add(diag.New("E-JSONPATH", d.at(n), "no JSON path: %v", err).Suggest("write $, then .name, ['name'], [0], [-1] or [*] for each step"))
			}
			return p, err == nil
		},
	}
}

// condition is an expression that is true or false.
func condition(names func() map[string]any) shape[*expression.Program] {
	s := text()
	return shape[*expression.Program]{
		words: "expression", schema: s.schema,
		read: func(d *decoder, n *yaml.Node) (*expression.Program, bool) {
			v, ok := s.read(d, n)
			if !ok {
				return nil, false
			}
			p, err := expression.Compile(v, names(), true)
			if err != nil {
				d.badExpression(n, v, err)
			}
			return p, err == nil
		},
	}
}

// badExpression tells what is wrong with an expression that is, or is in, the value of a node. Where the value stands on one
// line as it is, the place is exact.
func (d *decoder) badExpression(n *yaml.Node, text string, err error) {
	at := d.at(n)
	var e *expression.Error
	message := err.Error()
	if errors.As(err, &e) {
		message = e.Message
		if width := at.End.Column - at.Start.Column; e.Line == 1 && at.Start.Line == at.End.Line && e.Column > 0 {
			quote := (int(width) - len([]rune(text))) / 2
			if quote == 0 || quote == 1 {
				column := min(int(at.Start.Column)+quote+e.Column, int(at.End.Column)) - 1
				at = diag.At(at.File, int(at.Start.Line), max(column, int(at.Start.Column)), 1)
			}
		}
	}
	d.add(diag.New("E-EXPRESSION", at, "the expression cannot be used: %s", message).Suggest("%s", expressionHelp))
}

const expressionHelp = "expressions are those of expr-lang: ==, !=, <, and, or, not, contains, matches, len(x), x?.y ?? z; docs/ci.md lists the names"

// runNames are the names of expressions about an attempt.
func runNames() map[string]any {
	return map[string]any{
		"output": "", "json": nil, "ok": false, "kind": "", "exit_code": 0, "turns": 0, "tokens": 0, "cost": 0.0, "seconds": 0.0,
		"model": "", "calls": []any{}, "findings": []any{}, "files": []any{}, "matrix": map[string]any{}, "vars": map[string]any{},
	}
}

// eventNames are the names of expressions about an event.
func eventNames() map[string]any {
	return map[string]any{"type": "", "agent": "", "tool": "", "event": map[string]any{}}
}

// RunNames are the names that expressions about an attempt may use, with a value of the type of each; nil = any.
func RunNames() map[string]any { return runNames() }

// EventNames are the names that expressions about an event may use.
func EventNames() map[string]any { return eventNames() }

// callOrder is a list of calls: names, or maps as of tool_called.
func callOrder() shape[JobCheck] {
	s := listOf("list of tools", either(tooled(), needing(mapping("map", uncalledCheckTable.Get), "name")), func(*decoder, *yaml.Node, *JobCheck) bool { return true })
	return texted(checked(s, s.words, func(d *decoder, n *yaml.Node, v []JobCheck) bool {
		if len(v) < 2 {
			d.wrong(n, "a list of two tools or more")
		}
		return len(v) > 1
	}), func(c *JobCheck, v []JobCheck) { c.Order = v })
}
