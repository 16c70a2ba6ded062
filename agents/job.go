package agents

import (
	"encoding/json"
	"math"
	"regexp"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/jsonpath"
)

// Job is data, as Case and Check are: package runner/ci executes them. A case is one of a job under one set of values of its
// matrix; what its job says about all cases is in it.
type Job struct {
	Name, Description string
	Needs             []string // jobs that must have passed, which exist
	Tags              []string
	Cases             []*Case
	Files             []string // that the job is compiled of, besides its own and those of its targets: absolute, folders included
	Origin            diag.Range
}

// Case is one case of a Job.
type Case struct {
	Name   string // "" = the job is the case
	Matrix []Axis
	Tags   []string
	Skip   string // why it is not run; "" = it is

	Target string // an agent; "" = the default one
	Model  string // reference; "" = the target's
	Prompt string
	Vars   map[string]string
	Env    []string // variables that shell steps get besides the usual ones

	Setup         Setup
	Before, After []Shell
	Tape          string // file of the recording, absolute; "" = live
	TapeAt        diag.Range
	Checks        []Check

	Repeat    int // 1 or more
	PassRate  float64
	StopEarly bool
	Limits    CaseLimits
	Origin    diag.Range
}

// Axis is one value of a matrix, as JSON.
type Axis struct {
	Name  string
	Value json.RawMessage
}

// Setup is where a case works: in a copy of Files, in the commit Git, or without both in the workspace itself.
type Setup struct {
	Files string // folder, absolute
	Git   string
	Run   []Shell
	At    diag.Range
}

// Shell is a line for the shell.
type Shell struct {
	Run     string
	Timeout time.Duration // 0 = the default
	Origin  diag.Range
}

// CaseLimits bound one run of a case; 0 = as the target says.
type CaseLimits struct {
	Timeout time.Duration
	Turns   int
	Budget  Budget
}

// Check is a kind and its compiled argument. Which fields count is a matter of the kind; all are valid in themselves.
type Check struct {
	Kind      string
	Name      string         // a tool, a hook, a file
	Text      []string       // that must occur, or must not
	Lost      []string       // that must not occur, beside Text
	Pattern   *regexp.Regexp // nil = none
	Path      *jsonpath.Path
	Value     json.RawMessage // that must be equal; nil = nothing is said
	Schema    Validator
	File      string          // of a snapshot or a cassette, absolute
	Input     json.RawMessage // an object of what the input holds; texts are globs
	Error     *bool
	Exists    *bool
	Times     *Bound // how often; of a kind that is a number, the number itself
	Lines     *Bound
	Only      []string // globs of the paths that may change
	Keep      []string // globs of paths that must not
	Order     []Check
	Run       Shell
	Condition Expr
	Source    string // of Condition, as written
	Model     string // reference
	Rubric    string
	Pass      float64
	Votes     int
	Cost      float64       // US dollars
	Timeout   time.Duration // of a judge; 0 = the default
	Origin    diag.Range
}

// Expr is a compiled expression; internal/expression has it.
type Expr interface {
	Eval(env map[string]any) (any, error)
}

// Validator checks JSON text; empty = it fits. What it returns are faults for readers.
type Validator func(json.RawMessage) []string

// Bound is an interval of numbers; its ends count unless they are open.
type Bound struct {
	Low, High         float64
	LowOpen, HighOpen bool
	Text              string // as written
}

// Holds tells whether a number lies in the interval.
func (b Bound) Holds(v float64) bool {
	const rounding = 1e-9 // of sums of money
	low, high := v-b.Low, b.High-v
	if b.LowOpen && low <= rounding || b.HighOpen && high <= rounding {
		return false
	}
	return !math.IsNaN(v) && low >= -rounding && high >= -rounding
}
