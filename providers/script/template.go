package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
)

// maxFilled bounds what one template may write, so that a rule that loops ends in an error.
const maxFilled = 8 << 20

var errTooLong = errors.New("more than 8 MiB of output")

// filled is a text with holes. A text without any is kept as it is.
type filled struct {
	plain string
	t     *template.Template
	raw   bool // one {{ … | raw }} and nothing else
}

func parseText(name, s string) (filled, error) {
	if !strings.Contains(s, "{{") {
		return filled{plain: s}, nil
	}
	t, err := template.New(name).Option("missingkey=error").Funcs(functions.Get()).Parse(s)
	if err != nil {
		return filled{}, err
	}
	return filled{t: t, raw: endsInRaw(t.Tree)}, nil
}

func endsInRaw(tree *parse.Tree) bool {
	var action *parse.ActionNode
	for _, n := range tree.Root.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			if strings.TrimSpace(string(n.Text)) != "" {
				return false
			}
		case *parse.ActionNode:
			if action != nil {
				return false
			}
			action = n
		default:
			return false
		}
	}
	if action == nil || len(action.Pipe.Cmds) == 0 {
		return false
	}
	last := action.Pipe.Cmds[len(action.Pipe.Cmds)-1]
	name, ok := last.Args[0].(*parse.IdentifierNode)
	return ok && name.Ident == "raw"
}

func (f filled) fill(c *conversation) (string, error) {
	if f.t == nil {
		return f.plain, nil
	}
	var w bounded
	if err := f.t.Execute(&w, c); err != nil {
		return "", err
	}
	return w.String(), nil
}

type bounded struct{ strings.Builder }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxFilled {
		return 0, errTooLong
	}
	return b.Builder.Write(p)
}

// input is a JSON value whose strings are templates: objects, lists and filled leaves, anything else constant.
type input any

func parseInput(name string, raw json.RawMessage) (input, error) {
	if len(raw) == 0 {
		return object{}, nil
	}
	v, err := decodeJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, ok := v.(object); !ok {
		return nil, fmt.Errorf("%s is no JSON object", name)
	}
	return parseLeaves(name, v)
}

func parseLeaves(name string, v any) (input, error) {
	var err error
	switch v := v.(type) {
	case object:
		for k, e := range v {
			if v[k], err = parseLeaves(name+"."+k, e); err != nil {
				return nil, err
			}
		}
	case list:
		for i, e := range v {
			if v[i], err = parseLeaves(fmt.Sprintf("%s[%d]", name, i), e); err != nil {
				return nil, err
			}
		}
	case str:
		return parseText(name, string(v))
	}
	return v, nil
}

// fillInput builds the arguments of a call anew; the parsed form is shared by all runs.
func fillInput(in input, c *conversation) (any, error) {
	switch in := in.(type) {
	case object:
		out := make(object, len(in))
		for k, e := range in {
			v, err := fillInput(e, c)
			if err != nil {
				return nil, err
			}
			out[k] = v
		}
		return out, nil
	case list:
		out := make(list, len(in))
		for i, e := range in {
			v, err := fillInput(e, c)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case filled:
		s, err := in.fill(c)
		if err == nil && in.raw {
			return json.RawMessage(s), nil
		}
		return s, err
	}
	return in, nil
}
