package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/tools"
)

// Use is a server of an agent.
type Use struct {
	*Client
	// Server is the settings as this agent has them: names and allow lists may differ where the process is shared.
	Server Server
	// Rules of the agent say what its process may write and must not read; nil = none.
	Rules *tools.Rules
	// Brought: the agent's mcp field alone offers the tools, no entry of its tools setting is needed.
	Brought bool
}

// Set is the servers of an agent as tools.
type Set struct {
	uses  []Use
	taken map[string]bool // names that other tools of the agent have
}

// NewSet makes a set. Taken are names of other tools that the agent may have: a server's tool of such a name is left out.
func NewSet(uses []Use, taken []string) *Set {
	s := &Set{uses: uses, taken: map[string]bool{}}
	for _, n := range taken {
		s.taken[n] = true
	}
	return s
}

// Open starts what is not lazy, side by side, and gives the tools of all servers. A server that does not start is told and
// has no tools; one that is required ends the run.
func (s *Set) Open(ctx context.Context, at tools.Roots) ([]tools.Tool, func(), error) {
	opened := make([]*opened, len(s.uses))
	var wg sync.WaitGroup
	for i, u := range s.uses {
		wg.Go(func() { opened[i] = u.open(ctx, at) })
	}
	wg.Wait()
	release := func() {
		for _, o := range opened {
			o.release()
		}
	}
	var failed []error
	for _, o := range opened {
		if o.err != nil && o.use.Server.Required {
			failed = append(failed, &startError{o.use.Server.Name, o.err})
		}
	}
	if len(failed) > 0 {
		release()
		return nil, nil, errors.Join(failed...)
	}
	return s.unique(ctx, opened), release, nil
}

// startError is why a server that is required does not start.
type startError struct {
	server string
	cause  error
}

func (e *startError) Error() string {
	return fmt.Sprintf("%v: the MCP server %s does not start: %v", tools.ErrRequired, e.server, e.cause)
}

func (e *startError) Unwrap() []error { return []error{tools.ErrRequired, e.cause} }

// unique leaves out tools whose name another one has: a call could reach the wrong server.
func (s *Set) unique(ctx context.Context, all []*opened) []tools.Tool {
	byName := map[string][]*tool{}
	var names []string
	for _, o := range all {
		for _, t := range o.tools() {
			if byName[t.spec.Name] == nil {
				names = append(names, t.spec.Name)
			}
			byName[t.spec.Name] = append(byName[t.spec.Name], t)
		}
	}
	var out []tools.Tool
	for _, n := range names {
		same := byName[n]
		if len(same) == 1 && !s.taken[n] {
			out = append(out, same[0])
			continue
		}
		var who []string
		for _, t := range same {
			who = append(who, fmt.Sprintf("%s of the server %s", short(t.shown(), 80), t.use.Server.Name))
		}
		if s.taken[n] {
			who = append(who, "a tool of the agent")
		}
		slices.Sort(who)
		tools.Tell(ctx, tools.Warning{Code: "E-MCP-TOOL-CLASH", Message: fmt.Sprintf(
			"%s would all be called %s, so no tool of a server is; rename a server, or give one a prefix", strings.Join(who, " and "), n)})
	}
	slices.SortFunc(out, func(a, b tools.Tool) int { return cmp.Compare(a.Spec().Name, b.Spec().Name) })
	return out
}

// opened is a server as one run has it.
type opened struct {
	use     Use
	link    *link
	listing *listing
	err     error
	release func()
	pins    *pins
	renewed map[string]bool // tools that are described otherwise than when a person approved them
}

// open leases the server and learns what it offers.
func (u Use) open(ctx context.Context, at tools.Roots) *opened {
	o := &opened{use: u, release: func() {}}
	rules := u.Rules
	if rules == nil {
		rules = &tools.Rules{}
	}
	h, key, err := u.take(at, rules)
	if err != nil {
		o.err = err
		return o
	}
	o.release = sync.OnceFunc(func() { u.leave(key, at.Workspace == u.home) })
	if o.link, o.err = h.lease.Get(ctx); o.err != nil {
		return o
	}
	deaf, leave := o.link.hear(func(e tools.Event) { tools.Tell(ctx, e) }), o.release
	o.release = func() { deaf(); leave() }
	o.link.forgive()
	o.listing = o.link.list()
	if o.listing == nil && u.Server.Lazy && !u.Server.Required {
		o.listing = u.options.cached(o.link.key)
	}
	if o.listing == nil || !u.Server.Lazy || u.Server.Required {
		if _, _, o.err = o.session(ctx, func(e tools.Event) { tools.Tell(ctx, e) }); o.err != nil {
			o.listing = nil
			return o
		}
		o.listing = o.link.list()
	}
	o.report(ctx)
	o.compare(ctx)
	return o
}

// session gives the session. Where it had to wait for a start, which another run may have begun, that is told, and how long it
// took; 0 = the server ran.
func (o *opened) session(ctx context.Context, tell func(tools.Event)) (s *session, waited time.Duration, err error) {
	if o.link.running() {
		if s, err := o.link.session(ctx); err == nil {
			return s, 0, nil
		}
	}
	began := time.Now()
	server := &o.use.Server
	tell(InitStart{server.Name, server.transport()})
	s, err = o.link.session(ctx)
	waited = time.Since(began)
	done := InitComplete{
		ServerName: server.Name, TransportType: server.transport(), OK: err == nil, Tools: []string{}, DurationMS: waited.Milliseconds(),
	}
	if err != nil {
		done.Message = err.Error()
	} else if known := o.link.list(); known != nil {
		for _, n := range known.names() {
			done.Tools = append(done.Tools, server.ToolName(n))
		}
		done.ToolCount = len(done.Tools)
	}
	tell(done)
	return s, waited, err
}

// report tells of what is left out, and of tools that the allow list names and the server lacks.
func (o *opened) report(ctx context.Context) {
	for _, why := range o.listing.refused {
		tools.Tell(ctx, tools.Warning{Code: "mcp_tool", Message: fmt.Sprintf("the MCP server %s: %s", o.use.Server.Name, why)})
	}
	names := o.listing.names()
	for _, want := range o.use.Server.Tools {
		if !slices.Contains(names, want) && !slices.Contains(o.extraNames(), want) {
			tools.Tell(ctx, tools.Warning{Code: "mcp_tool", Message: fmt.Sprintf("the MCP server %s has no tool %q, which its definition lists", o.use.Server.Name, want)})
		}
	}
}

// tools are the tools that the agent may have of the server.
func (o *opened) tools() []*tool {
	if o.listing == nil {
		return nil
	}
	var out []*tool
	for _, r := range o.listing.Tools {
		if o.use.Server.wants(r.Name) {
			out = append(out, &tool{
				opened: o, remote: r.Name,
				spec: tools.NewSpec(o.use.Server.ToolName(r.Name), r.Description, r.Schema, false),
			})
		}
	}
	return append(out, o.extras()...)
}
