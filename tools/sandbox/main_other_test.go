//go:build unix && !linux

package sandbox_test

import (
	"testing"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// confined is a Launcher on a system without a launching process.
func confined(testing.TB) sandbox.Launcher { return sandbox.Launcher{} }
