package cassette

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
)

// The codes of the invalid_request errors of a replay.
const (
	CodeMiss   = "cassette_miss"   // no entry answers; Error.Hint shows the nearest one as a diff
	CodeBroken = "cassette_broken" // the entry's answer cannot be read
)

// Miss is a call that a tape has no answer for.
type Miss struct {
	Agent   string
	Call    int      // of the agent, from 1
	Changed []string // what differs from the nearest entry: prompt, tools, model, …; empty = the tape has none, or is spent
	Nearest string   // place of that entry, file:line; "" = none
	Text    string   // all of it, with the difference
}

// Missed is the first call that the tape had no answer for; nil = none.
func (t *Tape) Missed() *Miss {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.missed
}

// miss is a call without an entry.
func (p *play) miss(ctx context.Context) (*providers.Response, error) {
	m := p.tape.explain(p.request, p.models, p.req.Caller)
	p.tape.mu.Lock()
	if p.tape.missed == nil {
		p.tape.missed = m
	}
	p.tape.mu.Unlock()
	return p.end(ctx, nil, p.failure(providers.KindInvalidRequest, CodeMiss, m.Text))
}

func (t *Tape) where(e *entry) string { return fmt.Sprintf("%s:%d", t.book.path, e.line) }

// explain says what was asked and what the most similar recorded request has in other words.
func (t *Tape) explain(r *request, models []string, who providers.Caller) *Miss {
	entries := t.book.entries()
	m := &Miss{Agent: who.Agent, Call: who.Turn}
	head := fmt.Sprintf("%s has no answer for call %d of agent %q (key %s)", t.book.path, who.Turn, who.Agent, r.key())
	const again = "; run it with --record to add it"
	if same := t.lines(entries, r.key()); same != "" {
		if other := others(entries, r.key(), models); other != "" {
			m.Changed = []string{"model"}
			m.Text = head + " of " + strings.Join(models, ", ") + ": what is recorded (" + same + ") is of " + other + again
			return m
		}
		m.Text = head + ": each entry with this key has answered once (" + same + ")" + again
		return m
	}
	nearest := nearest(entries, r, who.Agent)
	if nearest == nil {
		m.Text = head + ": it is empty" + again
		return m
	}
	m.Nearest, m.Changed = t.where(nearest), r.differs(nearest.request)
	m.Text = head + again + ".\nThe nearest entry is at " + m.Nearest + " (- recorded, + asked):\n" +
		strings.Join(around(difflines(nearest.request.lines(), r.lines())), "\n")
	return m
}

// others are the models of the entries with a key, where none has the models that are asked.
func others(entries []*entry, key string, models []string) string {
	var names []string
	for _, e := range entries {
		if e.key != key && e.made != key {
			continue
		}
		if slices.Equal(e.models, models) {
			return ""
		}
		if name := strings.Join(e.models, ", "); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// differs names the parts in which a request is not like another one.
func (r *request) differs(from *request) []string {
	var parts []string
	if r.System != from.System {
		parts = append(parts, "the agent's prompt")
	}
	if string(compact(r.Tools)) != string(compact(from.Tools)) {
		parts = append(parts, "tools")
	}
	if string(r.Parameters) != string(from.Parameters) {
		parts = append(parts, "parameters")
	}
	for i, m := range r.Messages {
		if i >= len(from.Messages) || string(compact(m)) != string(compact(from.Messages[i])) {
			switch {
			case len(m.Results) > 0:
				return append(parts, "the result of a tool")
			case m.Role == providers.User:
				return append(parts, "the prompt")
			}
			return append(parts, "the conversation")
		}
	}
	if len(from.Messages) != len(r.Messages) {
		parts = append(parts, "the conversation")
	}
	return parts
}

// nearest is the entry of the agent, or else of any, that has the most lines in common with a request.
func nearest(entries []*entry, r *request, agent string) *entry {
	asked := map[string]int{}
	for _, l := range r.lines() {
		asked[l]++
	}
	var found *entry
	best := 0
	for _, e := range entries {
		distance := 0
		left := maps.Clone(asked)
		for _, l := range e.request.lines() {
			if left[l]--; left[l] < 0 {
				distance++
			}
		}
		for _, n := range left {
			distance += max(0, n)
		}
		better := distance < best
		if found != nil && (e.agent == agent) != (found.agent == agent) {
			better = e.agent == agent
		}
		if found == nil || better {
			found, best = e, distance
		}
	}
	return found
}

// lines are the places of the entries with a key.
func (t *Tape) lines(entries []*entry, key string) string {
	var at []string
	for _, e := range entries {
		if e.key == key || e.made == key {
			at = append(at, t.where(e))
		}
	}
	return strings.Join(at, ", ")
}

// lines are the request for reading: what it has, each line with the name of its part, JSON indented.
func (r *request) lines() []string {
	var out []string
	add := func(head, text string) {
		if text == "" {
			return
		}
		for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			out = append(out, head+l)
		}
	}
	add("system: ", r.System)
	for _, t := range r.Tools {
		add("tool "+t.Name+": ", t.Description)
		add("tool "+t.Name+" input: ", indented(t.InputSchema))
	}
	add("parameters: ", indented(r.Parameters))
	for _, m := range r.Messages {
		head := string(m.Role)
		add(head+" thinking: ", m.Thinking)
		add(head+": ", m.Text)
		for _, b := range m.Blobs {
			add(head+" blob: ", b.MediaType+" "+b.SHA256+b.URL)
		}
		for _, c := range m.Calls {
			add(head+" call "+c.Name+": ", indented(c.Input))
		}
		for _, res := range m.Results {
			name := "result"
			if res.Error {
				name = "failure"
			}
			add(name+" of "+res.Name+": ", res.Text+"\n")
		}
	}
	return out
}

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return b.String()
}
