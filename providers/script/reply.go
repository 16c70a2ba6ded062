package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmrun/swarmrun/providers"
)

// The finish reasons that fail, as they do when a provider reports them.
const (
	finishLength        = "length"
	finishContentFilter = "content_filter"
)

// reply is a Reply whose templates parse.
type reply struct {
	Reply
	text, thinking filled
	calls          []toolCall
}

// toolCall is a Call whose input is filled for each answer.
type toolCall struct {
	name, id string
	input    input
}

func parseReply(r Reply) (*reply, error) {
	out := &reply{Reply: r}
	var errs []error
	var err error
	if out.text, err = parseText("text", r.Text); err != nil {
		errs = append(errs, err)
	}
	if out.thinking, err = parseText("thinking", r.Thinking); err != nil {
		errs = append(errs, err)
	}
	for i, c := range r.ToolCalls {
		in, err := parseInput(fmt.Sprintf("tool_calls[%d].input", i), c.Input)
		if err != nil {
			errs = append(errs, err)
		}
		if c.Name == "" {
			errs = append(errs, fmt.Errorf("tool_calls[%d] has no name", i))
		}
		out.calls = append(out.calls, toolCall{name: c.Name, id: c.ID, input: in})
	}
	return out, errors.Join(append(errs, r.check())...)
}

func (r Reply) check() error {
	switch r.Finish {
	case "", string(providers.FinishStop), string(providers.FinishToolCalls), finishLength, finishContentFilter:
	default:
		return fmt.Errorf("finish %q is none of stop, tool_calls, length, content_filter", r.Finish)
	}
	if r.Delay < 0 || r.ChunkDelay < 0 {
		return errors.New("a delay is negative")
	}
	if f := r.Error; f != nil {
		if !slices.Contains(providers.Kinds(), f.Kind) {
			return fmt.Errorf("error.kind %q is no kind of failure", f.Kind)
		}
		if f.After < 0 || f.RetryAfter < 0 || f.Status < 0 {
			return errors.New("a number of error is negative")
		}
	}
	return nil
}

// said is a reply for one request: templates filled, nothing sent yet.
type said struct {
	text, thinking string
	calls          []providers.ToolCall
}

func (r *reply) fill(c *conversation) (said, error) {
	var s said
	var err error
	if s.thinking, err = r.thinking.fill(c); err != nil {
		return s, err
	}
	if s.text, err = r.text.fill(c); err != nil {
		return s, err
	}
	for i, t := range r.calls {
		v, err := fillInput(t.input, c)
		if err != nil {
			return s, err
		}
		args, err := encodeJSON(v)
		if err != nil {
			return s, err
		}
		id := t.id
		if id == "" {
			id = fmt.Sprintf("call_%d_%d", c.answers+1, i+1)
		}
		s.calls = append(s.calls, providers.ToolCall{ID: id, Name: t.name, Args: json.RawMessage(args)})
	}
	return s, nil
}

// message is what the model said, the calls only when the answer came to its end.
func (s said) message(whole bool) providers.Message {
	m := providers.Message{Role: providers.Assistant}
	if s.thinking != "" {
		m.Parts = append(m.Parts, providers.Reasoning{Text: s.thinking})
	}
	if s.text != "" {
		m.Parts = append(m.Parts, providers.Text{Text: s.text})
	}
	if whole {
		for _, c := range s.calls {
			m.Parts = append(m.Parts, c)
		}
	}
	return m
}
