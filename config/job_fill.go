package config

import (
	"encoding/json"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/expression"
)

// filler puts values into the expressions of a tree.
type filler struct {
	*jobReader
	env   map[string]any
	shell bool            // the text at hand goes to a shell
	lost  map[string]bool // vars without a value, because of an error that was told
}

func (r *jobReader) filler(axes []JobAxis) *filler {
	return &filler{jobReader: r, lost: map[string]bool{}, env: map[string]any{
		"matrix": values(axes), "vars": map[string]any{}, "job": r.name, "shell": quoted,
	}}
}

// quoted is a value as one word of a shell.
func quoted(v any) string {
	s, ok := v.(string)
	if !ok {
		raw, _ := json.Marshal(v) // what an expression yields is JSON
		s = string(raw)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// learn makes vars known, whose texts may use the matrix.
func (f *filler) learn(n *yaml.Node) {
	v := child(n, "vars")
	if v == nil || v.Kind != yaml.MappingNode {
		return
	}
	vars := f.env["vars"].(map[string]any)
	for i := 0; i+1 < len(v.Content); i += 2 {
		k, c := v.Content[i], v.Content[i+1]
		if c.Kind != yaml.ScalarNode {
			continue
		}
		if made := f.in(c); made != nil {
			vars[k.Value] = made.Value
		} else {
			vars[k.Value], f.lost[k.Value] = "", true
		}
	}
}

// in is a tree with its expressions filled in; the tree itself where it has none. Places stay. A value whose expression is an
// error is gone; nil: the tree is such a value.
func (f *filler) in(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.ScalarNode {
		if !strings.Contains(n.Value, "${{") {
			return n
		}
		return f.scalar(n)
	}
	out, lost := n, false
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		was := f.shell
		if n.Kind == yaml.MappingNode {
			switch n.Content[i-1].Value {
			case "run", "before", "after", "command":
				f.shell = true
			}
		}
		made := f.in(c)
		f.shell = was
		if made == c {
			continue
		}
		if out == n {
			same := *n
			same.Content = slices.Clone(n.Content)
			out = &same
			if keys := f.gone[n]; keys != nil {
				f.gone[out] = slices.Clone(keys)
			}
		}
		out.Content[i], lost = made, lost || made == nil
	}
	if lost {
		f.drop(out)
	}
	return out
}

// drop takes values that are gone out of a list or a map.
func (f *filler) drop(n *yaml.Node) {
	var kept []*yaml.Node
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && c != nil:
			kept = append(kept, c)
		case n.Kind == yaml.SequenceNode || i%2 == 0:
		case c != nil:
			kept = append(kept, n.Content[i-1], c)
		default:
			f.gone.add(n, n.Content[i-1], n.Content[i-1].Value)
		}
	}
	n.Content = kept
}

// scalar fills a text in. One that is an expression and nothing else becomes its value, whatever type that has; nil: that is
// an error.
func (f *filler) scalar(n *yaml.Node) *yaml.Node {
	out := *n
	var err error
	t := f.texts[n]
	if t == nil { // the names are the same under every combination
		t, err = expression.CompileText(n.Value, f.env)
		f.texts[n] = t
	}
	if err == nil && f.shell && !t.Through("shell") {
		f.add(diag.New("E-EXPRESSION", f.at(n), "a value cannot stand in a line for the shell as it is").
			Suggest("write ${{ shell(…) }}, which makes one word of it, or use the variables SWARMRUN_MATRIX_NAME and SWARMRUN_VAR_NAME"))
		return &out
	}
	if err == nil && f.unknowable(t) {
		return nil
	}
	if err == nil {
		if err = f.unknownMember(t); err == nil {
			out.Value, err = t.Eval(f.env)
		}
	}
	if err != nil {
		f.badExpression(n, n.Value, err)
		return nil
	}
	if out.Tag = "!!str"; t.Alone() && out.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		var v any
		if json.Unmarshal([]byte(out.Value), &v) == nil {
			switch v.(type) {
			case bool:
				out.Tag = "!!bool"
			case float64:
				out.Tag = "!!float"
			}
		}
	}
	return &out
}

// unknowable tells whether a text asks for what is not there because of an error that was told.
func (f *filler) unknowable(t *expression.Text) bool {
	matrix := f.env["matrix"].(map[string]any)
	return slices.ContainsFunc(t.Uses(), func(u expression.Use) bool {
		_, there := matrix[u.Member]
		return u.Name == "matrix" && f.blind && !there || u.Name == "vars" && f.lost[u.Member]
	})
}

// unknownMember is the first member of matrix or vars that does not exist.
func (f *filler) unknownMember(t *expression.Text) error {
	for _, u := range t.Uses() {
		members, ok := f.env[u.Name].(map[string]any)
		if !ok {
			continue
		}
		if _, ok := members[u.Member]; ok {
			continue
		}
		var names []string
		for k := range members {
			names = append(names, k)
		}
		slices.Sort(names)
		e := &expression.Error{Message: u.Name + " has no " + shown(u.Member), Line: u.Line, Column: u.Column}
		if name, ok := diag.Closest(u.Member, names); ok {
			e.Message += "; did you mean " + shown(name) + "?"
		} else if len(names) > 0 {
			e.Message += "; it has " + strings.Join(names, ", ")
		}
		return e
	}
	return nil
}
