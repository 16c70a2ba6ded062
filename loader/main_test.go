package loader

import (
	"fmt"
	"os"
	"testing"

	"github.com/swarmrun/swarmrun/config"
)

// TestMain finds out at the end whether anything has written to the extras that agents share.
func TestMain(m *testing.M) {
	code := m.Run()
	a, _, _ := config.ReadAgent([]byte("---\ndescription: Reads.\n---\nRead.\n"), "a.md", config.Workspace)
	if !a.AgentExtras.Empty() {
		fmt.Printf("the extras that agents share were written to: %+v\n", *a.AgentExtras)
		code = 1
	}
	os.Exit(code)
}
