package ci

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner/event"
)

// ReportVersion is that of the JSON form of a Report; it counts up when a field changes its meaning or goes.
const ReportVersion = 1

// Outcome is how an attempt, a case or a job ended.
type Outcome string

// The outcomes, best first. A job has the worst one of its cases; Skipped counts as better than Failed, since nothing ran.
const (
	Passed  Outcome = "passed"
	Flaky   Outcome = "flaky"   // of a case: it passed only when it was tried again (--retries); never of an attempt
	Skipped Outcome = "skipped" // it was not run; Reason says why
	Failed  Outcome = "failed"  // it ran, and a check, a limit or fail_if says no
	Errored Outcome = "error"   // it could not be judged: setup, a step, the provider or the recording failed
)

// Report is all that one run of jobs found. It is complete in itself: every renderer works from it, and the JSON form is
// the Report itself. Jobs, cases, attempts and checks stand in the order of the files, whatever ended first. A report that
// was interrupted is as valid as another: what did not run is Skipped.
type Report struct {
	Version     int        `json:"version"`               // ReportVersion
	Program     string     `json:"program,omitempty"`     // version of swarmrun
	Workspace   string     `json:"workspace"`             // its name
	Started     event.Time `json:"started"`               // wall clock
	DurationMS  int64      `json:"duration_ms"`           // wall clock, of everything
	Concurrency int        `json:"concurrency"`           // cases side by side at most
	Shard       string     `json:"shard,omitempty"`       // "2/5" where only a part was run
	OK          bool       `json:"ok"`                    // exit code 0
	Kind        string     `json:"kind,omitempty"`        // of failure, as in docs/events.md: assertion, no_cases, cost_limit, cancelled, …
	Message     string     `json:"message,omitempty"`     // of failure, in words
	ExitCode    int        `json:"exit_code"`             //
	Interrupted bool       `json:"interrupted,omitempty"` // a signal ended it before all was done
	Totals      Totals     `json:"totals"`                // of all jobs
	Jobs        []*Job     `json:"jobs"`                  // in order of their names
	Diagnostics diag.List  `json:"diagnostics,omitempty"` // errors and warnings of the definition files
}

// Totals counts cases by outcome and sums what they used, attempts that were tried again included.
type Totals struct {
	Cases   int         `json:"cases"`
	Passed  int         `json:"passed"`
	Failed  int         `json:"failed"`
	Errors  int         `json:"errors"`
	Flaky   int         `json:"flaky"` // counted here only, not as passed
	Skipped int         `json:"skipped"`
	Usage   event.Usage `json:"usage"` // tokens and US dollars; of a replayed call, what it cost when it was recorded
}

// Job is one file of jobs/ with the cases that were chosen of it.
type Job struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Target      string   `json:"target"` // the agent
	File        string   `json:"file"`   // from the workspace's root, with slashes
	Line        int      `json:"line"`   // from 1
	Tags        []string `json:"tags,omitempty"`
	Outcome     Outcome  `json:"outcome"`
	Reason      string   `json:"reason,omitempty"` // why all of it was skipped: a job that it needs failed
	DurationMS  int64    `json:"duration_ms"`      // from the begin of its first case to the end of its last one
	Totals      Totals   `json:"totals"`
	Cases       []*Case  `json:"cases"`
}

// Case is one case of a job under one set of values of its matrix.
type Case struct {
	ID         string      `json:"id"`               // unique in a report and the same from run to run: "job/case" or "job/case [model=fast]"
	Name       string      `json:"name"`             // as written
	Matrix     []Axis      `json:"matrix,omitempty"` // in the order of the file; empty = the job has none
	Tags       []string    `json:"tags,omitempty"`   // of the job and its own
	Target     string      `json:"target"`           // the agent
	Model      string      `json:"model,omitempty"`  // that is asked for instead of the agent's; Attempt.Model says who answered
	File       string      `json:"file"`             // of the job
	Line       int         `json:"line"`             // of the case in it
	Outcome    Outcome     `json:"outcome"`
	Reason     string      `json:"reason,omitempty"`    // one line: why it was skipped, is flaky, or did not reach its pass rate
	Rate       *Rate       `json:"pass_rate,omitempty"` // nil = it was to run once
	Attempts   []Attempt   `json:"attempts"`            // empty = skipped
	Turns      int         `json:"turns"`               // model calls of the target, sum of the attempts
	Usage      event.Usage `json:"usage"`               // likewise, delegates included
	DurationMS int64       `json:"duration_ms"`         // wall clock of all attempts
}

// Axis is one value of a matrix.
type Axis struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"` // as written, as JSON
}

// Rate is what became of repetitions.
type Rate struct {
	Wanted  float64 `json:"wanted"`            // pass_rate of the job, 0 to 1
	Passed  int     `json:"passed"`            // repetitions
	Run     int     `json:"run"`               // repetitions that were judged
	Planned int     `json:"planned"`           // repeat of the job
	Rate    float64 `json:"rate"`              // Passed/Run; 0 when none was judged
	Low     float64 `json:"low"`               // Wilson score interval at 95 %
	High    float64 `json:"high"`              //
	Stopped bool    `json:"stopped,omitempty"` // Run < Planned, since the rest could not change the outcome
}

// Attempt is one time that a case was run: a repetition of it, or one more try of a repetition that failed.
type Attempt struct {
	Repetition int         `json:"repetition"`         // from 1
	Try        int         `json:"try"`                // from 1; above 1 = --retries
	Outcome    Outcome     `json:"outcome"`            // Passed, Failed or Errored
	Kind       string      `json:"kind,omitempty"`     // of failure, as in docs/events.md; "" = passed
	Message    string      `json:"message,omitempty"`  // why it failed before or besides the checks: setup, a step, the run
	Model      string      `json:"model,omitempty"`    // that answered, provider/model; several with commas
	Cassette   string      `json:"cassette,omitempty"` // replayed, recorded, stale, live; "" = no model was asked
	Tape       string      `json:"tape,omitempty"`     // file of the recording
	Checks     []Result    `json:"checks"`             // in the order of the file; empty = it did not come so far
	Findings   []Finding   `json:"findings,omitempty"` // what the agent told with its Report tool
	Output     string      `json:"output,omitempty"`   // the answer; Cut tells what is missing
	Changed    []Change    `json:"changed,omitempty"`  // files that differ from the fixture, sorted by path
	Turns      int         `json:"turns"`              // model calls of the target
	Usage      event.Usage `json:"usage"`              // of the run and of judges
	Started    event.Time  `json:"started"`            // wall clock
	DurationMS int64       `json:"duration_ms"`        // setup, steps and checks included
	RunMS      int64       `json:"run_ms"`             // of the agent alone: what latency judges
	Transcript []Entry     `json:"transcript,omitempty"`
	Cut        int         `json:"cut,omitempty"` // bytes of Output and Transcript that were left out to bound the report
}

// Result is what one check says.
type Result struct {
	Kind     string `json:"kind"`               // contains, tool_called, …, fail_if
	Name     string `json:"name"`               // the check as a person reads it: tool_called Read
	OK       bool   `json:"ok"`                 //
	Expected string `json:"expected,omitempty"` // filled when it is not OK
	Got      string `json:"got,omitempty"`      // likewise; bounded
	File     string `json:"file"`               // where the check is written
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	At       *Place `json:"at,omitempty"`   // in the transcript; nil = it is about no one entry
	Note     string `json:"note,omitempty"` // more: votes of a judge, the exit code of a command
}

// Place is an entry of the transcript that a check is about.
type Place struct {
	Entry int    `json:"entry"` // index in Transcript; -1 = it was left out
	Agent string `json:"agent,omitempty"`
	Turn  int    `json:"turn,omitempty"` // from 1
	Tool  string `json:"tool,omitempty"`
}

// Severity weighs a Finding.
type Severity string

// The severities of findings.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityNote    Severity = "note"
)

// Finding is what an agent reports about a file. File is as the agent wrote it, cleaned, from the root of the case with
// slashes; it may lie nowhere. Line is 0 for the file as a whole.
type Finding struct {
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	EndLine  int      `json:"end_line,omitempty"`
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule,omitempty"` // a short name of the kind of finding
	Message  string   `json:"message"`
	Agent    string   `json:"agent,omitempty"`
}

// Change is a file that the attempt made, changed or removed.
type Change struct {
	Path    string `json:"path"`   // from the root of the case, with slashes
	Status  string `json:"status"` // added, changed, removed
	Added   int    `json:"added"`  // lines; 0 for what is no text
	Removed int    `json:"removed"`
}

// Entry is one event of an attempt as far as a person reads it. Events that say nothing to a reader are left out, and texts
// are cut: an attempt that passed keeps less than one that did not.
type Entry struct {
	AtMS       int64           `json:"at_ms"` // since the attempt began
	Event      string          `json:"event"` // type as in docs/events.md: user_prompt, agent_step, tool_call, tool_result, …
	Agent      string          `json:"agent,omitempty"`
	Depth      int             `json:"depth,omitempty"`       // 0 = the target, 1 = its delegate, …
	Turn       int             `json:"turn,omitempty"`        // of agent_step
	Call       string          `json:"call,omitempty"`        // joins tool_call and tool_result
	Tool       string          `json:"tool,omitempty"`        // or the hook, or who was delegated to
	Input      json.RawMessage `json:"input,omitempty"`       // of tool_call; a string when it was cut
	Text       string          `json:"text,omitempty"`        // prompt, answer, result, message
	Error      bool            `json:"error,omitempty"`       // a result that is an error, a refusal, a failure
	Model      string          `json:"model,omitempty"`       // of agent_step
	Usage      *event.Usage    `json:"usage,omitempty"`       // of agent_step
	DurationMS int64           `json:"duration_ms,omitempty"` // of tool_result and delegation_result
	Cut        int             `json:"cut,omitempty"`         // bytes of Text and Input that were left out
}

// Parse reads what a Report was written as. Diagnostics are for readers and are not read back.
func Parse(raw []byte) (*Report, error) {
	type plain Report
	var in struct {
		*plain
		Diagnostics json.RawMessage `json:"diagnostics"`
	}
	in.plain = new(plain)
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("no report of swarmrun ci: %w", err)
	}
	if in.Version != ReportVersion {
		return nil, fmt.Errorf("no report of swarmrun ci of version %d: its version is %d", ReportVersion, in.Version)
	}
	return (*Report)(in.plain), nil
}

// Untimed returns the report without what differs from run to run although nothing else does: clocks and durations. Two
// replays of the same files have equal untimed reports.
func (r *Report) Untimed() *Report {
	out := *r
	out.Started, out.DurationMS, out.Jobs = event.Time{}, 0, nil
	for _, j := range r.Jobs {
		job := *j
		job.DurationMS, job.Cases = 0, nil
		for _, c := range j.Cases {
			job.Cases = append(job.Cases, c.untimed())
		}
		out.Jobs = append(out.Jobs, &job)
	}
	return &out
}

func (c *Case) untimed() *Case {
	out := *c
	out.DurationMS, out.Attempts = 0, nil
	for _, a := range c.Attempts {
		a.Started, a.DurationMS, a.RunMS = event.Time{}, 0, 0
		a.Checks = slices.Clone(a.Checks)
		for i, k := range a.Checks {
			if k.Kind == "latency" {
				a.Checks[i].Got = ""
			}
		}
		transcript := make([]Entry, len(a.Transcript))
		for i, e := range a.Transcript {
			e.AtMS, e.DurationMS = 0, 0
			transcript[i] = e
		}
		a.Transcript = transcript
		out.Attempts = append(out.Attempts, a)
	}
	return &out
}
