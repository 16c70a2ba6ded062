package sandbox_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv("SANDBOX_PARENT"); mode != "" {
		os.Exit(parent(mode))
	}
	if os.Getenv("SANDBOX_IGNORED") != "" {
		os.Exit(ignored())
	}
	if os.Getenv("SANDBOX_CLOSED") != "" { // as main closes its process to others
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// confined is a Launcher as main makes one.
func confined(t testing.TB) sandbox.Launcher {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Launcher{Path: self, Probe: &sandbox.Probe{}}
}
