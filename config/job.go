package config

import (
	"encoding/json"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/expression"
	"github.com/swarmrun/swarmrun/internal/jsonpath"
)

// Job is a CI job: jobs/<name>.yaml. Its matrix is spread and its expressions are filled in: a case of the file is here once
// for each set of values.
type Job struct {
	Definition
	Needs []Ref // jobs that must have passed
	Tags  []Ref
	Cases []JobCase
}

// JobCase is one case with what the job says about all of them. What runs is in order: the job's before the case's, behind
// the agent the other way round.
type JobCase struct {
	Name   string // "" = the job is the case
	At     diag.Range
	Matrix []JobAxis // in the order of the file
	Part   JobPart
}

// JobAxis is one value of a matrix.
type JobAxis struct {
	Name  string
	Value json.RawMessage
	At    diag.Range
}

// JobPart is what both a job and a case may say.
type JobPart struct {
	Agent, Workflow Ref
	Model           Ref // instead of the agent's
	Prompt          Value[string]
	Vars            map[string]string // of the agent's template
	Tags            []Ref
	Env             []Ref // variables that shell steps get besides the usual ones
	Setup           Value[JobSetup]
	Before, After   []JobShell
	Cassette        Ref
	Expect          []JobCheck
	Repeat          Value[int]
	PassRate        Value[float64]
	StopEarly       Value[bool]
	Limits          JobLimits
	Skip            Ref // why it is not run
}

// JobSetup is where a case works. Without files and git it is the workspace itself.
type JobSetup struct {
	Files Ref // folder that is copied
	Git   Ref // commit that is checked out
	Run   []JobShell
}

// JobShell is a line for the shell.
type JobShell struct {
	Run     string
	At      diag.Range
	Timeout time.Duration // 0 = the default
}

// JobLimits bound one attempt.
type JobLimits struct {
	Timeout Value[time.Duration]
	Cost    Value[float64] // US dollars
	Turns   Value[int]
	Tokens  Value[int]
}

// Bound is an interval of numbers, as in ">= 1", "2..4" or 3. Low and High count unless they are open.
type Bound struct {
	Low, High         float64 // infinite where there is no end
	LowOpen, HighOpen bool
	Text              string // as written
}

// JobCheck is one assertion. Which fields count is a matter of its kind; what is here is valid in itself.
type JobCheck struct {
	Kind    string
	At, Key diag.Range // of what it says, and of its kind

	Name       Ref             // a tool, a hook, a file
	Text       []string        // that must occur, or must not
	Lost       []string        // texts that must not occur, beside Text
	Pattern    string          // RE2
	Path       *jsonpath.Path  // into JSON
	Value      json.RawMessage // that must be equal; nil = nothing is said
	Schema     json.RawMessage
	File       Ref             // of a schema, a snapshot, a cassette
	Input      json.RawMessage // an object of what the input must hold; texts are globs
	Error      *bool           // whether the result is an error
	Exists     *bool
	Times      *Bound // how often; of a number kind, the number itself
	Lines      *Bound
	Only, Keep []string // globs of paths: only these may change, these must not
	Order      []JobCheck
	Run        JobShell
	Condition  *expression.Program
	Model      Ref
	Rubric     string
	Pass       float64
	Votes      int
	Cost       float64
	Timeout    time.Duration // of a judge; 0 = the default
}
