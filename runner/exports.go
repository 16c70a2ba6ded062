package runner

import (
	"slices"
	"sync"
)

// exports are variables that hooks of the beginning gave to the commands of a run and all below it.
type exports struct {
	mu  sync.Mutex
	env []string // NAME=value, the last one of a name counts
}

func (e *exports) add(env []string) {
	if len(env) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.env = append(slices.Clip(e.env), env...)
}

func (e *exports) list() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.env
}
