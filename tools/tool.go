package tools

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Tool does one thing. A value is shared by all runs and generations: whatever belongs to a run comes in the Call. Its own
// failure is a Result with IsError, which the model sees; a Go error is our fault and ends the run.
type Tool interface {
	Spec() Spec
	Call(ctx context.Context, c *Call) (Result, error)
}

// Toucher is a Tool whose calls reach files, commands or hosts that rules can name. A tool without it is matched by its
// name and its input's top-level scalars alone.
type Toucher interface {
	// Touches lists all that a call with this input would reach. Paths are absolute and cleaned, not resolved.
	Touches(input json.RawMessage, at Roots) ([]Touch, error)
}

// Preparer is a Tool or a hook that waits in its first call for something that can begin before it.
type Preparer interface {
	// Prepare begins it in the background. It returns at once and may be called again.
	Prepare()
}

// Touch is one thing that a call reaches.
type Touch struct {
	Kind  TouchKind
	Value string // an absolute path, a command line, a host name, an agent's name, a skill and its arguments
}

// TouchKind is what a Touch reaches.
type TouchKind int

// The kinds. Search is a folder that is read recursively: its results are filtered entry by entry.
const (
	TouchRead TouchKind = iota + 1
	TouchSearch
	TouchWrite
	TouchCommand
	TouchHost
	TouchAgent
	TouchSkill
)

// Files are the files that a call reads or writes, by absolute path; none where that cannot be told.
func Files(t Tool, c *Call) []string {
	toucher, ok := t.(Toucher)
	if !ok || c == nil {
		return nil
	}
	touches, err := toucher.Touches(c.Input, c.Roots)
	if err != nil {
		return nil
	}
	var files []string
	for _, touch := range touches {
		if touch.Kind == TouchRead || touch.Kind == TouchWrite {
			files = append(files, touch.Value)
		}
	}
	return files
}

// Call is one invocation and the run around it. Nil fields mean "nobody there".
type Call struct {
	ID, Tool, Agent, Run, Session string
	Input                         json.RawMessage
	Roots                         Roots
	Ground                        *Ground                // Roots as the rules see them; nil = looked at for this call
	State                         *State                 // of the conversation: read digests, todos
	Report                        func(Event)            // progress, messages to the user
	Ask                           Asker                  // the person of this run
	Model                         Sampler                // the calling agent's own model, on the run's budget
	Readable                      func(path string) bool // read rules for results of a search; nil = everything
	Env                           []string               // NAME=value, more variables of commands
	Rules                         *Rules                 // of the agent, for what a child may do; nil = what the roots say
	Now                           Clock                  // what time it is for the run; nil = time.Now

	reached []reach // by the rules, when they looked last
}

// Direct tells whether the rules, when they decided on the call, found a path of it without a link on the way. It is false
// where two spellings may be one file.
func (c *Call) Direct(path string) bool {
	return !foldsCase && slices.ContainsFunc(c.reached, func(r reach) bool { return r.path.link == path && r.path.real == path })
}

// Result is what the model sees, and what the call changes for the rest of the exchange.
type Result struct {
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
	Blobs   []Blob `json:"blobs,omitempty"`
	Grant   []Rule `json:"grant,omitempty"` // a skill's allowed-tools; counts from the next turn
	Full    string `json:"full,omitempty"`  // the whole text where Content was cut; the runner keeps it as a file
	// ReadPath and ReadDigest say which file was seen, for the event tool_result.
	ReadPath   string `json:"read_path,omitempty"`
	ReadDigest string `json:"read_digest,omitempty"`
}

// Blob is an image or other binary content that came with a result.
type Blob struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// Roots is where a run works: Dir is the agent's working directory, Dirs are more places it may reach, Workspace is the
// root that rules of the form /path start at. All are absolute. CI gives each case its own.
type Roots struct {
	Workspace string   `json:"workspace"`
	Dir       string   `json:"dir"`
	Dirs      []string `json:"dirs,omitempty"`
}

// Toolset is a group of tools known only when it is opened. Open is called when a run begins, the release when it ends;
// tools that come later are seen by the next run.
type Toolset interface {
	Open(ctx context.Context, at Roots) (ts []Tool, release func(), err error)
}

// Asker reaches a person: a permission, an elicitation, a question.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Question is one permission prompt.
type Question struct {
	Agent, Tool string
	Text        string // what is about to happen, one line
	Rule        string // the rule that asks, as written
	Always      string // the rule that "always" would add
}

// Answer of a person.
type Answer int

// The answers. Refuse is the zero value: silence is no consent.
const (
	Refuse Answer = iota
	Once
	ThisRun
	Always
)

// Sampler answers a prompt that a tool or an MCP server asks.
type Sampler interface {
	Sample(ctx context.Context, system, prompt string) (string, error)
}

// Event is progress of a tool; runner/event carries it as it is.
type Event interface{ Type() string }

// Clock tells the time.
type Clock func() time.Time
