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
			if a.Agent == nil && a.Definition.Status == Loaded {
				t.Fatalf("the agent %q is %s", a.Definition.Name, a.Definition.Status)
			}
		}
		for _, o := range []Origin{FromGemini, FromOpencode} {
			for _, e := range ReadTreeServers(src, "f", o, nil) {
				all.Add(e.Diagnostics...)
				if e.Diagnostics.HasErrors() != (e.Definition.Status == Broken) || e.Server == nil && e.Definition.Status == Loaded {
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

// FuzzTongues reads agents in the words of other programs: nothing panics, findings lie in the file, and a file with errors
// gives no agent.
func FuzzTongues(f *testing.F) {
	for _, text := range []string{
		"---\ndescription: d\ntools: {bash: false, edit: true}\npermission: {bash: {\"*\": ask, \"git *\": allow}, \"*\": deny}\n---\nx",
		"---\nname: n\ndescription: d\ntools: [run_shell_command, mcp_a_b, \"*\"]\ntimeout_mins: 3\ntemperature: 1\n---\nx",
		"---\ndescription: d\ntools: [execute, search/codebase, github/*]\nagents: [a]\nhandoffs: [{label: l, agent: a, prompt: p}]\nmodel: [Claude Sonnet 4.5 (copilot)]\n---\n#tool:read x",
		"---\n- kind: remote\n  name: a\n  agent_card_url: x\n---\n", "---\npermissions: [{action: edit, resource: \"*.md\", effect: deny}]\n---\n", "---\n*: x\n---\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, o := range []Origin{FromCopilot, FromGemini, FromOpencode} {
			a, def, ds := ReadAgent(src, "x.md", o)
			insideFile(t, src, ds)
			if a == nil && def.Status.Usable() || ds.HasErrors() && def.Status.Usable() || a != nil && a.Status != def.Status {
				t.Fatalf("%s: agent %v, status %s, findings %v", o, a, def.Status, ds)
			}
		}
	})
}

// FuzzTeams reads teams of docker-agent and recipes of goose: nothing panics, findings lie in the file, and what restricts an agent
// is never a rule that cannot be read.
func FuzzTeams(f *testing.F) {
	for _, text := range []string{
		"agents:\n  root: {model: openai/gpt-5, description: d, instruction: i, toolsets: [{type: shell}, {type: mcp, ref: docker:x}], sub_agents: [a]}\n  a: {}\npermissions: {deny: [\"shell:cmd=rm *\"], ask: [read_file]}\nmodels: {m: {provider: openai, model: x}}",
		"version: 1\ntitle: t\ndescription: d\ninstructions: \"do {{ x }}\"\nparameters: [{key: x, input_type: string, requirement: required}]\nextensions: [{type: stdio, name: n, cmd: c, args: [a]}]\nretry: {max_retries: 1}",
		"name: n\nrecipe: {title: t, description: d, prompt: \"{% if x %}\", settings: {goose_provider: openai, goose_model: m, max_turns: 3}}",
		`{"title": "t", "description": "d", "prompt": "p", "response": {"json_schema": {"type": "object"}}}`, "agents: [", "agents: {root: {toolsets: 3}}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for name, read := range map[string]func([]byte, string) (*Team, diag.List){"docker": ReadDockerAgents, "goose": ReadRecipe} {
			team, ds := read(src, "x.yaml")
			insideFile(t, src, ds)
			if team == nil && !ds.HasErrors() {
				t.Fatalf("%s: no team and no error", name)
			}
			if team == nil {
				continue
			}
			for _, a := range team.Agents {
				if _, err := EncodeAgent(a); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	})
}
