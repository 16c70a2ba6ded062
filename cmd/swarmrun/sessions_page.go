package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/internal/page"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/session"
)

//go:embed pages/session.html
var sessionHTML string

//go:embed pages/session.css
var sessionCSS string

// sessionPage is a session as its page shows it.
type sessionPage struct {
	page.Frame
	Target  string
	Facts   []string
	Entries []*pageEntry

	calls map[callKey]*pagePart // without a result so far
}

type pageEntry struct {
	Time, When        string
	Who, Agent, Class string
	Turn              int
	Parts             []*pagePart
}

// pagePart is a text, one that is folded away, or a call with its result.
type pagePart struct {
	Text, Folded     string
	Call, Line       string
	Answered, Failed bool
	Result           string
}

// callKey names a call: models use ids again in another run.
type callKey struct{ run, agent, id string }

// writeSessionPage writes a session as one page.
func writeSessionPage(w io.Writer, s *session.Stored) error {
	sum := s.Summary()
	p := &sessionPage{
		Frame: page.New(s.Head.Target+" · session "+s.Head.ID, sessionCSS, ""), Target: s.Head.Target, calls: map[callKey]*pagePart{},
		Facts: []string{s.Head.Created.UTC().Format("2 January 2006, 15:04 UTC"), s.Head.Workspace, "session " + s.Head.ID,
			plural(sum.Turns, "turn"), tokens(sum.Usage.Tokens()) + " tokens", money(sum.Usage)},
	}
	if from := s.Head.ForkedFrom; from != nil {
		p.Facts = append(p.Facts, forkedFrom(from))
	}
	turns := 0
	for i := range s.Records {
		r := &s.Records[i]
		e := p.entry(r)
		if e == nil {
			continue
		}
		if r.Answer() {
			turns++
			e.Turn = turns
		}
		p.Entries = append(p.Entries, e)
	}
	return page.Write(w, sessionHTML, p)
}

// entry is what a record adds to the page; nil for what stands with a call, and for the bookkeeping between.
func (p *sessionPage) entry(r *session.Record) *pageEntry {
	e := &pageEntry{Time: r.Time.UTC().Format(time.RFC3339), When: r.Time.UTC().Format(time.TimeOnly), Agent: r.Agent}
	if n := strings.Count(r.Agent, "@"); n > 0 {
		e.Class = "d" + string('0'+rune(min(n, 3)))
	}
	switch {
	case r.Type == session.Message && r.Message != nil:
		e.Who = string(r.Message.Role)
		if r.Message.Role == providers.User {
			e.Class += " user"
		}
		for _, part := range r.Message.Parts {
			e.Parts = append(e.Parts, p.part(r, part)...)
		}
	case r.Type == session.ToolResult:
		key := callKey{r.Run, r.Agent, r.ToolCallID}
		call := p.calls[key]
		delete(p.calls, key)
		if call == nil {
			call = &pagePart{Call: r.Tool}
			e.Who, e.Parts = "tool", []*pagePart{call}
		}
		call.Answered, call.Failed, call.Result = true, r.IsError, r.Content
	case r.Type == session.RunStop && r.Result != nil && !r.Delegated():
		res := *r.Result
		res.Session = "" // the page says it
		e.Who, e.Class, e.Parts = "end", "end", []*pagePart{{Text: summary(&res)}}
		if !res.OK {
			e.Class, e.Parts[0].Text = "end bad", failureText(&res, nil)
		}
	case r.Type == session.Compacted:
		e.Who = "compacted"
		for _, m := range r.Messages {
			for _, part := range m.Parts {
				if text := partText(part); text != "" {
					e.Parts = append(e.Parts, &pagePart{Folded: "in place of " + plural(r.Replaces, "message"), Text: text})
				}
			}
		}
	case r.Type == session.Cleared && !r.Apart:
		e.Who, e.Parts = "cleared", []*pagePart{{Text: "What was said before is no longer part of the conversation."}}
	}
	if e.Who == "" {
		return nil
	}
	return e
}

// part is a part of a message.
func (p *sessionPage) part(r *session.Record, part providers.Part) []*pagePart {
	switch part := part.(type) {
	case providers.ToolCall:
		call := &pagePart{Call: part.Name, Line: cut(printable.Line(string(part.Args)), 200), Text: indented(part.Args)}
		p.calls[callKey{r.Run, r.Agent, part.ID}] = call
		return []*pagePart{call}
	case providers.Reasoning:
		if part.Text == "" {
			return nil
		}
		return []*pagePart{{Folded: "thinking", Text: part.Text}}
	}
	if text := partText(part); text != "" {
		return []*pagePart{{Text: text}}
	}
	return nil
}

// indented is JSON for a person; what is none stays as it is.
func indented(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return b.String()
}
