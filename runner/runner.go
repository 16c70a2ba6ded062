package runner

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// Source leases the current graph. *loader.Live and *agents.Fixed have it.
type Source interface {
	Acquire() (g *agents.Graph, release func(), err error)
}

// Options of a Runner; nil means the defaults.
type Options struct {
	Sessions session.Store     // nil = conversations are not stored
	Sink     func(event.Event) // hears of every run, besides the run's own; calls come one at a time for each run
	Now      func() time.Time  // nil = time.Now
	Clock    func() time.Time  // what tools are told; nil = time.Now
	NewID    func() string     // of runs and sessions, unique and fit for session.CheckID; nil = by time and chance
	Home     string            // folder whose .claude/CLAUDE.md is an instruction file too; "" = none
	// HookOutput puts what hooks wrote into their events, as -v does.
	HookOutput bool
	Environ    []string // KEY=value, for .Env in templates of prompts; nil = none
}

// Runner runs requests on the graphs of a Source. It is safe for concurrent use and holds nothing between runs.
type Runner struct {
	source Source
	o      Options
}

// New makes a runner.
func New(s Source, o *Options) *Runner {
	r := &Runner{source: s}
	if o != nil {
		r.o = *o
	}
	if r.o.Now == nil {
		r.o.Now = time.Now
	}
	if r.o.NewID == nil {
		now := r.o.Now
		r.o.NewID = func() string { return NewID(now()) }
	}
	return r
}

// NewID is a new id of a run or session. It sorts by time and is readable in a list: 20260102-150405-4f1a09c37b.
func NewID(now time.Time) string {
	var chance [5]byte
	_, _ = rand.Read(chance[:]) // never fails, by its contract
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(chance[:])
}

// ErrTerminated is the cause to cancel a run's context with after SIGTERM; its result then has exit code 143, not 130.
var ErrTerminated = errors.New("terminated")

// RunError is a run that did not succeed, for Go code. Unwrap gives the cause, such as a *providers.Error or a
// *diag.ListError, when this process saw it.
type RunError struct {
	Kind    string // as in Result
	Message string
	Agent   string // who was at work; "" before anyone was
	Turn    int    // of that agent, from 1; 0 before the first
	Err     error
}

// Error is the message, with the place when there is one.
func (e *RunError) Error() string {
	if e.Turn == 0 {
		return e.Message
	}
	return fmt.Sprintf("agent %s, turn %d: %s", e.Agent, e.Turn, e.Message)
}

// Unwrap is the cause.
func (e *RunError) Unwrap() error { return e.Err }
