package event

// HookExecuted tells what came of a hook.
type HookExecuted struct {
	Header     `json:"-"`
	HookEvent  string `json:"hook_event"`
	Hook       string `json:"hook"`
	Decision   string `json:"decision" doc:"continue, halt, replace, ask, input, finish_agent, finish_run, failed"`
	ExitCode   *int   `json:"exit_code,omitempty"`
	Reason     string `json:"reason,omitempty" doc:"why it failed: timeout, spawn, signal, exit, bad_json, http, model, tool, host, input, panic, error"`
	Message    string `json:"message,omitempty"`
	DurationMS int64  `json:"duration_ms"`
	Stdout     string `json:"stdout,omitempty" doc:"with -v"`
	Stderr     string `json:"stderr,omitempty" doc:"with -v"`
}

// Type is hook_executed.
func (*HookExecuted) Type() string { return "hook_executed" }
