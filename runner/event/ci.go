package event

import "encoding/json"

// CIStart tells that jobs begin to run.
type CIStart struct {
	Header      `json:"-"`
	Jobs        []string `json:"jobs"`
	Cases       int      `json:"cases"`
	Concurrency int      `json:"concurrency"`
}

// CIStop tells that all of them are done.
type CIStop struct {
	Header     `json:"-"`
	Cases      int   `json:"cases"`
	Passed     int   `json:"passed"`
	Failed     int   `json:"failed"`
	Errors     int   `json:"errors"`
	Flaky      int   `json:"flaky"`
	Skipped    int   `json:"skipped"`
	Usage      Usage `json:"usage"`
	DurationMS int64 `json:"duration_ms"`
}

// CaseStart tells that an attempt of a case begins.
type CaseStart struct {
	Header  `json:"-"`
	Matrix  map[string]json.RawMessage `json:"matrix,omitempty"`
	Attempt int                        `json:"attempt" doc:"from 1: repetitions and retries"`
}

// CaseStop tells how a case ended.
type CaseStop struct {
	Header     `json:"-"`
	Matrix     map[string]json.RawMessage `json:"matrix,omitempty"`
	Outcome    string                     `json:"outcome" doc:"passed, failed, error, flaky, skipped"`
	Reason     string                     `json:"reason,omitempty"`
	Failures   []CaseFailure              `json:"failures"`
	Usage      Usage                      `json:"usage"`
	DurationMS int64                      `json:"duration_ms"`
	Cassette   string                     `json:"cassette,omitempty" doc:"replayed, recorded, stale, live"`
}

// CaseFailure is a check that does not hold.
type CaseFailure struct {
	Assertion string `json:"assertion"`
	Expected  string `json:"expected"`
	Got       string `json:"got"`
	At        string `json:"at,omitempty" doc:"file:line:column of the check"`
}

// Type is ci_start.
func (*CIStart) Type() string { return "ci_start" }

// Type is ci_stop.
func (*CIStop) Type() string { return "ci_stop" }

// Type is case_start.
func (*CaseStart) Type() string { return "case_start" }

// Type is case_stop.
func (*CaseStop) Type() string { return "case_stop" }
