package config

import (
	"testing"
	"unsafe"
)

// TestAgentSize holds agents below a size class of the allocator: of each that is loaded two are kept, as written and as settled.
func TestAgentSize(t *testing.T) {
	const class = 2048
	if n := unsafe.Sizeof(agentFile{}); n > class {
		t.Errorf("an agent file takes %d bytes, above %d the allocator gives 2304", n, class)
	}
}
