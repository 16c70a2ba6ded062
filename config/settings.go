package config

import (
	"encoding/json"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Settings is swarmrun.yaml with the layers above and below it merged.
type Settings struct {
	File         string
	Name         Value[string]
	Root         Value[string]
	DefaultAgent Ref
	Include      Value[[]Ref] // not Set = all trees that exist
	Models       []ModelEntry // in order of their names
	Providers    []ProviderEntry
	Defaults     *Agent // fields that agents leave out; nil = none
	Retry        *Retry
	Permissions  Permissions
	Budget       Value[Budget]
	Sandbox      Sandbox
	Inactive     []Ref // as in Agent

	// Override is fields that beat those of agents: what flags set below defaults, and SWARMRUN_RETRY__DEADLINE and
	// SWARMRUN_RETRY__CHILD_DEADLINE; nil = none.
	Override *Agent

	// Origins are the lines of show config, in order of their paths.
	Origins []SettingOrigin

	models    Value[[]ModelEntry]
	providers Value[[]ProviderEntry]
}

// SettingOrigin is one line of show config. Secret values are marked and never shown; those with references to variables are
// shown as they are written, since nobody can say what a variable holds.
type SettingOrigin struct {
	Path   string // sections joined by dots as a person writes them
	Value  string
	Layer  string // default, user, workspace, env, flag
	At     diag.Range
	Secret bool
}

// ModelEntry is one name of models:. Exactly one of Chain and Provider is set, but for one with an error.
type ModelEntry struct {
	Name          Ref
	broken        bool
	Chain         []Ref // names, provider/model references
	Provider      Ref
	Model         Value[string]
	BaseURL       Value[string]
	APIKey        Value[string] // unexpanded references are gone; "" with At set = unset variable
	KeyVar        string        // as in ProviderEntry
	APIVersion    Value[string]
	Headers       map[string]Ref
	Parameters    Value[Parameters]
	ContextWindow Value[int]
	MaxOutput     Value[int]
	Price         Value[Price]
}

// Broken tells whether the entry has an error: what could be read of it is there to be checked.
func (e *ModelEntry) Broken() bool { return e.broken }

// Price is US dollars per million tokens.
type Price struct{ Input, Output, CachedInput, CacheWrite float64 }

// ProviderEntry is one name of providers:.
type ProviderEntry struct {
	Name       Ref
	Type       Value[string] // openai (default) or anthropic, for names that are not built in
	APIKey     Value[string]
	KeyVar     string // name of the variable that api_key refers to alone, for messages; "" = none
	BaseURL    Value[string]
	Headers    map[string]Ref
	APIVersion Value[string]
	Limits     Value[Limits]
	Breaker    Value[Breaker]
}

// Limits are shared by all agents of the process; zero means none.
type Limits struct{ Concurrency, RequestsPerMinute, TokensPerMinute int }

// Breaker opens a candidate after so many transient failures in a row; zero Failures means off.
type Breaker struct {
	Failures int
	OpenFor  time.Duration
}

// Retry is a retry block. A field that nobody wrote is not Set, so that blocks merge key by key.
type Retry struct {
	Preset, Backoff                                    Value[string]
	Attempts                                           Value[int]
	Deadline, ChildDeadline, AnswerDeadline            Value[time.Duration]
	AttemptTimeout, IdleTimeout, Base, MaxWait, Jitter Value[time.Duration] // AttemptTimeout 0 = auto
	StrictIdle                                         Value[bool]
	FallbackOn                                         Value[[]Ref]
}

// Sandbox is how children of the program are confined.
type Sandbox struct {
	Mode    Value[string] // auto, require, off
	Network Value[string] // host, none
	Sockets Value[bool]   // children may speak to daemons through socket files
	Read    []Ref         // more paths that children may read
	Write   []Ref         // more paths that children may write
	Env     []Ref         // more variables that children get
}

// Script is a rule file: models/<name>.yaml, the model script/<name>.
type Script struct {
	Definition
	Rules []ScriptRule
}

// ScriptRule is one rule: the first whose When holds answers.
type ScriptRule struct {
	Name  string
	At    diag.Range
	When  []ScriptWhen // one of them must hold; empty = always
	Times int          // answers at most so often in a run; 0 = any number
	Reply ScriptReply
}

// ScriptWhen is a set of conditions that must all hold. Patterns are RE2 and compile.
type ScriptWhen struct {
	Agent, Model               string
	Turn                       string // "", a number, ">=3", "2..4"
	Prompt, System, ToolResult string // prompt_matches, system_matches, tool_result_matches
	Tool, Offered              string
	ToolError                  *bool
	Not                        *ScriptWhen
	At                         diag.Range
}

// ScriptReply is what a rule answers. Text, Thinking and the string leaves of inputs are templates that parse.
type ScriptReply struct {
	Text, Thinking    Value[string]
	ToolCalls         []ScriptCall
	Finish            string
	Usage             *ScriptUsage
	Delay, ChunkDelay time.Duration
	Error             *ScriptError
}

// ScriptCall is one tool call of a reply. Input is a JSON value whose string leaves are templates.
type ScriptCall struct {
	Name, ID string
	Input    json.RawMessage
	At       diag.Range
}

// ScriptUsage is the usage that a reply reports.
type ScriptUsage struct{ Input, CachedInput, CacheWrite, Output, Reasoning int }

// ScriptError is a failure that a reply plays.
type ScriptError struct {
	Kind, Code string
	Status     int
	RetryAfter time.Duration
	After      int // characters of Text sent before it
}
