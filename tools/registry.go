package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// Registry is tools by name. The zero Registry is empty and ready, and safe for concurrent use.
type Registry struct {
	mu    sync.RWMutex
	tools map[string]Tool
}

// callName is what providers accept as a tool's name, up to 64 characters.
var callName = lazy.MustCompile(`^[A-Za-z0-9_-]+$`)

// Register adds a tool. A name that is taken, a name that no provider accepts and a tool that cannot be called (Func of a
// type without schema) are errors.
func (r *Registry) Register(t Tool) error {
	if f, ok := t.(interface{ unusable() error }); ok && f.unusable() != nil {
		return f.unusable()
	}
	name := t.Spec().Name
	if len(name) > 64 || !callName.Get().MatchString(name) {
		return fmt.Errorf("tool %q: a name is 1 to 64 letters, digits, _ and -", name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.tools[name]; taken {
		return fmt.Errorf("tool %q is registered twice", name)
	}
	if r.tools == nil {
		r.tools = map[string]Tool{}
	}
	r.tools[name] = t
	return nil
}

// Lookup finds a tool by its exact name.
func (r *Registry) Lookup(name string) (Tool, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	t, ok := r.tools[name]
	return t, ok
}

// Names lists all names in order.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.tools))
}

// Fixed is a Toolset of tools that are there already.
func Fixed(ts ...Tool) Toolset { return fixed(ts) }

type fixed []Tool

func (f fixed) Open(context.Context, Roots) ([]Tool, func(), error) {
	return slices.Clone(f), func() {}, nil
}
