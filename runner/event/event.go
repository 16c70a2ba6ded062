package event

import "time"

// Event is one of the types of this package, as a pointer.
type Event interface {
	// Type is the name on the wire, such as agent_step.
	Type() string
	// Head is what every event carries.
	Head() *Header
}

// Header is what every event carries. Its sequence number is no part of it: a Writer counts what it writes.
type Header struct {
	Time       time.Time
	Run        string // "" for what belongs to no run
	Agent      string // "" where none acts
	Session    string
	Generation int // of the graph
	Depth      int // 0 = the target of the request
	ParentRun  string
	Job, Case  string // of CI, of which the run is a part; "" elsewhere
}

// Head returns h.
func (h *Header) Head() *Header { return h }

// Lower is an event of a lower package as it was told there: provider.*, todo_changed, progress of tools.
type Lower struct {
	Header
	Note Note
}

// Note is what the events of lower packages have in common. Its fields are those of its JSON object.
type Note interface{ Type() string }

// Type is the note's.
func (e *Lower) Type() string { return e.Note.Type() }
