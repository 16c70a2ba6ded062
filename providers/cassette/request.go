package cassette

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/swarmrun/swarmrun/internal/jsontext"
	"github.com/swarmrun/swarmrun/providers"
)

// request is a model call without what differs from one run to the next: keys sorted, call ids numbered, folders named,
// secrets out. Its JSON is what the key is made from; headers and the caller are no part of it.
type request struct {
	System     string          `json:"system,omitempty"`
	Tools      []tool          `json:"tools,omitempty"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Messages   []message       `json:"messages,omitempty"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
}

type message struct {
	Role     providers.Role `json:"role"`
	Thinking string         `json:"thinking,omitempty"`
	Text     string         `json:"text,omitempty"`
	Blobs    []blob         `json:"blobs,omitempty"`
	Calls    []call         `json:"tool_calls,omitempty"`
	Results  []result       `json:"results,omitempty"`
}

// blob stands for binary content.
type blob struct {
	MediaType string `json:"media_type"`
	SHA256    string `json:"sha256,omitempty"` // first 16 hex digits
	URL       string `json:"url,omitempty"`
}

type call struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type result struct {
	Call  string `json:"call"`
	Name  string `json:"name,omitempty"`
	Text  string `json:"text"`
	Error bool   `json:"error,omitempty"`
	Blobs []blob `json:"blobs,omitempty"`
}

// normalise is the request as a cassette knows it, and the number of the next tool call.
func (s *scrubber) normalise(req *providers.Request) (*request, int) {
	n := numbering{ids: map[string]string{}}
	r := &request{System: req.System, Parameters: parameters(req)}
	for _, t := range req.Tools {
		r.Tools = append(r.Tools, tool{Name: t.Name, Description: t.Description, InputSchema: t.Schema})
	}
	slices.SortStableFunc(r.Tools, func(a, b tool) int { return cmp.Compare(a.Name, b.Name) })
	for _, m := range req.Messages {
		r.Messages = append(r.Messages, n.message(m))
	}
	return r.rewritten(s.asked), n.calls + 1
}

// rewritten is the request with f applied to its texts and with the keys of its JSON sorted.
func (r *request) rewritten(f func(string) string) *request {
	out := &request{System: f(r.System), Parameters: eachText(r.Parameters, f)}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, tool{Name: t.Name, Description: f(t.Description), InputSchema: eachText(t.InputSchema, f)})
	}
	for _, m := range r.Messages {
		m.Text, m.Thinking = f(m.Text), f(m.Thinking)
		m.Calls, m.Results = slices.Clone(m.Calls), slices.Clone(m.Results)
		for i := range m.Calls {
			m.Calls[i].Input = eachText(m.Calls[i].Input, f)
		}
		for i := range m.Results {
			m.Results[i].Text = f(m.Results[i].Text)
		}
		out.Messages = append(out.Messages, m)
	}
	return out
}

// size is about how many bytes of text the request has.
func (r *request) size() int {
	n := len(r.System) + len(r.Parameters)
	for _, t := range r.Tools {
		n += len(t.Description) + len(t.InputSchema)
	}
	for _, m := range r.Messages {
		n += len(m.Text) + len(m.Thinking)
		for _, c := range m.Calls {
			n += len(c.Input)
		}
		for _, res := range m.Results {
			n += len(res.Text)
		}
	}
	return n
}

// key is the first 16 hex digits of the SHA-256 of the request's JSON.
func (r *request) key() string {
	sum := sha256.Sum256(compact(r))
	return hex.EncodeToString(sum[:])[:16]
}

// numbering gives calls their ids.
type numbering struct {
	ids   map[string]string // as they came → as they are stored
	calls int
}

func (n *numbering) message(m providers.Message) message {
	out := message{Role: m.Role}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case providers.Text:
			out.Text += p.Text
		case providers.Reasoning:
			out.Thinking += p.Text
		case providers.Blob:
			out.Blobs = append(out.Blobs, stand(p))
		case providers.ToolCall:
			out.Calls = append(out.Calls, call{ID: n.begin(p.ID), Name: p.Name, Input: p.Args})
		case providers.ToolResult:
			r := result{Call: n.id(p.CallID), Name: p.Name, Text: p.Content, Error: p.IsError}
			for _, b := range p.Blobs {
				r.Blobs = append(r.Blobs, stand(b))
			}
			out.Results = append(out.Results, r)
		}
	}
	return out
}

// begin numbers a call. An id that comes again in a later turn is a new call.
func (n *numbering) begin(id string) string {
	n.calls++
	n.ids[id] = callID(n.calls)
	return n.ids[id]
}

func callID(n int) string { return fmt.Sprintf("call_%d", n) }

// id is that of the call that a result answers; one that answers none keeps its own.
func (n *numbering) id(id string) string {
	if known, ok := n.ids[id]; ok {
		return known
	}
	return id
}

func stand(b providers.Blob) blob {
	out := blob{MediaType: b.MediaType, URL: b.URL}
	if b.URL == "" {
		sum := sha256.Sum256(b.Data)
		out.SHA256 = hex.EncodeToString(sum[:])[:16]
	}
	return out
}

// parameters are all settings of the call under the names that people write; nil when there are none.
func parameters(req *providers.Request) json.RawMessage {
	p := map[string]any{}
	for k, v := range req.Parameters {
		p[k] = v
	}
	set := func(name string, present bool, v any) {
		if present {
			p[name] = v
		}
	}
	set("tool_choice", req.ToolChoice != "", req.ToolChoice)
	set("max_tokens", req.MaxOutput != 0, req.MaxOutput)
	set("temperature", req.Temperature != nil, req.Temperature)
	set("top_p", req.TopP != nil, req.TopP)
	set("stop", len(req.Stop) > 0, req.Stop)
	set("output", len(req.Output) > 0, req.Output)
	if t := req.Thinking; t != nil {
		thinking := map[string]any{"effort": t.Effort}
		if t.Budget != 0 {
			thinking["budget"] = t.Budget
		}
		p["thinking"] = thinking
	}
	if len(p) == 0 {
		return nil
	}
	return compact(p)
}

// eachText rewrites the texts of a JSON value and sorts its keys; what is no JSON becomes a text, nothing stays nothing.
func eachText(raw json.RawMessage, f func(string) string) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return compact(f(string(raw)))
	}
	return compact(rewrite(v, f))
}

func rewrite(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		for i, e := range v {
			v[i] = rewrite(e, f)
		}
	case map[string]any:
		for k, e := range v {
			v[k] = rewrite(e, f)
		}
	}
	return v
}

// compact is the JSON of a value of this package; it holds nothing that JSON cannot.
func compact(v any) json.RawMessage {
	raw, _ := jsontext.Marshal(v)
	return raw
}
