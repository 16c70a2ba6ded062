package loader

import (
	"strings"
	"testing"
)

// TestMissingServerPrograms: a program that is not there is told at its command, in files and in agents.
func TestMissingServerPrograms(t *testing.T) {
	dir := write(t, t.TempDir(), "mcp/gone.md", "---\ncommand: no-such-server\n---\n")
	write(t, dir, "mcp/path.md", "---\ncommand: ./gone/server\ncwd: sub\n---\n")
	write(t, dir, "mcp/here.md", "---\ncommand: ./server\ncwd: sub\n---\n")
	write(t, dir, "mcp/installed.md", "---\ncommand: sh\n---\n")
	write(t, dir, "mcp/other.md", "---\ncommand: no-such-server\nenv: {PATH: /opt/bin}\n---\n")
	write(t, dir, "sub/server", "")
	write(t, dir, "agents/a.md", agentFile("a", "model: openai/gpt-5\nmcp:\n  - own: {command: no-such-server}\n"))
	var got []string
	for _, d := range check(t, dir, &Options{Environ: []string{"PATH=/bin:/usr/bin"}}).Diagnostics {
		if d.Code == "W-MCP-MISSING" {
			got = append(got, d.Range.String())
		}
	}
	if want := "agents/a.md:6:20 mcp/gone.md:2:10 mcp/path.md:2:10"; strings.Join(got, " ") != want {
		t.Errorf("told at %v, want %s", got, want)
	}
}
