package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/tools"
)

// Fill puts the questions of a form, one line each. An empty line takes the default; a required answer that is missing, the
// end of input and a word that is no choice end it without an answer.
func (p *person) Fill(ctx context.Context, q tools.Question, fields []tools.FormField) (map[string]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines == nil {
		p.lines = make(chan string)
		go p.read()
	}
	p.screen.line(fmt.Sprintf("? %s, %s: %s", printable.Line(q.Agent), printable.Line(q.Tool), printable.Line(q.Text)))
	p.screen.line("  never give it a password or a key; an empty line where a value is needed says no")
	out := map[string]string{}
	for _, f := range fields {
		p.screen.line("  " + question(f))
		var line string
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case text, open := <-p.lines:
			if !open {
				return nil, nil
			}
			line = strings.TrimSpace(text)
		}
		switch {
		case line == "" && f.Default != "":
			line = f.Default
		case line == "" && f.Required, line != "" && len(f.Choices) > 0 && !slices.Contains(f.Choices, line):
			return nil, nil
		case line == "":
			continue
		}
		if f.Type == "boolean" {
			line = fmt.Sprint(slices.Contains([]string{"y", "yes", "true"}, strings.ToLower(line)))
		}
		out[f.Name] = line
	}
	return out, nil
}

// question is a field as one line.
func question(f tools.FormField) string {
	text := printable.Line(f.Name)
	if f.Text != f.Name {
		text += ": " + printable.Line(f.Text)
	}
	switch {
	case len(f.Choices) > 0:
		text += " (" + printable.Line(strings.Join(f.Choices, ", ")) + ")"
	case f.Type == "boolean":
		text += " (y or n)"
	case f.Type != "string":
		text += " (" + f.Type + ")"
	}
	if f.Default != "" {
		text += " [" + printable.Line(f.Default) + "]"
	}
	return text
}
