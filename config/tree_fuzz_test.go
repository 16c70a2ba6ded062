package config

import (
	"testing"

	"github.com/swarmrun/swarmrun/config/diag"
)

// FuzzTrees reads settings files of other programs: nothing panics, every finding lies in the file, and what refuses the agents
// of a tree is an error.
func FuzzTrees(f *testing.F) {
	for _, seed := range []string{
		`{"permission": {"*": "allow", "bash": {"*": "ask", "git push *": "deny"}}, "tools": {"webfetch": false}, "agent": {"a": {"prompt": "{file:x}"}}}`,
		`{"tools": {"core": ["ShellTool(git)"], "exclude": ["run_shell_command(rm)"]}, "mcpServers": {"a": {"httpUrl": "$X", "command": 1}}}`,
		`{"mcp": {"a": {"type": "local", "command": ["x", "{env:Y}"], "enabled": false}, "allowed": []}, "mode": {"b": []}}`,
		`{"permission": "deny", "excludeTools": "x", "agent": {"x": {"description": "d", "permission": {"edit": {"*.md": "allow"}}}}}`,
		"[]", "{", "\ufeff{}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var all diag.List
		for _, read := range []func([]byte, string) (*TreeSettings, diag.List){ReadOpencode, ReadGemini} {
			s, ds := read(src, "f")
			all.Add(ds...)
			if s == nil {
				if !ds.HasErrors() {
					t.Fatal("no settings and no error")
				}
				continue
			}
			for _, d := range s.Refused {
				if d.Severity != diag.Error {
					t.Fatalf("%s refuses as a %s", d.Code, d.Severity)
				}
			}
		}
		agents, _ := ReadOpencodeAgents(src, "f")
		for _, a := range agents {
			all.Add(a.Diagnostics...)
			if (a.Agent == nil) == (a.Definition.Status == Loaded) {
				t.Fatalf("the agent %q is %s", a.Definition.Name, a.Definition.Status)
			}
		}
		for _, o := range []Origin{FromGemini, FromOpencode} {
			for _, e := range ReadTreeServers(src, "f", o, nil) {
				all.Add(e.Diagnostics...)
				if (e.Server == nil) == (e.Definition.Status == Loaded) {
					t.Fatalf("the server %q is %s", e.Definition.Name, e.Definition.Status)
				}
			}
		}
		for _, d := range all {
			if d.Range.File != "f" || d.Range.Start.Line < 1 || d.Range.Start.Column < 1 {
				t.Fatalf("%s has no place: %v", d.Code, d.Range)
			}
		}
	})
}
