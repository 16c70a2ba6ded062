package builtin

import (
	"os"
	"testing"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// TestMain makes the test binary the launching process of its own children, as swarmrun is.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "__launch" {
		os.Exit(sandbox.Launch())
	}
	os.Exit(m.Run())
}
