package event

// ContextWarning tells that a model's window fills up; once for each threshold and conversation.
type ContextWarning struct {
	Header          `json:"-"`
	Threshold       int     `json:"threshold" doc:"60, 80, 90"`
	Percentage      float64 `json:"percentage"`
	TokensUsed      int     `json:"tokens_used"`
	TokensRemaining int     `json:"tokens_remaining"`
}

// ContextOverflow tells that a request did not fit into the model's window.
type ContextOverflow struct {
	Header `json:"-"`
	Tokens int `json:"tokens,omitempty" doc:"of the conversation, as estimated"`
}

// ContextCompacted tells that a conversation was made smaller.
type ContextCompacted struct {
	Header   `json:"-"`
	Before   int    `json:"before" doc:"tokens, as estimated"`
	After    int    `json:"after"`
	Strategy string `json:"strategy" doc:"summarise, prune, truncate-tools"`
	Trigger  string `json:"trigger" doc:"overflow, threshold, manual"`
}

// OrphansPruned tells that calls without a result were taken out of a conversation. The repair of a model call tells the
// same as a Lower.
type OrphansPruned struct {
	Header `json:"-"`
	Count  int      `json:"count"`
	Names  []string `json:"names"`
}

// Type is context_warning.
func (*ContextWarning) Type() string { return "context_warning" }

// Type is context.overflow.
func (*ContextOverflow) Type() string { return "context.overflow" }

// Type is context.compacted.
func (*ContextCompacted) Type() string { return "context.compacted" }

// Type is orphan_tool_calls_pruned.
func (*OrphansPruned) Type() string { return "orphan_tool_calls_pruned" }
