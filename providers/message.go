package providers

import "encoding/json"

// Role says who speaks in a Message. The system text is a field of Request, not a role.
type Role string

// The roles. A Tool message holds nothing but ToolResult parts.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of a conversation. Its JSON form is {role, parts: [{type, …}]}; sessions and cassettes store it.
type Message struct {
	Role  Role
	Parts []Part
}

// Part is one of Text, Reasoning, Blob, ToolCall, ToolResult or Opaque.
type Part interface{ partType() string }

// Text is plain text.
type Text struct {
	Text string `json:"text"`
}

// Reasoning is what the model thought aloud. Raw is the provider's own block, sent back byte for byte to the provider
// named in Provider and to nobody else; nil when there is nothing to send back.
type Reasoning struct {
	Text     string          `json:"text"`
	Provider string          `json:"provider,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty"`
}

// Blob is binary content such as an image. Exactly one of Data and URL is set.
type Blob struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data,omitempty"`
	URL       string `json:"url,omitempty"`
}

// ToolCall is a whole and valid request of the model: Args is one JSON object without repeated keys.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// ToolResult answers the ToolCall with the id CallID. Blobs are images that came with the text.
type ToolResult struct {
	CallID  string `json:"call_id"`
	Name    string `json:"name"`
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
	Blobs   []Blob `json:"blobs,omitempty"`
}

// Opaque is a block that only its Provider understands; it is kept in place and sent back there unchanged.
type Opaque struct {
	Provider string          `json:"provider"`
	Raw      json.RawMessage `json:"raw"`
}

func (Text) partType() string       { return "text" }
func (Reasoning) partType() string  { return "reasoning" }
func (Blob) partType() string       { return "blob" }
func (ToolCall) partType() string   { return "tool_call" }
func (ToolResult) partType() string { return "tool_result" }
func (Opaque) partType() string     { return "opaque" }

// UserText is the usual prompt: one user message of plain text.
func UserText(text string) Message {
	return Message{Role: User, Parts: []Part{Text{Text: text}}}
}

// Text is the text parts of the message, joined.
func (m Message) Text() string {
	var s string
	for _, p := range m.Parts {
		if t, ok := p.(Text); ok {
			s += t.Text
		}
	}
	return s
}

// ToolCalls are the calls of the message in order.
func (m Message) ToolCalls() []ToolCall {
	var calls []ToolCall
	for _, p := range m.Parts {
		if c, ok := p.(ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}
