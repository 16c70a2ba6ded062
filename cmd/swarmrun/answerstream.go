package main

import (
	"strings"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner/event"
)

// answerStream is stdout in text format. On a terminal the target's answer streams as it comes; elsewhere it is written whole
// at the end, so that a failed run leaves stdout empty.
type answerStream struct {
	screen *screen
	live   bool
	seen   strings.Builder // text of the target's turn at hand
	wrote  bool            // something of it is on the terminal
}

func (s *answerStream) event(e event.Event) error {
	if e.Head().Depth > 0 {
		return nil
	}
	switch e := e.(type) {
	case *event.ContentChunk:
		s.seen.WriteString(e.Content)
		if !s.live {
			return nil
		}
		s.wrote = true
		return s.screen.out(printable.Text(e.Content))
	case *event.ToolCall, *event.Delegation, *event.OutputRepair: // what was said so far was not the answer yet
		s.seen.Reset()
		return s.screen.newline()
	}
	return nil
}

// finish writes what is missing of the answer, or says that it is incomplete.
func (s *answerStream) finish(res *event.Result) error {
	if !res.OK {
		return s.incomplete()
	}
	text := res.Text()
	if !s.live {
		return s.screen.out(strings.TrimRight(text, "\n") + "\n")
	}
	if strings.TrimSpace(s.seen.String()) == strings.TrimSpace(text) && s.wrote {
		return s.screen.newline()
	}
	return s.screen.out(strings.TrimRight(printable.Text(text), "\n") + "\n")
}

// incomplete marks a partial answer: on the terminal behind what is there, elsewhere on stderr.
func (s *answerStream) incomplete() error {
	text := strings.TrimSpace(s.seen.String())
	if text == "" {
		return nil
	}
	if !s.live {
		s.screen.line(printable.Text(text))
	}
	s.screen.line("[the answer is incomplete]")
	return nil
}
