package agents

import (
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Change is what a save did: a new generation, or the old one kept because of the diagnostics. loader says it, runner makes
// an event of it.
type Change struct {
	Generation              int  // the one that is served now
	Published               bool // it is a new one
	Rejected                bool // the save brought an error that the served generation does not have, so that one stays
	Added, Changed, Removed []Definition
	Kept                    int           // definitions that are what they were
	Diagnostics             diag.List     // of the files as they are now; W-STALE is among them where a save was not published
	Duration                time.Duration // from the beginning of the load to the swap
}

// Definition names a definition and its file.
type Definition struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	File string `json:"file"`
}
