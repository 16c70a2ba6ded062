package mcp

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/swarmrun/swarmrun/internal/pool"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// Hub holds the servers of a process: agents whose servers have the same settings share one, across generations. The zero
// Hub is empty and ready, and safe for concurrent use.
type Hub struct{ pool pool.Pool }

// Len counts the servers that are claimed or not yet gone.
func (h *Hub) Len() int { return h.pool.Len() }

// Client is a claim on a server. It starts nothing.
type Client struct {
	hub     *Hub
	server  Server
	options Options
	home    string // workspace whose server is kept between runs

	mu     sync.Mutex
	leases map[string]*held
	closed bool
}

// held is a lease with how many runs use it now.
type held struct {
	lease *pool.Lease[*link]
	runs  int
}

// Client claims a server for the workspace in home, until Close.
func (h *Hub) Client(s Server, o Options, home string) *Client {
	return &Client{hub: h, server: s, options: o, home: home, leases: map[string]*held{}}
}

// Keep claims the server as an agent with such rules has it, so that it outlives the generation that started it.
func (c *Client) Keep(at tools.Roots, rules *tools.Rules) {
	_, _, _ = c.take(at, rules) // fails on a closed claim only
}

// Server is the settings of the server.
func (c *Client) Server() Server { return c.server }

// place is where a server works and what it may do there.
type place struct {
	Roots tools.Roots // the zero Roots: the server is no program of ours
	Rules []string    // what decides there what it may read and write
}

// place finds it. What is not equal needs a process of its own; the rules count as they are written, and are looked up on
// disk when the process starts.
func (c *Client) place(at tools.Roots, rules *tools.Rules) place {
	if len(c.server.Command) == 0 && c.server.HeadersHelper == "" {
		return place{}
	}
	return place{Roots: at, Rules: rules.AccessKey()}
}

// access is what the server's process may do.
func (c *Client) access(at tools.Roots, rules *tools.Rules) sandbox.Access {
	out := rules.Access(at)
	out.Write = append(slices.Clip(out.Write), c.server.Write...)
	if c.server.Network != "" {
		out.Network = c.server.Network
	}
	return out
}

// take claims the link for a place.
func (c *Client) take(at tools.Roots, rules *tools.Rules) (*held, string, error) {
	key := c.server.fingerprint(c.place(at, rules))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, "", pool.ErrClosed
	}
	if h := c.leases[key]; h != nil {
		h.runs++
		return h, key, nil
	}
	s, o, cacheKey := c.server, c.options, c.server.fingerprint()
	h := &held{runs: 1, lease: pool.Take(&c.hub.pool, key, func(context.Context) (*link, func() error, error) {
		l := &link{
			server: s, options: o, key: cacheKey, workspace: at.Workspace, access: func() sandbox.Access { return c.access(at, rules) }, quit: make(chan struct{}),
			hears: map[*listener]struct{}{}, calls: map[*flight]struct{}{},
		}
		if s.Sampling {
			l.slot = make(chan struct{}, 1)
		}
		return l, l.close, nil
	})}
	c.leases[key] = h
	return h, key, nil
}

// leave ends a run's use. The server of another workspace ends with its last run.
func (c *Client) leave(key string, home bool) {
	c.mu.Lock()
	h := c.leases[key]
	if h == nil {
		c.mu.Unlock()
		return
	}
	h.runs--
	last := h.runs == 0 && !home
	if last {
		delete(c.leases, key)
	}
	c.mu.Unlock()
	if last {
		_ = h.lease.Close() // the process is gone either way
	}
}

// Close gives the claim back and waits until what nobody else uses is gone.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	leases := c.leases
	c.leases = map[string]*held{}
	c.mu.Unlock()
	var wg sync.WaitGroup
	errs := make([]error, len(leases))
	for i, h := range slices.Collect(maps.Values(leases)) {
		wg.Go(func() { errs[i] = h.lease.Close() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// CloseAll closes claims side by side: each may take a moment.
func CloseAll(clients []*Client) error {
	errs := make([]error, len(clients))
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() { errs[i] = c.Close() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// childCache is the XDG_CACHE_HOME of the program of a server. It has programs in it that run with what the server is given, so
// no other server may write it.
func (o *Options) childCache(key string) string {
	if o.Cache == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(o.Cache), "servers", key)
}
