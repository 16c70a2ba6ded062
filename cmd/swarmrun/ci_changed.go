package main

import (
	"context"

	"github.com/swarmrun/swarmrun/agents"
)

func (a *app) changedSince(ctx context.Context, w *workspace, ref string) (func(*agents.Job, *agents.Case) bool, error) {
	return nil, nil
}
