package builtin

import (
	"os"
	"syscall"
	"testing"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// TestMain makes the test binary the launching process of its own children, as swarmrun is.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "__launch" {
		syscall.Exit(sandbox.Launch()) // not os.Exit: with the race detector that waits a second
	}
	os.Exit(m.Run())
}
