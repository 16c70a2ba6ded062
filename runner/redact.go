package runner

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

// redactMessage is m without secrets in what people read of it; m itself when there are none. Blocks that go back to a
// provider byte for byte are blocks of that provider, made of what it was sent.
func redactMessage(r *providers.Redactor, m providers.Message) providers.Message {
	var changed []providers.Part
	for i, p := range m.Parts {
		q, differs := redactPart(r, p)
		if !differs {
			continue
		}
		if changed == nil {
			changed = slices.Clone(m.Parts)
		}
		changed[i] = q
	}
	if changed != nil {
		m.Parts = changed
	}
	return m
}

// redactMessages is messages without secrets, in a list of its own.
func redactMessages(r *providers.Redactor, messages []providers.Message) []providers.Message {
	out := make([]providers.Message, len(messages))
	for i, m := range messages {
		out[i] = redactMessage(r, m)
	}
	return out
}

func redactPart(r *providers.Redactor, p providers.Part) (providers.Part, bool) {
	switch p := p.(type) {
	case providers.Text:
		text := r.Text(p.Text)
		return providers.Text{Text: text}, text != p.Text
	case providers.Reasoning:
		text := r.Text(p.Text)
		if text == p.Text {
			return p, false
		}
		return providers.Reasoning{Text: text}, true // its block says the same, signed: neither is kept
	case providers.ToolCall:
		args := redactJSON(r, p.Args)
		if bytes.Equal(args, p.Args) {
			return p, false
		}
		p.Args = args
		return p, true
	case providers.ToolResult:
		text := r.Text(p.Content)
		if text == p.Content {
			return p, false
		}
		p.Content = text
		return p, true
	}
	return p, false
}

// redactNote is an event of a tool without secrets; the event itself when there are none.
func redactNote(r *providers.Redactor, n event.Note) event.Note {
	raw, err := json.Marshal(n)
	if err != nil {
		return n // whoever writes it as JSON meets the same error
	}
	clean := redactJSON(r, raw)
	if bytes.Equal(clean, raw) {
		return n
	}
	return event.Raw{Name: n.Type(), Fields: clean}
}

// redactJSON is a JSON value without secrets in its strings; the same bytes when there are none.
func redactJSON(r *providers.Redactor, raw json.RawMessage) json.RawMessage {
	if text := string(raw); r.Text(text) == text {
		return raw
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return json.RawMessage(`"` + providers.Redacted + `"`)
	}
	out, err := json.Marshal(redactValue(r, v))
	if err != nil {
		return json.RawMessage(`"` + providers.Redacted + `"`)
	}
	return out
}

func redactValue(r *providers.Redactor, v any) any {
	switch v := v.(type) {
	case string:
		return r.Text(v)
	case []any:
		for i := range v {
			v[i] = redactValue(r, v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			if s, ok := e.(string); ok {
				e = strings.TrimPrefix(r.Text(k+": "+s), k+": ") // a key may say that its value is a secret
			} else {
				e = redactValue(r, e)
			}
			out[r.Text(k)] = e
		}
		return out
	}
	return v
}
