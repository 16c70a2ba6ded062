package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/swarmrun/swarmrun/tools"
)

// Listed is a tool as models see it.
type Listed struct {
	Name, Description string
	Schema            json.RawMessage
}

// Probe starts a server for the workspace in home, asks for its tools and ends it. The error says why it does not start.
func Probe(ctx context.Context, s Server, o Options, home string) ([]Listed, error) {
	s.Required = true // so that it is started, and its failure is an error
	hub := &Hub{}
	c := hub.Client(s, o, home)
	ts, release, err := NewSet([]Use{{Client: c, Server: s}}, nil).Open(ctx, tools.Roots{Workspace: home, Dir: home})
	var out []Listed
	for _, t := range ts {
		spec := t.Spec()
		out = append(out, Listed{spec.Name, spec.Description, spec.Schema})
	}
	if release != nil {
		release()
	}
	if start, ok := errors.AsType[*startError](err); ok {
		err = start.cause // whether the server is required is not the question
	}
	if closing := c.Close(); err == nil {
		err = closing
	}
	return out, err
}
