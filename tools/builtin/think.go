package builtin

import (
	"context"
	"errors"
	"strings"

	"github.com/swarmrun/swarmrun/tools"
)

type thinkInput struct {
	Thoughts string `json:"thoughts"`
}

const thinkSchema = `{"type":"object","required":["thoughts"],"properties":{
"thoughts":{"type":"string","description":"What to think through"}}}`

// newThink is a place to reason in: it changes nothing. Arguments that the schema does not name are accepted.
func newThink() tools.Tool {
	return &tool[thinkInput]{
		spec: spec("Think", "Writes down reasoning before acting: a plan, a decision, what a result means. It has no effect and nobody reads it.", thinkSchema, true),
		run: func(_ context.Context, _ *tools.Call, in thinkInput) (tools.Result, error) {
			if strings.TrimSpace(in.Thoughts) == "" {
				return tools.Result{}, errors.New("thoughts is empty")
			}
			return text("Noted. Go on."), nil
		},
	}
}
