package hook

import (
	"slices"

	"github.com/swarmrun/swarmrun/internal/hookevent"
)

// Event is a moment of a run, in native words.
type Event string

// The events.
const (
	RunStart         Event = "run_start"
	RunStop          Event = "run_stop"
	FirstMessage     Event = "first_message"
	BeforeAsk        Event = "before_ask"
	AfterAsk         Event = "after_ask"
	BeforeModel      Event = "before_model"
	AfterModel       Event = "after_model"
	BeforeTool       Event = "before_tool"
	AfterTool        Event = "after_tool"
	ToolError        Event = "tool_error"
	BeforeDelegation Event = "before_delegation"
	AfterDelegation  Event = "after_delegation"
	OnStop           Event = "on_stop"
	ContextWarning   Event = "context_warning"
	BeforeCompaction Event = "before_compaction"
	AfterCompaction  Event = "after_compaction"
	GraphReloaded    Event = "graph_reloaded"
)

// Matcher chooses among the tools, or what else an event is about. The zero Matcher takes all.
type Matcher = hookevent.Matcher

// ParseMatcher reads a matcher: an exact name, a list of names, or an unanchored RE2 pattern.
func ParseMatcher(text string) (Matcher, error) { return hookevent.ParseMatcher(text) }

// Decision is what a hook wants.
type Decision string

// The decisions. Those before Replace let the chain go on.
const (
	Continue    Decision = ""
	Allow       Decision = "allow" // a call needs no approval
	Ask         Decision = "ask"   // a call needs the approval of a person
	Replace     Decision = "replace"
	FinishAgent Decision = "finish_agent" // Message is the agent's answer
	FinishRun   Decision = "finish_run"   // Message is the answer of the whole run
	Halt        Decision = "halt"
	End         Decision = "end" // the run is over, with Message as the reason
)

// weight orders decisions of hooks that run side by side.
func (d Decision) weight() int {
	return slices.Index([]Decision{Continue, Allow, Ask, Replace, FinishAgent, FinishRun, Halt, End}, d)
}

// final tells whether a decision ends the chain.
func (d Decision) final() bool { return d.weight() >= Replace.weight() }

// takes tells whether a decision has an effect at an event.
func (e Event) takes(d Decision) bool {
	switch d {
	case Continue:
		return true
	case End:
		return e != RunStop && e != AfterAsk && e != ContextWarning && e != AfterCompaction && e != GraphReloaded
	}
	return slices.Contains(e.decisions(), d)
}

// takes is the same for an occurrence: a run that has not ended can be made to go on.
func (in *Input) takes(d Decision) bool { return in.Event.takes(d) || in.Holds && d == Halt }

func (e Event) decisions() []Decision {
	switch e {
	case RunStart, FirstMessage, BeforeModel, AfterModel, BeforeCompaction:
		return []Decision{Halt}
	case BeforeAsk, OnStop:
		return []Decision{Halt, Replace}
	case BeforeTool, BeforeDelegation:
		return []Decision{Halt, Replace, Ask, Allow, FinishAgent, FinishRun}
	case AfterTool, ToolError, AfterDelegation:
		return []Decision{Halt, Replace, FinishAgent, FinishRun}
	}
	return nil
}

// gate tells whether the event comes before what it can stop, so that a hook that fails denies.
func (e Event) gate() bool {
	n, _ := hookevent.Lookup(string(e))
	return n.Gate
}

// made tells whether the event is about a call that was made.
func (e Event) made() bool { return e == AfterTool || e == ToolError || e == AfterDelegation }

// speaks tells whether plain text on stdout is context for the agent.
func (e Event) speaks() bool { return e == RunStart || e == BeforeAsk }
