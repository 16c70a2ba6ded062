package event

import "encoding/json"

// RunStart is the first event of a run.
type RunStart struct {
	Header         `json:"-"`
	Target         string `json:"target"`
	Kind           string `json:"kind" doc:"agent, workflow, subtask, loop"`
	Prompt         string `json:"prompt"`
	Source         string `json:"source" doc:"user, delegation, subtask, steer, follow_up, teammate, loop, ci"`
	SessionResumed bool   `json:"session_resumed,omitempty"`
}

// RunStop is the last event of a run, exactly once, whatever happened.
type RunStop struct {
	Header    `json:"-"`
	Result    *Result `json:"result" doc:"the result object"`
	LastAgent string  `json:"last_agent"`
}

// AgentStart tells that an agent begins to work in a run.
type AgentStart struct {
	Header       `json:"-"`
	Model        string   `json:"model" doc:"the chain's name"`
	Provider     string   `json:"provider" doc:"of the preferred model"`
	Directory    string   `json:"directory"`
	Tools        []string `json:"tools"`
	Skills       []string `json:"skills"`
	DelegatesTo  []string `json:"delegates_to"`
	Memory       bool     `json:"memory"`
	PromptDigest string   `json:"prompt_digest" doc:"SHA-256 of the system prompt, first 16 hex digits"`
	Instance     string   `json:"instance,omitempty" doc:"target@delegator"`
}

// AgentStop tells that an agent is done in a run.
type AgentStop struct {
	Header       `json:"-"`
	FinishReason string          `json:"finish_reason" doc:"of the last answer; a kind when the agent failed"`
	Output       json.RawMessage `json:"output,omitempty"`
	Usage        Usage           `json:"usage" doc:"sum of this agent in this run"`
	Turns        int             `json:"turns"`
}

// UserPrompt tells that a prompt enters a conversation.
type UserPrompt struct {
	Header       `json:"-"`
	Prompt       string `json:"prompt"`
	Source       string `json:"source"`
	MessageCount int    `json:"message_count" doc:"messages before it"`
}

// ContentChunk is streamed text.
type ContentChunk struct {
	Header    `json:"-"`
	ChunkType string `json:"chunk_type" doc:"content, separator, citations"`
	Content   string `json:"content"`
}

// ThinkingChunk is streamed reasoning.
type ThinkingChunk struct {
	Header  `json:"-"`
	Content string `json:"content"`
}

// AgentStep is one complete model answer.
type AgentStep struct {
	Header       `json:"-"`
	Turn         int       `json:"turn"`
	Model        string    `json:"model" doc:"that answered"`
	Content      string    `json:"content"`
	ToolCalls    []Request `json:"tool_calls"`
	FinishReason string    `json:"finish_reason"`
	Usage        Usage     `json:"usage"`
	Context      Context   `json:"context"`
}

// Request is a tool call as the model asked for it.
type Request struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Context is how full the model's window is, in tokens. Limit and Percentage are absent when the window is unknown.
type Context struct {
	Used       int     `json:"used"`
	Limit      int     `json:"limit,omitempty"`
	Percentage float64 `json:"percentage,omitempty"`
}

// OutputRepair tells that the one repair turn of a structured output begins.
type OutputRepair struct {
	Header `json:"-"`
	Errors []string `json:"errors"`
}

// LimitWarning comes at 80 % of a limit, once for each.
type LimitWarning struct {
	Header `json:"-"`
	Limit  string  `json:"limit" doc:"turns, cost, tokens, time"`
	Used   float64 `json:"used" doc:"turns, US dollars, tokens, seconds"`
	Max    float64 `json:"max"`
}

// AgentInterrupted tells that an agent was cancelled.
type AgentInterrupted struct {
	Header  `json:"-"`
	Phase   string `json:"phase" doc:"model, tool, hook, memory"`
	Partial bool   `json:"partial" doc:"part of an answer was kept"`
}

// Warning is what is not worth an event of its own.
type Warning struct {
	Header  `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Type is run_start.
func (*RunStart) Type() string { return "run_start" }

// Type is run_stop.
func (*RunStop) Type() string { return "run_stop" }

// Type is agent_start.
func (*AgentStart) Type() string { return "agent_start" }

// Type is agent_stop.
func (*AgentStop) Type() string { return "agent_stop" }

// Type is user_prompt.
func (*UserPrompt) Type() string { return "user_prompt" }

// Type is content_chunk.
func (*ContentChunk) Type() string { return "content_chunk" }

// Type is thinking_chunk.
func (*ThinkingChunk) Type() string { return "thinking_chunk" }

// Type is agent_step.
func (*AgentStep) Type() string { return "agent_step" }

// Type is output_repair.
func (*OutputRepair) Type() string { return "output_repair" }

// Type is limit_warning.
func (*LimitWarning) Type() string { return "limit_warning" }

// Type is agent_interrupted.
func (*AgentInterrupted) Type() string { return "agent_interrupted" }

// Type is warning.
func (*Warning) Type() string { return "warning" }
