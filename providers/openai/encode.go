package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/internal/wire"
)

// body is the JSON of a chat completion request.
func (c *chat) body(req *providers.Request, stream bool) []byte {
	b := c.NewBody(sizeOf(req), c.Extra(req, map[string]string{"max_tokens": c.outputLimit()}, typedParameters(req)...))
	b.Key("model")
	b.String(c.Model)
	b.Key("messages")
	c.messages(b, req)
	appendTools(b, req)
	c.options(b, req)
	if stream {
		b.Key("stream")
		b.Raw("true")
		if !c.quirks.noUsageOption && b.Key("stream_options") {
			b.Raw(`{"include_usage":true}`)
		}
	}
	return b.End()
}

// typedParameters are the members that fields of the request set, whatever the candidate's defaults say.
func typedParameters(req *providers.Request) []string {
	var names []string
	if req.Temperature != nil {
		names = append(names, "temperature")
	}
	if req.TopP != nil {
		names = append(names, "top_p")
	}
	if req.MaxOutput > 0 {
		names = append(names, "max_tokens", "max_completion_tokens", "max_output_tokens")
	}
	if len(req.Stop) > 0 {
		names = append(names, "stop")
	}
	if req.Output != nil {
		names = append(names, "response_format", "text")
	}
	if req.Thinking != nil {
		names = append(names, "reasoning_effort", "reasoning")
	}
	return names
}

func sizeOf(req *providers.Request) int {
	return 1024 + 5*req.EstimateTokens()
}

// outputLimit is the endpoint's name for the cap on output tokens.
func (c *chat) outputLimit() string {
	if c.quirks.maxTokens {
		return "max_tokens"
	}
	return "max_completion_tokens"
}

func (c *chat) options(b *wire.Body, req *providers.Request) {
	if req.Temperature != nil && b.Key("temperature") {
		b.Value(*req.Temperature)
	}
	if req.TopP != nil && b.Key("top_p") {
		b.Value(*req.TopP)
	}
	if req.MaxOutput > 0 && b.Key(c.outputLimit()) {
		b.Value(req.MaxOutput)
	}
	if len(req.Stop) > 0 && b.Key("stop") {
		b.Value(req.Stop)
	}
	if req.Thinking != nil && b.Key("reasoning_effort") {
		b.String(effort(req.Thinking))
	}
	if req.Output == nil || !b.Key("response_format") {
		return
	}
	if c.quirks.jsonObject {
		b.Raw(`{"type":"json_object"}`)
		return
	}
	b.Raw(`{"type":"json_schema","json_schema":{"name":"output","strict":`)
	b.Value(strict(req.Output))
	b.Raw(`,"schema":`)
	b.Bytes(req.Output)
	b.Raw(`}}`)
}

// effort is the level of a thinking request; a budget alone is mapped to the nearest one.
func effort(t *providers.Thinking) string {
	switch {
	case t.Effort != "":
		return t.Effort
	case t.Budget < 4096:
		return "low"
	case t.Budget < 16384:
		return "medium"
	}
	return "high"
}

func appendTools(b *wire.Body, req *providers.Request) {
	if len(req.Tools) == 0 || !b.Key("tools") {
		return
	}
	b.Raw("[")
	for i, t := range req.Tools {
		if i > 0 {
			b.Raw(",")
		}
		b.Raw(`{"type":"function","function":{"name":`)
		b.String(t.Name)
		b.Raw(`,"description":`)
		b.String(t.Description)
		b.Raw(`,"parameters":`)
		b.Bytes(schemaOf(t))
		b.Raw(`}}`)
	}
	b.Raw("]")
	if req.ToolChoice == "" || !b.Key("tool_choice") {
		return
	}
	switch req.ToolChoice {
	case "auto", "none", "required":
		b.String(req.ToolChoice)
	default:
		b.Raw(`{"type":"function","function":{"name":`)
		b.String(req.ToolChoice)
		b.Raw(`}}`)
	}
}

func schemaOf(t providers.ToolSpec) json.RawMessage {
	if len(t.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}

// system is the system text, with the schema of the answer where the endpoint cannot be given one.
func (c *chat) system(req *providers.Request) string {
	if req.Output == nil || !c.quirks.jsonObject {
		return req.System
	}
	return strings.TrimSpace(req.System + "\n\nAnswer with one JSON value that holds to this JSON Schema:\n" + string(req.Output))
}

// list writes the elements of a JSON array one after the other.
type list struct {
	b     *wire.Body
	begun bool
}

func (l *list) next() {
	if l.begun {
		l.b.Raw(",")
	}
	l.begun = true
}

func (c *chat) messages(b *wire.Body, req *providers.Request) {
	l := &list{b: b}
	b.Raw("[")
	if s := c.system(req); s != "" {
		l.next()
		b.Raw(`{"role":"system","content":`)
		b.String(s)
		b.Raw("}")
	}
	for _, m := range req.Messages {
		switch m.Role {
		case providers.Assistant:
			l.next()
			c.assistant(b, m)
		case providers.Tool:
			c.results(l, m)
		default:
			l.next()
			b.Raw(`{"role":"user","content":`)
			content(b, m.Parts)
			b.Raw("}")
		}
	}
	b.Raw("]")
}

// content writes the text of a message as a string, or a list of parts when there is more than one text.
func content(b *wire.Body, parts []providers.Part) {
	if len(parts) == 1 {
		if t, ok := parts[0].(providers.Text); ok {
			b.String(t.Text)
			return
		}
	}
	l := &list{b: b}
	b.Raw("[")
	for _, p := range parts {
		switch p := p.(type) {
		case providers.Text:
			l.next()
			b.Raw(`{"type":"text","text":`)
			b.String(p.Text)
			b.Raw("}")
		case providers.Blob:
			l.next()
			blob(b, p)
		}
	}
	b.Raw("]")
}

// blob writes an image, or any other file.
func blob(b *wire.Body, p providers.Blob) {
	if !strings.HasPrefix(p.MediaType, "image/") && p.MediaType != "" {
		b.Raw(`{"type":"file","file":{"filename":"attachment","file_data":`)
		b.Base64("data:"+p.MediaType+";base64,", p.Data)
		b.Raw("}}")
		return
	}
	b.Raw(`{"type":"image_url","image_url":{"url":`)
	if p.URL != "" {
		b.String(p.URL)
	} else {
		b.Base64("data:"+p.MediaType+";base64,", p.Data)
	}
	b.Raw("}}")
}

func (c *chat) assistant(b *wire.Body, m providers.Message) {
	b.Raw(`{"role":"assistant","content":`)
	if text := m.Text(); text != "" {
		b.String(text)
	} else {
		b.Raw("null")
	}
	calls := 0
	if c.quirks.reasoningBack && slices.ContainsFunc(m.Parts, isCall) {
		for _, p := range m.Parts {
			if r, ok := p.(providers.Reasoning); ok && r.Provider == c.Provider {
				b.Raw(`,"reasoning_content":`)
				b.String(r.Text)
				break
			}
		}
	}
	for _, p := range m.Parts {
		call, ok := p.(providers.ToolCall)
		if !ok {
			continue
		}
		if calls++; calls == 1 {
			b.Raw(`,"tool_calls":[`)
		} else {
			b.Raw(",")
		}
		b.Raw(`{"id":`)
		b.String(call.ID)
		b.Raw(`,"type":"function","function":{"name":`)
		b.String(call.Name)
		b.Raw(`,"arguments":`)
		b.String(string(call.Args))
		b.Raw("}")
		if extra := c.extraContent(m, call.ID); extra != nil {
			b.Raw(`,"extra_content":`)
			b.Bytes(extra)
		}
		b.Raw("}")
	}
	if calls > 0 {
		b.Raw("]")
	}
	b.Raw("}")
}

func isCall(p providers.Part) bool {
	_, ok := p.(providers.ToolCall)
	return ok
}

// results writes one message per result, and after them the images that came with any, since a tool message holds text.
func (c *chat) results(l *list, m providers.Message) {
	var images []providers.Part
	for _, p := range m.Parts {
		r, ok := p.(providers.ToolResult)
		if !ok {
			continue
		}
		l.next()
		l.b.Raw(`{"role":"tool","tool_call_id":`)
		l.b.String(r.CallID)
		l.b.Raw(`,"content":`)
		l.b.String(r.Content)
		l.b.Raw("}")
		if len(r.Blobs) > 0 {
			images = append(images, providers.Text{Text: "Images of the result of " + r.Name + " (" + r.CallID + "):"})
			for _, blob := range r.Blobs {
				images = append(images, blob)
			}
		}
	}
	if len(images) > 0 {
		l.next()
		l.b.Raw(`{"role":"user","content":`)
		content(l.b, images)
		l.b.Raw("}")
	}
}

// callExtra is what an endpoint hangs on a tool call and wants back with it (Gemini's thought signatures).
type callExtra struct {
	CallID string          `json:"call_id"`
	Extra  json.RawMessage `json:"extra_content"`
}

func (c *chat) extraContent(m providers.Message, callID string) json.RawMessage {
	for _, p := range m.Parts {
		o, ok := p.(providers.Opaque)
		if !ok || o.Provider != c.Provider {
			continue
		}
		var e callExtra
		if json.Unmarshal(o.Raw, &e) == nil && e.CallID == callID {
			return e.Extra
		}
	}
	return nil
}
