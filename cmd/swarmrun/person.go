package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/tools"
)

// person asks whoever sits at the terminal. Questions come one at a time, whoever asks; silence, end of input and
// cancellation refuse.
type person struct {
	in     io.Reader
	screen *screen
	keep   func(rule, comment string) error                                         // writes down an "always"; nil = it is not offered
	prompt func(ctx context.Context, q tools.Question, always bool) (string, error) // nil = lines of in and screen
	told   func(string)                                                             // what went wrong; nil = a line of screen

	mu      sync.Mutex
	lines   chan string
	allowed map[string]bool // "this run" answers, by rule and tool, or by what was asked
}

// keeper writes down answers that always hold in a workspace.
func keeper(root string) func(rule, comment string) error {
	return func(rule, comment string) error {
		_, err := loader.KeepRule(root, "", rule, comment)
		return err
	}
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
	always := q.Always != "" && p.keep != nil
	ask := p.prompt
	if ask == nil {
		ask = p.readAnswer
	}
	said, err := ask(ctx, q, always)
	if err != nil {
		return tools.Refuse, err
	}
	switch strings.ToLower(strings.TrimSpace(said)) {
	case "y", "yes":
		return tools.Once, nil
	case "r", "run":
		if p.allowed == nil {
			p.allowed = map[string]bool{}
		}
		p.allowed[key] = true
		return tools.ThisRun, nil
	case "a", "always":
		if !always {
			return tools.Refuse, nil
		}
		if err := p.keep(q.Always, "agent "+q.Agent); err != nil {
			p.tell("it goes this time, but the rule could not be written: " + printable.Line(err.Error()))
			return tools.Once, nil
		}
		return tools.Always, nil
	}
	return tools.Refuse, nil
}

func (p *person) tell(text string) {
	if p.told != nil {
		p.told(text)
		return
	}
	p.screen.line("  " + text)
}

// put writes the question.
func (p *person) put(q tools.Question, always bool) {
	p.screen.line(fmt.Sprintf("? %s wants to use %s: %s", printable.Line(q.Agent), printable.Line(q.Tool), printable.Line(q.Text)))
	if q.Rule != "" {
		p.screen.line("  asked because of the rule " + printable.Line(q.Rule))
	}
	if always {
		p.screen.line("  y = yes, once · r = yes, for this run · a = yes, always: " + printable.Line(q.Always) + " · anything else = no")
	} else {
		p.screen.line("  y = yes, once · r = yes, for this run · anything else = no")
	}
}

// readAnswer takes the next line; "" at the end of the input.
func (p *person) readAnswer(ctx context.Context, q tools.Question, always bool) (string, error) {
	if p.lines == nil {
		p.lines = make(chan string)
		go p.read()
	}
	p.put(q, always)
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case line := <-p.lines:
		return line, nil
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
