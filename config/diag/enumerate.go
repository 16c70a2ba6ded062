package diag

import (
	"fmt"
	"strings"
)

// maxNamed is how many names an enumeration shows.
const maxNamed = 24

// Enumerate joins names for a person, and says how many are left out.
func Enumerate(names []string) string {
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
}
