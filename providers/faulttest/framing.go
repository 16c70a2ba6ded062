package faulttest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Framing is the form in which a provider writes its answers.
type Framing int

// The framings that the clients of package providers read.
const (
	OpenAIChat Framing = iota
	OpenAIResponses
	Anthropic
)

func (f Framing) String() string {
	switch f {
	case OpenAIChat:
		return "openai chat"
	case OpenAIResponses:
		return "openai responses"
	}
	return "anthropic"
}

// encoder writes the frames of one stream; it keeps what later frames need.
type encoder interface {
	encode(f frame) string
}

func (f Framing) encoder() encoder {
	switch f {
	case OpenAIChat:
		return &chat{}
	case OpenAIResponses:
		return &responses{}
	}
	return &messages{}
}

// terminal are the frames of a complete answer with this text.
func terminal(text string) []frame {
	return []frame{
		{kind: "m"}, {kind: "t", args: []string{text}}, {kind: "u", args: []string{"3", "1"}}, {kind: "f", args: []string{""}}, {kind: "D"},
	}
}

// obj is JSON in the making.
type obj map[string]any

func (o obj) String() string {
	b, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// event is one server-sent event; an empty name leaves the event line out.
func event(name string, data fmt.Stringer) string {
	if name != "" {
		name = "event: " + name + "\n"
	}
	return name + "data: " + data.String() + "\n\n"
}

// comment is what a keep-alive looks like.
const comment = ": keep-alive\n\n"

// malformed is a data event that is no JSON.
const malformed = "data: {\"choices\":[{\"del\n\n"

// answer is what frames add up to, for unary bodies.
type answer struct {
	text, thought string
	calls         []*toolCall
	in, out       int
	finish        string
	done          bool // D was among them
	fault         *frame
}

type toolCall struct {
	index          int
	id, name, args string
}

func (a *answer) add(f frame) {
	switch f.kind {
	case "t":
		a.text += f.args[0]
	case "big":
		a.text += big(f)
	case "r":
		a.thought += f.args[0]
	case "c":
		a.call(f)
	case "u":
		a.in, a.out = atoi(f.args[0]), atoi(f.args[1])
	case "f":
		a.finish = f.args[0]
		if a.finish == "" {
			a.finish = "stop"
			if len(a.calls) > 0 {
				a.finish = "tool_calls"
			}
		}
	case "D":
		a.done = true
	case "e":
		if a.fault == nil {
			a.fault = &f
		}
	}
}

// call adds a fragment; it reports the call it belongs to and whether that is new.
func (a *answer) call(f frame) (c *toolCall, begun bool) {
	index := atoi(f.args[0])
	for _, have := range a.calls {
		if have.index == index {
			c = have
		}
	}
	if c == nil {
		c, begun = &toolCall{index: index}, true
		a.calls = append(a.calls, c)
	}
	c.id += f.args[1]
	c.name += f.args[2]
	c.args += f.args[3]
	return c, begun
}

func big(f frame) string { return strings.Repeat("z", atoi(f.args[0])) }

// atoi is for numbers that Parse has checked.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
