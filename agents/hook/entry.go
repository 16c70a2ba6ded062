package hook

import (
	"context"
	"slices"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/hookevent"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
)

// Hook runs once per event. An error is a *Failure, or the cause of a context that ended.
type Hook interface {
	Run(ctx context.Context, in *Input, host Host) (Result, error)
}

// Func is a hook in Go.
type Func func(ctx context.Context, in *Input) Result

// Run calls it.
func (f Func) Run(ctx context.Context, in *Input, _ Host) (Result, error) { return f(ctx, in), nil }

// Host is the run around a hook; nil refuses handlers that need one.
type Host interface {
	// Sample asks a model on the run's budget; nil is the agent's own.
	Sample(ctx context.Context, m providers.Model, system, prompt string) (string, error)
	// RunAgent lets an agent with the reading tools of this one look into a question.
	RunAgent(ctx context.Context, m providers.Model, prompt string) (string, error)
	// CallTool calls a tool of a server that the agent has.
	CallTool(ctx context.Context, server, tool string, input []byte) (string, error)
}

// Aside is a Host that lets hooks run on beside the run.
type Aside interface {
	// Aside starts run, whose result is heard of when it is there.
	Aside(ev Event, name string, run func(ctx context.Context) Result)
}

// Entry is a hook with its conditions.
type Entry struct {
	Name    string
	On      []string // names of events, native ones or those of SwarmSDK and Claude Code
	Match   Matcher
	If      *tools.Rule // that a call must fit
	Hook    Hook
	Timeout time.Duration // 0 = a minute
	OnError string        // what a failure means: deny, allow; "" = deny at gates
	Lenient bool          // of a Claude location: a failure lets go ahead, such entries run side by side
	Async   bool          // it is not waited for: what it says comes later, and decides nothing
	Rewake  bool          // of Async: what it objects to keeps an agent that would stop at work
	Once    bool          // of a skill: it runs once in a conversation
	Always  bool          // Stop and SubagentStop mean every agent, as in an agent's own file
	Origin  diag.Range
}

// Describe says in a word what a hook does, for lists: command, http, prompt, agent, mcp_tool, go.
func (e *Entry) Describe() string {
	if d, ok := e.Hook.(interface{ kind() string }); ok {
		return d.kind()
	}
	return "go"
}

// listens is the name by which the entry hears of an occurrence; false = it does not.
func (e *Entry) listens(in *Input) (string, bool) {
	for _, text := range e.On {
		n, ok := hookevent.Lookup(text)
		if ok && slices.Contains(n.On, string(in.Event)) && (e.Always && stops(n.Text) || in.means(n.Text)) && e.Match.Hits(in.subjects(n.Subject)...) {
			return n.Text, e.fits(in)
		}
	}
	return "", false
}

// stops tells whether a name is about an agent that stops.
func stops(name string) bool { return name == "Stop" || name == "SubagentStop" }

// means tells whether a name of another program is about this occurrence of its event.
func (in *Input) means(name string) bool {
	switch name {
	case "swarm_start":
		return in.Depth == 0
	case "swarm_stop": // it is asked before the run ends, or hears of a run that failed
		return in.Depth == 0 && in.Ends == "" && (in.Holds || !in.Held)
	case "SessionStart":
		return in.Depth == 0 && in.Opens != ""
	case "SessionEnd":
		return in.Depth == 0 && (in.Closes || in.Ends != "") && !in.Holds
	case "Stop":
		return in.Depth == 0
	case "SubagentStop":
		return in.Depth > 0
	case "SubagentStart":
		return in.Depth > 0
	case "UserPromptExpansion":
		return in.Command != ""
	case "PermissionRequest":
		return in.Asks
	case "PreToolUse":
		return !in.Asks
	case "PostToolBatch":
		return len(in.ToolCalls) > 0
	case "PostToolUse":
		return !in.IsError
	case "PostToolUseFailure":
		return in.IsError
	}
	return !in.Asks && !in.Holds && in.Ends == ""
}

// shown tells whether Claude Code only shows what a hook objects to here: nothing can be blocked.
func (in *Input) shown() bool {
	switch in.as {
	case "SessionStart", "SessionEnd", "SubagentStart", "PostCompact":
		return true
	}
	return false
}

// fits holds the rule of the entry against the call. Without a call the rule holds for nothing.
func (e *Entry) fits(in *Input) bool {
	if e.If == nil {
		return true
	}
	return in.Tool != nil && in.Call != nil && e.If.Fits(in.Tool, in.Call)
}

// denies tells whether a failure of the entry refuses what the event comes before.
func (e *Entry) denies(ev Event) bool {
	switch {
	case e.Lenient:
		return false
	case e.OnError != "":
		return e.OnError == "deny"
	}
	return ev.gate()
}

// timeout is the longest that one run of the entry takes.
func (e *Entry) timeout() time.Duration {
	if e.Timeout > 0 {
		return e.Timeout
	}
	return time.Minute
}
