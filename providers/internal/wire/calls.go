package wire

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/providers"
)

// Calls assembles tool calls from fragments that may interleave. Fragments are told apart by their index, or, where an
// endpoint sends none, by a new id.
type Calls struct {
	open  []*openCall
	index map[int]*openCall
	last  *openCall
}

type openCall struct {
	id, name string
	args     []byte
}

// Fragment adds a piece of a call. index < 0 means that the endpoint sent none. Id and name of the first fragment stand.
func (c *Calls) Fragment(index int, id, name, args string) {
	call := c.find(index, id)
	if call.id == "" {
		call.id = id
	}
	if call.name == "" {
		call.name = name
	}
	call.args = append(call.args, args...)
}

func (c *Calls) find(index int, id string) *openCall {
	if index < 0 {
		if c.last == nil || id != "" && c.last.id != "" && c.last.id != id {
			return c.add()
		}
		return c.last
	}
	call := c.index[index]
	if call == nil {
		call = c.add()
		if c.index == nil {
			c.index = map[int]*openCall{}
		}
		c.index[index] = call
	}
	c.last = call
	return call
}

func (c *Calls) add() *openCall {
	c.last = &openCall{}
	c.open = append(c.open, c.last)
	return c.last
}

// Len is the number of calls begun.
func (c *Calls) Len() int { return len(c.open) }

// Finish checks the calls of a complete answer and returns them in order of their first fragments; a call without id gets
// one. The error is of kind contract.
func (c *Calls) Finish() ([]providers.ToolCall, error) {
	if len(c.open) == 0 {
		return nil, nil
	}
	out := make([]providers.ToolCall, len(c.open))
	ids := map[string]bool{}
	for i, o := range c.open {
		call, err := CheckCall(o.id, o.name, o.args)
		if err != nil {
			return nil, err
		}
		if call.ID == "" {
			call.ID = "call_" + rand.Text()[:12]
		}
		if ids[call.ID] {
			return nil, contract("duplicate_call_id")
		}
		ids[call.ID] = true
		out[i] = call
	}
	return out, nil
}

// CheckCall is a whole call, valid or refused: a name, and one JSON object without repeated keys. Empty arguments are {}.
func CheckCall(id, name string, args []byte) (providers.ToolCall, error) {
	if name == "" {
		return providers.ToolCall{}, contract("call_without_name")
	}
	if args = bytes.TrimSpace(args); len(args) == 0 {
		args = []byte("{}")
	}
	if err := checkObject(args); err != nil {
		return providers.ToolCall{}, err
	}
	return providers.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}, nil
}

func contract(code string) *providers.Error {
	return &providers.Error{Kind: providers.KindContract, Code: code}
}

// checkObject accepts one complete JSON object in which no object repeats a key.
func checkObject(b []byte) error {
	if b[0] != '{' {
		return contract("arguments_not_an_object")
	}
	p := NewPull(b)
	if p.distinct(0); p.OK() {
		return nil
	}
	return checkTokens(b)
}

// distinct steps over a value in which no object has a name twice. What has many names it leaves to the thorough way.
func (p *Pull) distinct(depth int) {
	switch c := p.peek(); {
	case depth > maxQuick:
		p.bad = true
	case c == '{':
		var room [8][]byte
		names := room[:0]
		for name := range p.Members {
			p.Expect(len(names) < len(room) && utf8.Valid(name) && !slices.ContainsFunc(names, func(s []byte) bool { return bytes.Equal(s, name) }))
			names = append(names, name)
			p.distinct(depth + 1)
		}
	case c == '[':
		for range p.Elements {
			p.distinct(depth + 1)
		}
	default:
		p.skip(depth)
	}
}

// checkTokens is checkObject the thorough way.
func checkTokens(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err := checkValue(d, 0)
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return nil
		}
		return contract("arguments_malformed")
	}
	var e *providers.Error
	if errors.As(err, &e) {
		return e
	}
	return contract("arguments_malformed")
}

// maxDepth bounds nesting of arguments; encoding/json has a bound of its own only for whole values.
const maxDepth = 1000

func checkValue(d *json.Decoder, depth int) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	open, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	if depth > maxDepth {
		return contract("arguments_too_deep")
	}
	var keys map[string]bool
	for d.More() {
		if open == '{' {
			k, err := d.Token()
			if err != nil {
				return err
			}
			name := fmt.Sprint(k)
			if keys[name] {
				return contract("arguments_repeat_a_key")
			}
			if keys == nil {
				keys = map[string]bool{}
			}
			keys[name] = true
		}
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
