package loader

import (
	"strconv"

	"github.com/swarmrun/swarmrun/config"
)

func quoted(s string) string { return strconv.Quote(s) }

// words are references as they are written.
func words(refs []config.Ref) []string {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = r.V
	}
	return out
}
