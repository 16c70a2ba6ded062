package loader

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/config"
)

// maxNamed is how many names an enumeration shows.
const maxNamed = 24

// enumerate joins names for a person, and says how many are left out.
func enumerate(names []string) string {
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
}

func quoted(s string) string { return strconv.Quote(s) }

// words are references as they are written.
func words(refs []config.Ref) []string {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = r.V
	}
	return out
}
