package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/mcp"
)

// progress tells on stderr what is going on: a live line on a terminal, and one plain line for each thing that was done.
type progress struct {
	screen  *screen
	verbose bool
	quit    chan struct{}
	done    sync.WaitGroup
	stopped sync.Once

	mu      sync.Mutex
	began   time.Time
	agent   string
	doing   string
	since   time.Time
	usage   event.Usage
	subject map[string]string // of calls that run, by id
}

func newProgress(s *screen, verbose bool) *progress {
	now := time.Now()
	p := &progress{screen: s, verbose: verbose, quit: make(chan struct{}), began: now, since: now, subject: map[string]string{}}
	if s.live {
		p.done.Go(p.tick)
	}
	return p
}

// tick keeps the seconds of the live line going.
func (p *progress) tick() {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-t.C:
			p.screen.status(p.status)
		}
	}
}

func (p *progress) stop() {
	p.stopped.Do(func() {
		close(p.quit)
		p.done.Wait()
		p.screen.clear()
	})
}

// status is the live line: agent, what it does, seconds, tokens, money. In a line of n characters what it does is cut first.
func (p *progress) status(n int) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	spin := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	head := string(spin[time.Since(p.began).Milliseconds()/100%int64(len(spin))]) + " " + p.agent + " · "
	tail := fmt.Sprintf(" · %.0f s", time.Since(p.since).Seconds())
	if t := p.usage.Tokens(); t > 0 {
		tail += " · " + tokens(t) + " tokens · " + money(p.usage)
	}
	room := n - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return cut(head+cut(p.doing, max(room, 8))+tail, n)
}

func (p *progress) event(e event.Event) {
	p.mu.Lock()
	lines := p.take(e)
	p.mu.Unlock()
	for _, l := range lines {
		p.screen.line(l)
	}
}

// take brings the state up to date and returns the lines that the event is worth.
func (p *progress) take(e event.Event) []string {
	h := e.Head()
	switch e := e.(type) {
	case *event.AgentStart:
		p.now(h.Agent, "thinking")
	case *event.AgentStep:
		p.usage = p.usage.Add(e.Usage)
		p.now(h.Agent, "working")
	case *event.ToolCall:
		subject := subjectOf(e.Arguments)
		p.subject[e.ToolCallID] = subject
		p.now(h.Agent, strings.TrimSpace(printable.Line(e.Tool)+" "+subject))
	case *event.ToolResult:
		p.now(h.Agent, "thinking")
		return p.result(e)
	case *event.Delegation:
		p.subject[e.ToolCallID] = ""
		p.now(h.Agent, "asks "+e.DelegateTo)
		return []string{p.act(h, "→", "asks "+printable.Line(e.DelegateTo), "")}
	case *event.DelegationResult:
		p.now(h.Agent, "thinking")
		return []string{p.act(h, mark(e.IsError), printable.Line(e.DelegateFrom)+" "+word(e.IsError, "failed", "answered"), took(e.DurationMS))}
	case *event.PermissionDenied:
		return []string{p.act(h, "✗", printable.Line(e.Tool)+" was refused: "+e.Why, printable.Line(e.Rule+" "+e.Place))}
	case *event.LimitWarning:
		return []string{p.act(h, "!", fmt.Sprintf("%s: %.4g of %.4g used", e.Limit, e.Used, e.Max), "")}
	case *event.OutputRepair:
		return []string{p.act(h, "!", "the answer does not match its schema; asking once more", "")}
	case *event.ContextCompacted:
		return []string{p.act(h, "!", fmt.Sprintf("conversation compacted from %s to %s tokens", tokens(e.Before), tokens(e.After)), "")}
	case *event.HookExecuted:
		return p.hook(h, e)
	case *event.Warning:
		return []string{p.act(h, "!", printable.Line(e.Message), "")}
	case *event.UserPrompt:
		if p.verbose {
			return []string{p.act(h, "<", printable.Text(e.Prompt), "")}
		}
	case *event.Lower:
		return p.lower(h, e)
	}
	return nil
}

// hook tells of a hook that decided something; of the others with -v.
func (p *progress) hook(h *event.Header, e *event.HookExecuted) []string {
	if e.Decision == "continue" && !p.verbose {
		return nil
	}
	text := "hook " + printable.Line(e.Hook) + " on " + e.HookEvent + ": " + e.Decision
	if e.Message != "" {
		text += ", " + cut(printable.Line(e.Message), 200)
	}
	out := []string{p.act(h, mark(e.Decision == "failed" || e.Decision == "halt"), text, took(e.DurationMS))}
	for _, s := range []string{e.Stdout, e.Stderr} {
		if p.verbose && s != "" {
			out = append(out, printable.Text(s))
		}
	}
	return out
}

func (p *progress) now(agent, doing string) {
	agent, doing = printable.Line(agent), printable.Line(doing)
	if p.agent != agent || p.doing != doing {
		p.agent, p.doing, p.since = agent, doing, time.Now()
	}
}

func (p *progress) result(e *event.ToolResult) []string {
	subject := p.subject[e.ToolCallID]
	delete(p.subject, e.ToolCallID)
	out := []string{p.act(e.Head(), mark(e.IsError), strings.TrimSpace(printable.Line(e.Tool)+" "+subject), took(e.DurationMS))}
	if p.verbose {
		out = append(out, printable.Text(e.Result))
	}
	return out
}

// lower tells of what happens below a model call, as far as a person waits for it.
func (p *progress) lower(h *event.Header, e *event.Lower) []string {
	switch n := e.Note.(type) {
	case mcp.InitStart:
		p.now(h.Agent, "starts the MCP server "+n.ServerName)
	case mcp.InitComplete:
		if !n.OK {
			return []string{p.act(h, "!", printable.Line("the MCP server "+n.ServerName+" does not start, so its tools are absent: "+n.Message), "")}
		}
	case mcp.Stopped:
		return []string{p.act(h, "!", printable.Line("the MCP server "+n.ServerName+" ended by itself"), "")}
	case tools.Progress:
		p.now(h.Agent, strings.TrimSpace(n.Tool+" "+n.Message))
	case providers.RetryWait:
		wait := time.Duration(n.MS) * time.Millisecond
		text := fmt.Sprintf("%s, trying again in %s (%d of %d)", failureWords(n.Kind), seconds(wait), n.N, n.Of)
		p.now(h.Agent, text)
		return []string{p.act(h, "!", text, "")}
	case providers.FellBack:
		return []string{p.act(h, "!", fmt.Sprintf("%s: %s, asking %s", printable.Line(n.From), failureWords(n.Kind), printable.Line(n.To)), "")}
	}
	return nil
}

// seconds is a wait as people say it.
func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// failureWords is a kind of failure in words.
func failureWords(k providers.Kind) string {
	switch k {
	case providers.KindRateLimit:
		return "rate limited"
	case providers.KindTransport:
		return "no connection"
	case providers.KindTimeout:
		return "no answer in time"
	case providers.KindServer:
		return "the server failed"
	case providers.KindAuth:
		return "no valid key"
	case providers.KindNotFound:
		return "the model was not found"
	}
	return strings.ReplaceAll(string(k), "_", " ")
}

// act is one line: how it went, who, what, and something in parentheses.
func (p *progress) act(h *event.Header, mark, what, more string) string {
	color := map[string]string{"✓": "32", "✗": "31", "!": "33"}[mark]
	line := strings.Repeat("  ", h.Depth) + p.screen.style(color, mark) + " " + p.screen.style("1", printable.Line(h.Agent)) + " " + what
	if more != "" {
		line += p.screen.style("2", " ("+more+")")
	}
	return line
}

func mark(failed bool) string { return word(failed, "✗", "✓") }

func word(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

// subjectOf is what a call is about, from its arguments: a path, a pattern, a command or an address; never contents.
func subjectOf(args json.RawMessage) string {
	var in map[string]json.RawMessage
	if json.Unmarshal(args, &in) != nil {
		return ""
	}
	for _, key := range []string{"file_path", "path", "command", "pattern", "url", "file", "name"} {
		var s string
		if json.Unmarshal(in[key], &s) == nil && s != "" {
			return cut(printable.Line(s), 72)
		}
	}
	return ""
}

func took(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// tokens is a number with thousands apart.
func tokens(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func money(u event.Usage) string {
	if u.Unpriced {
		return "cost unknown"
	}
	return fmt.Sprintf("$%.4f", u.Cost)
}
