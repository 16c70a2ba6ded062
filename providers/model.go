package providers

import (
	"context"
	"encoding/json"
	"net/http"
)

// Model answers requests. Values are safe for concurrent use and shared by all runs.
type Model interface {
	// Name is the candidate's label in events and errors, such as anthropic/claude-sonnet-4-5.
	Name() string
	// Generate makes one model call. A nil emit asks for a unary answer. After it returns, emit is never called again
	// and nothing of the call is left: no goroutine, body or connection. A failure is an *Error; past the commit point
	// of a stream both results are non-nil and Response.Incomplete is true. An error of emit abandons the call.
	Generate(ctx context.Context, req *Request, emit func(Delta) error) (*Response, error)
}

// Capable is a Model that knows its limits. A chain reports the intersection of its members.
type Capable interface {
	Capabilities() Capabilities
}

// Capabilities of a model; zero values mean "unknown".
type Capabilities struct {
	ContextWindow int // tokens
	MaxOutput     int // tokens
	Images        bool
	Thinking      bool
	Price         *Price // nil = unknown, which is never the same as free
}

// Price is US dollars per million tokens.
type Price struct {
	Input       float64 `json:"input"`
	Output      float64 `json:"output"`
	CachedInput float64 `json:"cached_input"`
	CacheWrite  float64 `json:"cache_write"`
}

// Request is one model call as the runner sees it. A Model never changes it.
type Request struct {
	System      string
	Messages    []Message
	Tools       []ToolSpec
	ToolChoice  string   // "" or auto, none, required, or a tool's name
	MaxOutput   int      // tokens; 0 = the provider's default
	Temperature *float64 // unset differs from 0
	TopP        *float64
	Stop        []string
	Output      json.RawMessage // JSON Schema of the answer; nil = free text
	Thinking    *Thinking
	Parameters  map[string]json.RawMessage // more keys of the request body, as they are
	Headers     map[string]string          // more request headers
	Caller      Caller
	Journal     Journal // what the run knows of the history's tool calls, for repairs; nil = nothing
}

// Caller says who asks. It never reaches a wire; scripts match on it and cassettes label with it.
type Caller struct {
	Run   string
	Agent string
	Turn  int // model calls of this agent in this run, from 1
	Depth int // 0 = the target of the run; delegates and subtasks are below it and have the child deadline
}

// Thinking asks for reasoning. Effort is low, medium or high; Budget is tokens, 0 = derived from Effort.
type Thinking struct {
	Effort string
	Budget int
}

// ToolSpec tells the model of a tool.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"` // JSON Schema of the arguments
}

// Delta is a piece of a streamed answer. Tool calls never come in pieces: they are whole, in the Response.
type Delta struct {
	Text      string
	Reasoning string
}

// Finish says why an answer ended.
type Finish string

// The finish reasons of a complete answer. A cut or filtered one is an *Error instead.
const (
	FinishStop      Finish = "stop"
	FinishToolCalls Finish = "tool_calls"
)

// Response is a model's answer.
type Response struct {
	Message    Message
	Finish     Finish
	Usage      Usage
	Candidate  string // label of the candidate that answered
	Provider   string
	Model      string // as the provider names it
	Attempts   int    // counted sends; 0 for a replayed or scripted answer
	Rule       string // of a script model, which rule answered
	Incomplete bool   // the call failed after part of the answer was seen
}

// Usage is tokens. Input includes CachedInput and CacheWrite; Output includes Reasoning.
type Usage struct {
	Input       int  `json:"input_tokens"`
	CachedInput int  `json:"cached_tokens"`
	CacheWrite  int  `json:"cache_creation_tokens"`
	Output      int  `json:"output_tokens"`
	Reasoning   int  `json:"reasoning_tokens"`
	Partial     bool `json:"partial,omitempty"` // seen in an answer that failed
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, CachedInput: u.CachedInput + v.CachedInput, CacheWrite: u.CacheWrite + v.CacheWrite,
		Output: u.Output + v.Output, Reasoning: u.Reasoning + v.Reasoning, Partial: u.Partial || v.Partial,
	}
}

// Cost is what a usage costs in US dollars.
func (p Price) Cost(u Usage) float64 {
	plain := max(0, u.Input-u.CachedInput-u.CacheWrite)
	return (float64(plain)*p.Input + float64(u.CachedInput)*p.CachedInput + float64(u.CacheWrite)*p.CacheWrite +
		float64(u.Output)*p.Output) / 1e6
}

// Candidate is what a family needs to build a client. Building opens nothing and does not look at the key.
type Candidate struct {
	Label      string // Model.Name; provider/model when empty
	Provider   string // entry of providers: in the settings, or a built-in name
	Model      string
	BaseURL    string
	APIVersion string
	Headers    map[string]string
	Parameters map[string]json.RawMessage // defaults of the models: entry; the request's win
	Key        func() (string, error)     // asked at each send; nil = keyless, and "" where the endpoint needs none
	KeyID      string                     // hash of the key's reference, never of the key
	Window     int                        // context_window as a person wrote it: an answer to more input is an overflow; 0 = not written
	MaxOutput  int                        // max_output as a person wrote it, where neither request nor Parameters say one; 0 = not written
	Limits     Capabilities               // as configured or from the price table
	Transport  http.RoundTripper          // below the tap; one pool a process
}

// Capped is a request with the candidate's MaxOutput, where it has none of its own.
func (c *Candidate) Capped(req *Request) *Request {
	if c.MaxOutput == 0 || req.MaxOutput > 0 {
		return req
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		if c.Parameters[name] != nil || req.Parameters[name] != nil {
			return req
		}
	}
	capped := *req
	capped.MaxOutput = c.MaxOutput
	return &capped
}

// Family builds a client of one wire format.
type Family func(Candidate) (Model, error)

// Event is something that happened below a call. runner/event carries it as it is; nothing here knows the runner.
type Event interface{ Type() string }
