package script

import (
	"encoding/json"

	"github.com/swarmrun/swarmrun/providers"
)

// conversation is what rules ask about and templates are filled from; its exported names are the template language.
type conversation struct {
	Prompt     string // last user message
	System     string
	Agent      string
	Turn       int
	Match      map[string]string // named groups of the rule's patterns
	Results    []result          // since the last answer
	AllResults []result
	Messages   []message

	model   string
	offered []string
	answers int // assistant messages so far
}

// message is one entry of the history as templates see it.
type message struct {
	Role     string
	Text     string
	Thinking string
	Calls    []call
	Results  []result
}

// call is a tool call that the model made before.
type call struct {
	ID    string
	Tool  string
	Input any
}

// result is a tool's answer together with the input it answers. It reads as its text where text is wanted.
type result struct {
	Tool    string
	Input   any
	Text    string
	IsError bool
}

func (r result) String() string { return r.Text }

func read(model string, req *providers.Request) *conversation {
	c := &conversation{System: req.System, Agent: req.Caller.Agent, Turn: req.Caller.Turn, Match: map[string]string{}, model: model}
	for _, t := range req.Tools {
		c.offered = append(c.offered, t.Name)
	}
	calls := map[string]call{} // ids may come again in later turns: the newest is meant
	for _, m := range req.Messages {
		seen := message{Role: string(m.Role), Text: m.Text()}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case providers.Reasoning:
				seen.Thinking += p.Text
			case providers.ToolCall:
				made := call{ID: p.ID, Tool: p.Name, Input: decoded(p.Args)}
				calls[p.ID] = made
				seen.Calls = append(seen.Calls, made)
			case providers.ToolResult:
				seen.Results = append(seen.Results, answer(p, calls))
			}
		}
		switch m.Role {
		case providers.User:
			c.Prompt = seen.Text
		case providers.Assistant:
			c.answers++
			c.Results = nil
		}
		c.Results = append(c.Results, seen.Results...)
		c.AllResults = append(c.AllResults, seen.Results...)
		c.Messages = append(c.Messages, seen)
	}
	return c
}

func answer(p providers.ToolResult, calls map[string]call) result {
	r := result{Tool: p.Name, Text: p.Content, IsError: p.IsError}
	if made, ok := calls[p.CallID]; ok {
		r.Input = made.Input
		if r.Tool == "" {
			r.Tool = made.Tool
		}
	}
	return r
}

// decoded is a JSON value as templates see it: objects and lists print as JSON, numbers as they were written. Arguments
// that are no JSON stay text.
func decoded(raw json.RawMessage) any {
	v, err := decodeJSON(raw)
	if err != nil {
		return string(raw)
	}
	return v
}
