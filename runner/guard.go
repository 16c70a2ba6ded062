package runner

import (
	"crypto/sha256"
	"io"

	"github.com/swarmrun/swarmrun/providers"
)

// guardLimit is how often in a row the same call may have the same result.
const guardLimit = 5

// guard notices a model that goes round in a circle.
type guard struct {
	last [sha256.Size]byte
	n    int
}

// sees counts one call with its result, and tells whether it was once too often.
func (g *guard) sees(c providers.ToolCall, r providers.ToolResult) bool {
	h := sha256.New()
	for _, s := range [...]string{c.Name, string(c.Args), r.Content} {
		_, _ = io.WriteString(h, s) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	if sum != g.last {
		g.last, g.n = sum, 0
	}
	g.n++
	return g.n >= guardLimit
}
