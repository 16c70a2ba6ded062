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

// miss is a call without an entry.
func (p *play) miss(ctx context.Context) (*providers.Response, error) {
	return p.end(ctx, nil, p.failure(providers.KindInvalidRequest, CodeMiss, p.tape.explain(p.request, p.req.Caller)))
}

func (t *Tape) where(e *entry) string { return fmt.Sprintf("%s:%d", t.path, e.line) }

// explain says what was asked and what the most similar recorded request has in other words.
func (t *Tape) explain(r *request, who providers.Caller) string {
	t.mu.Lock()
	entries := slices.Clone(t.rec.entries)
	t.mu.Unlock()
	head := fmt.Sprintf("%s has no answer for call %d of agent %q (key %s)", t.path, who.Turn, who.Agent, r.key())
	const again = "; run it with --record to add it"
	if same := t.lines(entries, r.key()); same != "" {
		return head + ": each entry with this key has answered once (" + same + ")" + again
	}
	nearest := nearest(entries, r, who.Agent)
	if nearest == nil {
		return head + ": it is empty" + again
	}
	return head + again + ".\nThe nearest entry is at " + t.where(nearest) + " (- recorded, + asked):\n" +
		strings.Join(around(difflines(nearest.request.lines(), r.lines())), "\n")
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
