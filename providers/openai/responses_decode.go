package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/internal/wire"
)

// responsesDecoder reads the answer of the Responses API, streamed or not. The items of the final response are what counts;
// the deltas serve the eye, and the answer that is cut.
type responsesDecoder struct {
	provider string
	answer   wire.Answer
	text     strings.Builder // of the items that are not done
	thought  strings.Builder
	calls    int
	reason   string // why it is incomplete
	refusal  bool
	bad      error // a call that is wrong
	ids      map[string]bool
}

type responsesEvent struct {
	Type     string          `json:"type"`
	Delta    string          `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response *responsesBody  `json:"response"`
}

type responsesBody struct {
	Status     string            `json:"status"`
	Model      string            `json:"model"`
	Error      json.RawMessage   `json:"error"`
	Output     []json.RawMessage `json:"output"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *struct {
		Input     int `json:"input_tokens"`
		Output    int `json:"output_tokens"`
		InputMore struct {
			Cached int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		OutputMore struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

type responsesItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

func (d *responsesDecoder) Event(_, data []byte) (wire.Signal, providers.Delta, error) {
	var ev responsesEvent
	if string(data) == "[DONE]" { // a gateway's; the event before it was the marker
		return wire.Ignored, providers.Delta{}, nil
	}
	if err := json.Unmarshal(data, &ev); err != nil {
		return 0, providers.Delta{}, wire.Contract("malformed_event")
	}
	switch ev.Type {
	case "error":
		return 0, providers.Delta{}, &wire.InBandError{Raw: data}
	case "keepalive":
		return wire.Ignored, providers.Delta{}, nil
	case "response.failed":
		return 0, providers.Delta{}, failed(ev.Response)
	case "response.output_text.delta":
		d.text.WriteString(ev.Delta)
		return wire.Data, providers.Delta{Text: ev.Delta}, nil
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.thought.WriteString(ev.Delta)
		return wire.Data, providers.Delta{Reasoning: ev.Delta}, nil
	case "response.output_item.done":
		return wire.Data, providers.Delta{}, d.item(ev.Item)
	case "response.completed", "response.incomplete":
		d.head(ev.Response)
		return wire.Terminal, providers.Delta{}, nil
	}
	return wire.Data, providers.Delta{}, nil
}

// failed is the error of a response that failed.
func failed(r *responsesBody) error {
	if r == nil || len(r.Error) == 0 {
		return &wire.InBandError{Raw: []byte("{}")}
	}
	return &wire.InBandError{Raw: r.Error}
}

func (d *responsesDecoder) head(r *responsesBody) {
	if r == nil {
		return
	}
	d.answer.Model, d.answer.Finish = r.Model, r.Status
	if r.Incomplete != nil {
		d.reason = r.Incomplete.Reason
	}
	if u := r.Usage; u != nil {
		d.answer.Usage = providers.Usage{
			Input: u.Input, CachedInput: u.InputMore.Cached, Output: u.Output, Reasoning: u.OutputMore.Reasoning,
		}
	}
}

// item adds one finished item. What we do not know is kept and goes back unchanged.
func (d *responsesDecoder) item(raw json.RawMessage) error {
	var it responsesItem
	if json.Unmarshal(raw, &it) != nil {
		return wire.Contract("malformed_event")
	}
	raw = bytes.Clone(raw)
	switch it.Type {
	case "message":
		d.text.Reset()
		var text strings.Builder
		for _, c := range it.Content {
			text.WriteString(c.Text)
			d.refusal = d.refusal || c.Refusal != ""
		}
		if text.Len() > 0 {
			d.answer.Parts = append(d.answer.Parts, providers.Text{Text: text.String()})
		}
	case "reasoning":
		d.thought.Reset()
		var text strings.Builder
		for _, s := range it.Summary {
			text.WriteString(s.Text)
		}
		d.answer.Parts = append(d.answer.Parts, providers.Reasoning{Text: text.String(), Provider: d.provider, Raw: raw})
	case "function_call":
		d.call(it)
	default:
		d.answer.Parts = append(d.answer.Parts, providers.Opaque{Provider: d.provider, Raw: raw})
	}
	return nil
}

func (d *responsesDecoder) call(it responsesItem) {
	d.calls++
	call, err := wire.CheckCall(it.CallID, it.Name, []byte(it.Arguments))
	if err == nil && (call.ID == "" || d.ids[call.ID]) {
		err = wire.Contract("duplicate_call_id")
	}
	if err != nil {
		d.bad = err
		return
	}
	if d.ids == nil {
		d.ids = map[string]bool{}
	}
	d.ids[call.ID] = true
	d.answer.Parts = append(d.answer.Parts, call)
}

func (d *responsesDecoder) Body(body []byte) error {
	var whole responsesBody
	body = bytes.TrimSpace(body)
	if len(body) == 0 || json.Unmarshal(body, &whole) != nil {
		return &providers.Error{Kind: providers.KindServer, Status: 200, Code: "unusable_answer"}
	}
	if len(whole.Error) > 0 && string(whole.Error) != "null" {
		return &wire.InBandError{Raw: whole.Error}
	}
	if whole.Status == "" || whole.Status == "failed" {
		return &providers.Error{Kind: providers.KindServer, Status: 200, Code: "unusable_answer"}
	}
	d.head(&whole)
	for _, it := range whole.Output {
		if err := d.item(it); err != nil {
			return err
		}
	}
	return nil
}

// Answer is the finished items and, of a cut answer, the text that had come. Calls of a failed answer are not shown.
func (d *responsesDecoder) Answer() *wire.Answer {
	if d.answer.Finish != "" {
		return &d.answer
	}
	cut := d.answer
	cut.Parts = nil
	for _, p := range d.answer.Parts {
		if _, ok := p.(providers.ToolCall); !ok {
			cut.Parts = append(cut.Parts, p)
		}
	}
	if d.thought.Len() > 0 {
		cut.Parts = append(cut.Parts, providers.Reasoning{Text: d.thought.String(), Provider: d.provider})
	}
	if d.text.Len() > 0 {
		cut.Parts = append(cut.Parts, providers.Text{Text: d.text.String()})
	}
	return &cut
}

func (d *responsesDecoder) Finish() (providers.Finish, error) {
	if d.answer.Finish != "completed" {
		switch d.reason {
		case "content_filter":
			return "", &providers.Error{Kind: providers.KindContentFilter, Code: "content_filter"}
		case "max_output_tokens":
			if d.answer.Usage.Output == 0 && d.answer.Usage.Input > 0 {
				return "", &providers.Error{Kind: providers.KindOverflow, Code: "no_room_for_output"}
			}
		}
		return "", &providers.Error{Kind: providers.KindTruncated, Code: "output_limit"}
	}
	switch {
	case d.bad != nil:
		return "", d.bad
	case d.refusal && d.calls == 0:
		return "", &providers.Error{Kind: providers.KindContentFilter, Code: "refusal"}
	case d.calls > 0:
		return providers.FinishToolCalls, nil
	}
	return providers.FinishStop, nil
}
