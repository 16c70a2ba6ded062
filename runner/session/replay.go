package session

import (
	"slices"

	"github.com/swarmrun/swarmrun/providers"
)

// unknown is the result of a call that was begun and has none.
const unknown = "Result unknown: the program ended while this call was running. Side effects are possible; check before you repeat it."

// History is what the records of a session come to.
type History struct {
	// Conversations are the messages by agent, without those of runs that had one of their own.
	Conversations map[string][]providers.Message
	// Open are the calls at the end of the conversations that have no result: those that were begun are told as unknown in
	// Conversations, those that were not are gone from them.
	Open []OpenCall
}

// OpenCall is a call that a crash left without a result.
type OpenCall struct {
	Agent, Tool string
	Begun       bool
}

// Replay folds records into conversations. No call is left without a result, and nothing is to be run again.
func Replay(rs []Record) *History {
	f := fold{}
	for i := range rs {
		f.add(&rs[i])
	}
	h := &History{Conversations: make(map[string][]providers.Message, len(f))}
	for _, key := range f.sorted() {
		b := f[key]
		open := b.settle()
		if key.run != "" {
			continue
		}
		h.Conversations[key.agent] = b.messages
		for _, o := range open {
			o.Agent = key.agent
			h.Open = append(h.Open, o)
		}
	}
	return h
}

// place is where a message belongs: run is set for a conversation apart only.
type place struct{ agent, run string }

type fold map[place]*branch

// branch is a conversation while it is read. The calls are those of its last message.
type branch struct {
	messages []providers.Message
	calls    []providers.ToolCall
	begun    map[string]bool
	results  map[string]providers.ToolResult
}

func (f fold) sorted() []place {
	var keys []place
	for k := range f {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b place) int {
		if a.agent != b.agent {
			if a.agent < b.agent {
				return -1
			}
			return 1
		}
		if a.run < b.run {
			return -1
		}
		return 1
	})
	return keys
}

func (f fold) of(r *Record) *branch {
	if b, ok := f[place{r.Agent, r.Run}]; ok {
		return b
	}
	key := place{agent: r.Agent}
	b, ok := f[key]
	if !ok {
		b = &branch{}
		f[key] = b
	}
	return b
}

func (f fold) add(r *Record) {
	switch r.Type {
	case Message:
		if r.Message == nil {
			return
		}
		b := f.of(r)
		b.settle()
		b.messages = append(b.messages, *r.Message)
		b.calls = r.Message.ToolCalls()
		b.begun, b.results = map[string]bool{}, map[string]providers.ToolResult{}
	case Started:
		if b := f.of(r); b.begun != nil {
			b.begun[r.ToolCallID] = true
		}
	case ToolResult:
		if b := f.of(r); b.results != nil {
			b.results[r.ToolCallID] = providers.ToolResult{
				CallID: r.ToolCallID, Name: r.Tool, Content: r.Content, IsError: r.IsError, Blobs: r.Blobs,
			}
		}
	case Compacted, Repaired:
		b := f.of(r)
		b.settle()
		rest := b.messages[min(max(r.Replaces, 0), len(b.messages)):]
		b.messages = slices.Concat(r.Messages, rest)
	case Cleared:
		if r.Apart {
			f[place{r.Agent, r.Run}] = &branch{}
		} else {
			f[place{agent: r.Agent}] = &branch{}
		}
	}
}

// settle closes the calls of the last message: results in the order of the calls, unknown for what was begun; what was not
// begun was never asked.
func (b *branch) settle() []OpenCall {
	if len(b.calls) == 0 {
		return nil
	}
	var open []OpenCall
	var parts []providers.Part
	dropped := map[string]bool{}
	for _, c := range b.calls {
		result, ok := b.results[c.ID]
		if !ok {
			open = append(open, OpenCall{Tool: c.Name, Begun: b.begun[c.ID]})
			if !b.begun[c.ID] {
				dropped[c.ID] = true
				continue
			}
			result = providers.ToolResult{CallID: c.ID, Name: c.Name, Content: unknown, IsError: true}
		}
		parts = append(parts, result)
	}
	if len(dropped) > 0 {
		b.drop(dropped)
	}
	if len(parts) > 0 {
		b.messages = append(b.messages, providers.Message{Role: providers.Tool, Parts: parts})
	}
	b.calls = nil
	return open
}

// drop takes calls out of the last message, and the message too when nothing is left to say.
func (b *branch) drop(ids map[string]bool) {
	last := &b.messages[len(b.messages)-1]
	kept := slices.DeleteFunc(slices.Clone(last.Parts), func(p providers.Part) bool {
		c, ok := p.(providers.ToolCall)
		return ok && ids[c.ID]
	})
	says := slices.ContainsFunc(kept, func(p providers.Part) bool {
		switch p.(type) {
		case providers.Reasoning, providers.Opaque:
			return false
		}
		return true
	})
	if says {
		last.Parts = kept
	} else {
		b.messages = b.messages[:len(b.messages)-1]
	}
}
