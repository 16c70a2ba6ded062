package config

import "testing"

// TestTreeServers: an entry that is no map is told, and stops no other.
func TestTreeServers(t *testing.T) {
	for o, text := range map[Origin]string{
		FromGemini:   `{"mcpServers": {"bad": "npx x", "good": {"command": "npx"}, "excluded": ["x"]}}`,
		FromOpencode: `{"mcp": {"bad": "npx x", "good": {"type": "local", "command": ["npx"]}}}`,
	} {
		entries := ReadTreeServers([]byte(text), "settings.json", o, []string{})
		if len(entries) != 2 {
			t.Fatalf("%s: %d servers", o, len(entries))
		}
		bad, good := entries[0], entries[1]
		if bad.Server != nil || bad.Definition.Status != Broken || len(bad.Diagnostics) != 1 || bad.Diagnostics[0].Code != "E-VALUE-TYPE" {
			t.Errorf("%s: the entry that is no map: %s %v", o, bad.Definition.Status, bad.Diagnostics)
		}
		if good.Server == nil || good.Definition.Status != Loaded {
			t.Errorf("%s: the other one: %v", o, good.Diagnostics)
		}
	}
}
