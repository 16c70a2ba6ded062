package cassette

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/providers"
)

// answer is a complete answer as a cassette holds it.
type answer struct {
	Thinking string `json:"thinking,omitempty"`
	Text     string `json:"text,omitempty"`
	Calls    []call `json:"tool_calls,omitempty"`
	// Parts is the message in the form of sessions, instead of the three above: for one that they do not describe, such
	// as thinking that a provider signed.
	Parts     json.RawMessage  `json:"parts,omitempty"`
	Finish    providers.Finish `json:"finish"`
	Usage     usage            `json:"usage"`
	Candidate string           `json:"candidate"`
	Provider  string           `json:"provider,omitempty"` // where it is not the candidate up to its first slash
	Model     string           `json:"model,omitempty"`    // where it is not the rest
	Rule      string           `json:"rule,omitempty"`
	Chunks    []int            `json:"chunks,omitempty"` // characters of the streamed pieces: thinking, then text
}

// usage is providers.Usage without what is zero.
type usage struct {
	Input       int  `json:"input_tokens"`
	CachedInput int  `json:"cached_tokens,omitempty"`
	CacheWrite  int  `json:"cache_creation_tokens,omitempty"`
	Output      int  `json:"output_tokens"`
	Reasoning   int  `json:"reasoning_tokens,omitempty"`
	Partial     bool `json:"partial,omitempty"`
}

// record is a response as it is stored; next is the number of its first tool call.
func (s *scrubber) record(r *providers.Response, chunks []int, next int) answer {
	a := answer{Finish: r.Finish, Usage: usage(r.Usage), Candidate: r.Candidate, Rule: r.Rule, Chunks: chunks}
	if p, m := split(r.Candidate); p != r.Provider || m != r.Model {
		a.Provider, a.Model = r.Provider, r.Model
	}
	calls := r.Message.ToolCalls()
	for i := range calls {
		calls[i].ID = callID(next + i)
		calls[i].Args = eachText(calls[i].Args, s.stored)
	}
	if !simple(r.Message) {
		a.Parts = s.parts(r.Message, calls)
		return a
	}
	for _, p := range r.Message.Parts {
		switch p := p.(type) {
		case providers.Reasoning:
			a.Thinking = s.stored(p.Text)
		case providers.Text:
			a.Text = s.stored(p.Text)
		}
	}
	for _, c := range calls {
		a.Calls = append(a.Calls, call{ID: c.ID, Name: c.Name, Input: c.Args})
	}
	return a
}

// simple tells whether a message is thinking, text and calls, each at most once and in this order, and nothing more.
func simple(m providers.Message) bool {
	stage := 0
	for _, p := range m.Parts {
		var at int
		switch p := p.(type) {
		case providers.Reasoning:
			if at = 1; p.Raw != nil {
				return false
			}
		case providers.Text:
			at = 2
		case providers.ToolCall:
			at = 3
		default:
			return false
		}
		if at < stage || at == stage && at != 3 {
			return false
		}
		stage = at
	}
	return true
}

// parts is the whole message, its calls being those that were renumbered.
func (s *scrubber) parts(m providers.Message, calls []providers.ToolCall) json.RawMessage {
	out := providers.Message{Role: m.Role}
	for _, p := range m.Parts {
		if _, ok := p.(providers.ToolCall); ok {
			p, calls = calls[0], calls[1:]
		}
		out.Parts = append(out.Parts, p)
	}
	var form struct {
		Parts json.RawMessage `json:"parts"`
	}
	_ = json.Unmarshal(compact(out), &form) // it was just written
	return eachText(form.Parts, s.stored)
}

// response is a stored answer on this machine.
func (s *scrubber) response(a *answer) (*providers.Response, error) {
	r := &providers.Response{Finish: a.Finish, Usage: providers.Usage(a.Usage), Candidate: a.Candidate, Provider: a.Provider, Model: a.Model, Rule: a.Rule}
	if a.Provider == "" && a.Model == "" {
		r.Provider, r.Model = split(a.Candidate)
	}
	r.Message.Role = providers.Assistant
	if a.Parts != nil {
		err := json.Unmarshal(compact(map[string]json.RawMessage{"role": compact(providers.Assistant), "parts": eachText(a.Parts, s.restored)}), &r.Message)
		return r, err
	}
	if a.Thinking != "" {
		r.Message.Parts = append(r.Message.Parts, providers.Reasoning{Text: s.restored(a.Thinking)})
	}
	if a.Text != "" {
		r.Message.Parts = append(r.Message.Parts, providers.Text{Text: s.restored(a.Text)})
	}
	for _, c := range a.Calls {
		r.Message.Parts = append(r.Message.Parts, providers.ToolCall{ID: c.ID, Name: c.Name, Args: eachText(c.Input, s.restored)})
	}
	return r, nil
}

func split(candidate string) (provider, model string) {
	provider, model, _ = strings.Cut(candidate, "/")
	return provider, model
}

// pieces streams an answer in its recorded pieces; what a changed text has more comes as one last piece of its kind.
func pieces(m providers.Message, chunks []int, emit func(providers.Delta) error) error {
	var thinking string
	for _, p := range m.Parts {
		if r, ok := p.(providers.Reasoning); ok {
			thinking += r.Text
		}
	}
	chunks, err := stream(thinking, chunks, func(s string) error { return emit(providers.Delta{Reasoning: s}) })
	if err != nil {
		return err
	}
	_, err = stream(m.Text(), chunks, func(s string) error { return emit(providers.Delta{Text: s}) })
	return err
}

func stream(text string, chunks []int, send func(string) error) (rest []int, err error) {
	for text != "" {
		end := len(text)
		if len(chunks) > 0 {
			end = offset(text, chunks[0])
			chunks = chunks[1:]
		}
		if end == 0 {
			continue
		}
		if err := send(text[:end]); err != nil {
			return nil, err
		}
		text = text[end:]
	}
	return chunks, nil
}

// offset is where the first n characters of a text end.
func offset(text string, n int) int {
	for i := range text {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(text)
}

// characters counts what chunks are measured in.
func characters(s string) int { return utf8.RuneCountInString(s) }
