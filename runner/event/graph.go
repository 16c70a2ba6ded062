package event

import (
	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
)

// GraphLoaded tells what a workspace holds, once when a long-running command starts. It belongs to no run.
type GraphLoaded struct {
	Header      `json:"-"`
	Counts      Counts    `json:"counts"`
	Diagnostics diag.List `json:"diagnostics"`
}

// Counts are definitions by what became of them.
type Counts struct {
	Loaded   int `json:"loaded"`
	Repaired int `json:"repaired"`
	Skipped  int `json:"skipped"`
	Broken   int `json:"broken"`
}

// GraphReloaded tells that a save was published: runs that begin from now on see it. It belongs to no run.
type GraphReloaded struct {
	Header      `json:"-"`
	Added       []agents.Definition `json:"added" doc:"{kind, name, file}"`
	Changed     []agents.Definition `json:"changed"`
	Removed     []agents.Definition `json:"removed"`
	Kept        int                 `json:"kept"`
	Diagnostics diag.List           `json:"diagnostics" doc:"warnings"`
	DurationMS  int64               `json:"duration_ms"`
}

// GraphRejected tells that a save brought an error that the served generation, which stays, does not have.
type GraphRejected struct {
	Header      `json:"-"`
	Diagnostics diag.List `json:"diagnostics"`
}

// Type is graph_loaded.
func (*GraphLoaded) Type() string { return "graph_loaded" }

// Type is graph_reloaded.
func (*GraphReloaded) Type() string { return "graph_reloaded" }

// Type is graph_rejected.
func (*GraphRejected) Type() string { return "graph_rejected" }
