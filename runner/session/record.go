package session

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

// Version is that of the stored form. A file with a higher one is refused.
const Version = 1

// Head is the first line of a session.
type Head struct {
	ID        string     `json:"id"`
	Created   event.Time `json:"created"`
	Workspace string     `json:"workspace_name"`
	Target    string     `json:"target"`

	ForkedFrom *Origin `json:"forked_from,omitempty"` // nil: it began with its first run
}

type headJSON struct {
	Type    string `json:"type"`
	Version int    `json:"version"`
	Head
}

// Type says what a record is.
type Type string

// The records of this version. A Cleared one with Apart set gives a run a conversation of its own; without it, what the
// agent remembers ends there.
const (
	Message    Type = "message"
	Started    Type = "tool_started"
	ToolResult Type = "tool_result"
	RunStop    Type = "run_stop"
	Compacted  Type = "compacted"
	Repaired   Type = "repaired"
	Cleared    Type = "cleared"
)

// Record is one line after the head. Which fields are set depends on its type.
type Record struct {
	Type  Type       `json:"type"`
	Time  event.Time `json:"time"`
	Run   string     `json:"run"`
	Agent string     `json:"agent"` // target@delegator for a delegate

	Message    *providers.Message `json:"message,omitempty"`
	Incomplete bool               `json:"incomplete,omitempty"` // the answer was cut short

	ToolCallID string           `json:"tool_call_id,omitempty"`
	Tool       string           `json:"tool,omitempty"`
	Content    string           `json:"content,omitempty"`
	IsError    bool             `json:"is_error,omitempty"`
	Blobs      []providers.Blob `json:"blobs,omitempty"`
	File       string           `json:"file,omitempty"` // the whole of a result that was cut

	Result *event.Result `json:"result,omitempty"`

	Replaces int                 `json:"replaces,omitempty"` // messages from the beginning
	Messages []providers.Message `json:"messages,omitempty"` // what stands in their place

	Apart bool `json:"apart,omitempty"`

	Raw json.RawMessage `json:"-"` // the whole line, where the type is unknown
}

// Stored is a session as it lies on disk.
type Stored struct {
	Head    Head
	Records []Record
	Torn    int // bytes of a last line that was cut off by a crash; they are no record
}

// Decode reads the text of a session file. The line without a line break at its end is what a crash left.
func Decode(text []byte) (*Stored, error) {
	end := bytes.LastIndexByte(text, '\n') + 1
	s := &Stored{Torn: len(text) - end}
	n := 0
	for line := range bytes.Lines(text[:end]) {
		n++
		if n == 1 {
			if err := decodeHead(line, &s.Head); err != nil {
				return nil, err
			}
			continue
		}
		r, err := decodeRecord(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is damaged: %w", n, err)
		}
		s.Records = append(s.Records, r)
	}
	if n == 0 {
		return nil, fmt.Errorf("line 1 is damaged: no session begins there")
	}
	return s, nil
}

func decodeHead(line []byte, h *Head) error {
	var in headJSON
	if err := json.Unmarshal(line, &in); err != nil {
		return fmt.Errorf("line 1 is damaged: %w", err)
	}
	if in.Type != "session" {
		return fmt.Errorf("line 1 is damaged: no session begins there")
	}
	if in.Version > Version {
		return fmt.Errorf("it has version %d, this program reads up to %d: a newer swarmrun wrote it", in.Version, Version)
	}
	*h = in.Head
	return nil
}

func decodeRecord(line []byte) (Record, error) {
	var head struct {
		Type  Type       `json:"type"`
		Time  event.Time `json:"time"`
		Run   string     `json:"run"`
		Agent string     `json:"agent"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return Record{}, err
	}
	switch head.Type {
	case Message, Started, ToolResult, RunStop, Compacted, Repaired, Cleared:
		var r Record
		err := json.Unmarshal(line, &r)
		return r, err
	}
	raw := bytes.Clone(bytes.TrimSuffix(line, []byte{'\n'}))
	return Record{Type: head.Type, Time: head.Time, Run: head.Run, Agent: head.Agent, Raw: raw}, nil
}
