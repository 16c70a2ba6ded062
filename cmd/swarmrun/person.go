package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/tools"
)

// person asks whoever sits at the terminal. Questions come one at a time, whoever asks; silence, end of input and
// cancellation refuse.
type person struct {
	in     io.Reader
	screen *screen
	keep   func(rule, comment string) error // writes down an "always"; nil = it is not offered

	mu      sync.Mutex
	lines   chan string
	allowed map[string]bool // "this run" answers, by rule and tool, or by what was asked
}

// Ask puts one question.
func (p *person) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := q.Agent + "\x00" + q.Tool + "\x00" + q.Rule
	if q.Rule == "" {
		key += "\x00" + q.Text // what is asked without a rule is asked for each thing by itself
	}
	if p.allowed[key] {
		return tools.ThisRun, nil
	}
	if p.lines == nil {
		p.lines = make(chan string)
		go p.read()
	}
	p.screen.line(fmt.Sprintf("? %s wants to use %s: %s", clean(q.Agent), clean(q.Tool), clean(q.Text)))
	if q.Rule != "" {
		p.screen.line("  asked because of the rule " + clean(q.Rule))
	}
	always := q.Always != "" && p.keep != nil
	if always {
		p.screen.line("  y = yes, once · r = yes, for this run · a = yes, always: " + clean(q.Always) + " · anything else = no")
	} else {
		p.screen.line("  y = yes, once · r = yes, for this run · anything else = no")
	}
	select {
	case <-ctx.Done():
		return tools.Refuse, context.Cause(ctx)
	case line, open := <-p.lines:
		switch word := strings.ToLower(strings.TrimSpace(line)); {
		case open && (word == "y" || word == "yes"):
			return tools.Once, nil
		case open && (word == "r" || word == "run"):
			if p.allowed == nil {
				p.allowed = map[string]bool{}
			}
			p.allowed[key] = true
			return tools.ThisRun, nil
		case open && always && (word == "a" || word == "always"):
			if err := p.keep(q.Always, "agent "+q.Agent); err != nil {
				p.screen.line("  it goes this time, but the rule could not be written: " + clean(err.Error()))
				return tools.Once, nil
			}
			return tools.Always, nil
		}
		return tools.Refuse, nil
	}
}

// read hands on lines of the terminal until it ends. A read of a terminal cannot be cancelled, so it lives as long as the
// process does.
func (p *person) read() {
	defer close(p.lines)
	for s := bufio.NewScanner(p.in); s.Scan(); {
		p.lines <- s.Text()
	}
}
