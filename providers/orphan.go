package providers

import "strings"

// Journal is what a run knows of the tool calls in a request's history. Both methods are called at most once per call of
// a chain and question.
type Journal interface {
	// Started tells whether the tool call had begun to act.
	Started(callID string) bool
	// Repaired takes the repaired history, to be kept instead of the request's. On an error nothing is resent.
	Repaired(messages []Message) error
}

// RepairOrphans is the request with a history in which every tool call has its result and every result its call, and what
// was changed; nil, nil when there is nothing to repair. A call that had started, or of which nothing is known, gets a
// result that says so; one that never started is taken out. The request itself stays as it is.
func RepairOrphans(req *Request) (*Request, *OrphansPruned) {
	r := repair{started: func(string) bool { return true }}
	if req.Journal != nil {
		r.started = req.Journal.Started
	}
	for i := 0; i < len(req.Messages); {
		i = r.exchange(req.Messages, i)
	}
	if r.count == 0 {
		return nil, nil
	}
	fixed := *req
	fixed.Messages = remind(r.out, r.names)
	return &fixed, &OrphansPruned{Count: r.count, Names: r.names}
}

type repair struct {
	started func(string) bool
	out     []Message
	count   int
	names   []string
}

// exchange copies messages[i] and, after an assistant message, its results; it returns the index that follows.
func (r *repair) exchange(messages []Message, i int) int {
	m := messages[i]
	end := i + 1
	if m.Role == Assistant {
		for end < len(messages) && messages[end].Role == Tool {
			end++
		}
		r.assistant(m, messages[i+1:end])
		return end
	}
	r.foreign(m)
	return end
}

// foreign copies a message that no assistant message precedes; results in it answer nothing.
func (r *repair) foreign(m Message) {
	kept := make([]Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		if res, ok := p.(ToolResult); ok {
			r.prune(res.Name)
			continue
		}
		kept = append(kept, p)
	}
	if len(kept) > 0 || len(m.Parts) == 0 {
		r.out = append(r.out, Message{Role: m.Role, Parts: kept})
	}
}

func (r *repair) assistant(m Message, results []Message) {
	open := map[string]bool{}
	for _, c := range m.ToolCalls() {
		open[c.ID] = true
	}
	var answers []Message
	for _, t := range results {
		kept := make([]Part, 0, len(t.Parts))
		for _, p := range t.Parts {
			res, ok := p.(ToolResult)
			if ok && !open[res.CallID] { // without a call, or a second answer
				r.prune(res.Name)
				continue
			}
			delete(open, res.CallID)
			kept = append(kept, p)
		}
		if len(kept) > 0 {
			answers = append(answers, Message{Role: t.Role, Parts: kept})
		}
	}
	kept := make([]Part, 0, len(m.Parts))
	var unknown []Part
	for _, p := range m.Parts {
		c, ok := p.(ToolCall)
		if !ok || !open[c.ID] {
			kept = append(kept, p)
			continue
		}
		r.prune(c.Name)
		if r.started(c.ID) {
			kept = append(kept, p)
			unknown = append(unknown, ToolResult{CallID: c.ID, Name: c.Name, Content: "result unknown; side effects possible", IsError: true})
		}
	}
	if len(kept) > 0 {
		r.out = append(r.out, Message{Role: m.Role, Parts: kept})
	}
	r.out = append(r.out, answers...)
	if len(unknown) > 0 {
		r.out = append(r.out, Message{Role: Tool, Parts: unknown})
	}
}

func (r *repair) prune(name string) {
	r.count++
	r.names = append(r.names, name)
}

// remind ends the history with a note that names the calls and claims nothing about what they did.
func remind(messages []Message, names []string) []Message {
	note := Text{Text: "Note: the history had tool calls without a result, or results without a call (" + strings.Join(names, ", ") +
		"). It was repaired. Whether these calls had an effect is not known; check before you repeat one."}
	if n := len(messages); n > 0 && messages[n-1].Role == User {
		last := messages[n-1]
		last.Parts = append(last.Parts[:len(last.Parts):len(last.Parts)], note)
		return append(messages[:n-1:n-1], last)
	}
	return append(messages, Message{Role: User, Parts: []Part{note}})
}
