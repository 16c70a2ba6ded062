package runner

import (
	"bytes"

	"github.com/swarmrun/swarmrun/providers"
)

// guardLimit is how often in a row the same call may have the same result.
const guardLimit = 5

// guard notices a model that goes round in a circle.
type guard struct {
	call   providers.ToolCall
	result string
	n      int
}

// sees counts one call with its result, and tells whether it was once too often.
func (g *guard) sees(c providers.ToolCall, r providers.ToolResult) bool {
	if c.Name != g.call.Name || r.Content != g.result || !bytes.Equal(c.Args, g.call.Args) {
		g.call, g.result, g.n = c, r.Content, 0
	}
	g.n++
	return g.n >= guardLimit
}
