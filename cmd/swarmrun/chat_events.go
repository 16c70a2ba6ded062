package main

import (
	"time"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools/builtin"
)

// event brings the screen up to date.
func (s *chatScreen) event(e event.Event) {
	h := e.Head()
	lines := s.progress.take(e)
	switch e := e.(type) {
	case *event.RunStart:
		s.gen = h.Generation
	case *event.AgentStart:
		if h.Depth == 0 {
			s.model = e.Model
		}
	case *event.UserPrompt:
		if h.Depth == 0 && e.Source != "user" {
			s.finishOpen(h.Run)
			s.say(e.Prompt)
		}
	case *event.ThinkingChunk:
		s.grow(h, blockThinking).say(e.Content)
	case *event.ContentChunk:
		if h.Depth == 0 {
			s.grow(h, blockAnswer).say(printable.Text(e.Content))
		}
	case *event.AgentStep:
		s.step(h, e)
	case *event.ToolCall:
		s.finishOpen(h.Run)
		s.calls[h.Run+" "+e.ToolCallID] = s.add(&chatBlock{
			kind: blockCall, agent: h.Agent, depth: h.Depth, tool: e.Tool, subject: subjectOf(e.Arguments), began: time.Now(),
			edits: editsOf(e.Tool, e.Arguments),
		})
	case *event.ToolResult:
		s.result(h.Run+" "+e.ToolCallID, e.Result, e.DurationMS, e.IsError)
	case *event.Delegation:
		s.finishOpen(h.Run)
		s.calls[h.Run+" "+e.ToolCallID] = s.add(&chatBlock{
			kind: blockCall, agent: h.Agent, depth: h.Depth, tool: "→ " + e.DelegateTo, subject: e.Message, began: time.Now(),
		})
	case *event.DelegationResult:
		s.result(h.Run+" "+e.ToolCallID, e.Result, e.DurationMS, e.IsError)
	case *event.Lower:
		if t, ok := e.Note.(builtin.TodoChanged); ok {
			s.todos = t.Todos
			return
		}
		s.notices(lines)
	default:
		s.notices(lines)
	}
}

func (s *chatScreen) notices(lines []string) {
	for _, line := range lines {
		s.notice(line)
	}
}

// grow is the block of a run that text is added to.
func (s *chatScreen) grow(h *event.Header, kind blockKind) *chatBlock {
	if b := s.open[h.Run]; b != nil {
		if b.kind == kind {
			return b
		}
		b.finish()
	}
	b := s.add(&chatBlock{kind: kind, agent: h.Agent, depth: h.Depth})
	s.open[h.Run] = b
	return b
}

// finishOpen ends the text of a run that grows; "" = of every run.
func (s *chatScreen) finishOpen(run string) {
	for id, b := range s.open {
		if run == "" || id == run {
			b.finish()
			delete(s.open, id)
		}
	}
}

// step takes over what an answer cost, and its text where it did not stream.
func (s *chatScreen) step(h *event.Header, e *event.AgentStep) {
	s.usage = s.usage.Add(e.Usage)
	if h.Depth > 0 {
		s.finishOpen(h.Run)
		return
	}
	s.window = e.Context
	if b := s.open[h.Run]; e.Content != "" && (b == nil || b.kind != blockAnswer) {
		s.grow(h, blockAnswer).say(printable.Text(e.Content))
	}
	s.finishOpen(h.Run)
}

// result ends a call.
func (s *chatScreen) result(id, text string, ms int64, failed bool) {
	b := s.calls[id]
	if b == nil {
		return
	}
	delete(s.calls, id)
	b.result, b.ms, b.failed = text, ms, failed
	if failed {
		b.edits = nil // it did not happen
	}
	b.finish()
}
