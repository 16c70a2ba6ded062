package ci

import (
	"regexp"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// Mode is where answers of models come from.
type Mode int

// The modes. A case without a cassette is live in each of them.
const (
	Replay Mode = iota // from cassettes only
	Record             // from cassettes, and what they lack from the models: it is recorded
	Live               // from the models; cassettes are neither read nor written
)

// Options of Run; nil means the defaults.
type Options struct {
	Jobs   []string                             // names; what they need comes with them. Empty = all
	Filter *regexp.Regexp                       // of Case.ID; nil = all
	Tags   []string                             // one of them is a tag of the case; empty = all
	Only   func(*agents.Job, *agents.Case) bool // nil = all
	Shard  Shard                                // zero = all

	Concurrency int // cases side by side; below 1 = 1
	FailFast    bool
	Retries     int // more tries of a live case that does not pass
	Mode        Mode
	Update      bool // snapshots are written

	Launcher sandbox.Launcher // of shell steps
	Environ  []string         // KEY=value, for templates of prompts
	Home     string           // stands as $HOME in cassettes
	Temp     string           // folder of the copies; "" = the system's
	Program  string           // version, for the report
	Now      func() time.Time // wall clock; nil = time.Now

	Planned func([]*Case)     // hears which cases will run, in the order of the report, before the first one does
	Told    func(Progress)    // hears what begins and ends; one call at a time
	Sink    func(event.Event) // hears of every run of an agent; calls come one at a time
}

// Shard is a part of the cases: the Index-th of Of, from 1. Cases are dealt out in turn.
type Shard struct{ Index, Of int }

// Progress is a case that began or ended.
type Progress struct {
	Case    *Case // with its outcome when it ended
	Begun   bool
	Attempt int // number of the attempt that begins; 0 = the case ended
	Done    int // cases that ended
	Of      int
	Left    time.Duration // estimate of the time to the end; 0 = not known yet
}

func (o *Options) settle() *Options {
	out := Options{}
	if o != nil {
		out = *o
	}
	out.Concurrency = max(out.Concurrency, 1)
	if out.Now == nil {
		out.Now = time.Now
	}
	return &out
}
