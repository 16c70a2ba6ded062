package claude

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// settingsOf reads settings files given as path, text pairs and lists findings as file:line:col code.
func settingsOf(t *testing.T, files ...string) (*config.TreeSettings, []string) {
	t.Helper()
	tree := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		tree[".claude/"+files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	s, ds := Formats()[0].Settings(tree, false, func(p string) string { return strings.TrimPrefix(p, ".claude/") })
	var found []string
	for _, d := range ds {
		found = append(found, fmt.Sprintf("%s %s", d.Range, d.Code))
	}
	return s, found
}

func words(refs []config.Ref) string {
	var out []string
	for _, r := range refs {
		out = append(out, fmt.Sprintf("%s@%s", r.V, r.At))
	}
	return strings.Join(out, " ")
}

func TestPermissions(t *testing.T) {
	s, found := settingsOf(t,
		"settings.json", "{\n  // comment\n  \"permissions\": {\n    \"deny\": [\"Bash(rm *)\", /* é */ \"Read(.env)\",],\n    \"defaultMode\": \"plan\"\n  },\n}\n",
		"settings.local.json", `{"permissions": {"allow": ["Bash(go *)"], "ask": ["Write"], "defaultMode": "dontAsk",
			"additionalDirectories": ["../lib"], "disableBypassPermissionsMode": "disable"}}`)
	if len(found) > 0 {
		t.Errorf("findings: %v", found)
	}
	got := []string{words(s.Permissions.Allow), words(s.Permissions.Ask), words(s.Permissions.Deny), words(s.Directories), s.Mode.V, fmt.Sprint(s.NoBypass)}
	want := []string{
		"Bash(go *)@settings.local.json:1:28", "Write@settings.local.json:1:51",
		"Bash(rm *)@settings.json:4:14 Read(.env)@settings.json:4:36", "../lib@settings.local.json:2:30", "deny-asks", "true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFindings(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no object", `[]`, "settings.json:1:1 E-VALUE-TYPE"},
		{"cut off", `{"permissions": {`, "settings.json:1:18 E-JSON"},
		{"no JSON", "{\n  oops\n}", "settings.json:2:3 E-JSON"},
		{"two values", `{} {}`, "settings.json:1:5 E-JSON"},
		{"a key twice", `{"permissions": {"deny": [], "deny": []}}`, "settings.json:1:30 E-JSON"},
		{"a rule that is no text", `{"permissions": {"deny": [1]}}`, "settings.json:1:27 E-VALUE-TYPE"},
		{"a deny that is no list", `{"permissions": {"deny": "Bash"}}`, "settings.json:1:26 E-VALUE-TYPE"},
		{"a gate", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}`, "settings.json:1:12 W-HOOK-FAIL-OPEN"},
		{"no gate", `{"hooks": {"Stop": [{"hooks": []}]}}`, ""},
		{"an empty gate", `{"hooks": {"PreToolUse": []}}`, ""},
		{"hooks are off", `{"disableAllHooks": true, "hooks": {"PreToolUse": [{}]}}`, ""},
		{"hooks of no shape", `{"hooks": ["x"]}`, "settings.json:1:11 E-VALUE-TYPE"},
		{"a mode that takes questions away", `{"permissions": {"defaultMode": "bypassPermissions"}}`, "settings.json:1:33 I-INACTIVE"},
		{"a misspelt list of rules", `{"permissions": {"dney": ["Bash"]}}`, "settings.json:1:18 W-KEY-NEAR"},
		{"misspelt hooks", `{"hoooks": {}}`, "settings.json:1:2 W-KEY-NEAR"},
		{"other keys", `{"theme": "dark", "$schema": "x"}`, "settings.json:1:2 I-INACTIVE"},
		{"too deep", strings.Repeat("[", 200), "settings.json:1:102 E-JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, found := settingsOf(t, "settings.json", tt.text)
			if diff := cmp.Diff(tt.want, strings.Join(found, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoSettings(t *testing.T) {
	if s, found := settingsOf(t); s != nil || found != nil {
		t.Errorf("settings %v, findings %v", s, found)
	}
	tree := fstest.MapFS{".claude/settings.json/x": {}}
	if _, ds := Formats()[0].Settings(tree, false, strings.ToUpper); len(ds) != 1 || ds[0].Code != "E-FILE-READ" {
		t.Errorf("a folder as settings: %v", ds)
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"permissions": {"deny": ["a"],}, // c
 "hooks": {}}`))
	f.Add([]byte("\ufeff{\"a\":/**/1}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		r := reader{file: "f", to: &config.TreeSettings{}}
		r.settings(src)
		lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(src)), "\n")
		for _, d := range r.diags {
			checkPos(t, lines, d.Range.Start)
			checkPos(t, lines, d.Range.End)
		}
	})
}

func checkPos(t *testing.T, lines []string, p diag.Pos) {
	t.Helper()
	if p.Line < 1 || int(p.Line) > len(lines) || p.Column < 1 || int(p.Column) > utf8.RuneCountInString(lines[p.Line-1])+3 {
		t.Errorf("place %v lies outside the text", p)
	}
}

func TestKeys(t *testing.T) {
	s, found := settingsOf(t,
		"settings.local.json", `{"model": "opus", "env": {"A": "1", "N": 3}, "enabledMcpjsonServers": ["x"]}`,
		"settings.json", `{"model": "haiku", "agent": "lead", "env": {"A": "2", "B": "b", "L": []}, "enabledMcpjsonServers": ["y"],
			"disabledMcpjsonServers": ["z"], "enableAllProjectMcpServers": true, "claudeMdExcludes": ["**/old/CLAUDE.md"],
			"disableSkillShellExecution": true, "allowedHttpHookUrls": ["https://x/*"], "disableAllHooks": true}`)
	got := []string{
		s.Model.V[0].V, s.Agent.V, fmt.Sprint(s.Env.V), words(s.MCPOn), words(s.MCPOff), fmt.Sprint(s.AllMCP.V),
		words(s.Excludes), fmt.Sprint(s.NoSkillShell.V), words(s.HTTPHooks.V), fmt.Sprint(s.NoHooks.V), strings.Join(found, " "),
	}
	want := []string{
		"opus", "lead", "map[A:1 B:b N:3]", "x@settings.local.json:1:72 y@settings.json:1:101", "z@settings.json:2:31", "true",
		"**/old/CLAUDE.md@settings.json:2:94", "true", "https://x/*@settings.json:3:64", "true", "settings.json:1:70 E-VALUE-TYPE",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLimits refuses limits that cannot be read: what they forbid would be lost.
func TestLimits(t *testing.T) {
	s, found := settingsOf(t,
		"settings.local.json", `{"enabledPlugins": {"a@shop": ["1.x"], "b": "no"}}`,
		"settings.json", `{"enabledPlugins": {"a": false, "b": false, "c": true},
			"sandbox": {"enabled": "false", "filesystem": ["~/.ssh"], "network": {"allowedDomains": ["x.com"]}}}`)
	got := []string{fmt.Sprint(s.Plugins), fmt.Sprint(s.NoNetwork.V), strings.Join(found, " ")}
	want := []string{"map[a:true b:false c:true]", "true", "settings.local.json:1:45 E-VALUE-TYPE settings.json:2:27 E-VALUE-TYPE settings.json:2:50 E-VALUE-TYPE settings.json:2:74 W-SANDBOX-DOMAINS"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPlugins finds plugins where they may lie, and stays inside of them.
func TestPlugins(t *testing.T) {
	tree := fstest.MapFS{}
	for path, text := range map[string]string{
		".claude/settings.json":                            `{"enabledPlugins": {"off@shop": false}}`,
		".claude-plugin/plugin.json":                       `{"name": "root", "commands": ["./extra/c.md", "../out.md"], "hooks": {"Stop": []}, "lspServers": {}}`,
		".claude-plugin/marketplace.json":                  `{"name": "shop", "plugins": [{"name": "m", "source": "./market/m"}, {"name": "far", "source": {"source": "github"}}, {"source": "./../x"}]}`,
		".claude/plugins/two/.claude-plugin/plugin.json":   `{"name": "two"}`,
		".claude/plugins/off/.claude-plugin/plugin.json":   `{"name": "off"}`,
		".claude/plugins/bad/.claude-plugin/plugin.json":   `{"name": "a:b"}`,
		".claude/plugins/again/.claude-plugin/plugin.json": `{"name": "two"} `,
		"market/m/.claude-plugin/plugin.json":              `{"name": "m", "defaultEnabled": false}`,
	} {
		tree[path] = &fstest.MapFile{Data: []byte(text)}
	}
	folders, ds := Formats()[0].Folders(tree, false, func(p string) string { return p })
	var got []string
	for _, f := range folders[4:] {
		got = append(got, fmt.Sprintf("%s %s %s", f.Plugin.Name, f.Kind, f.Path))
	}
	want := []string{
		"root agent agents", "root skill skills", "root command commands", "root hook hooks/hooks.json", "root mcp .mcp.json",
		"root command extra/c.md", "root hook .claude-plugin/plugin.json",
		"two agent .claude/plugins/again/agents", "two skill .claude/plugins/again/skills", "two command .claude/plugins/again/commands",
		"two hook .claude/plugins/again/hooks/hooks.json", "two mcp .claude/plugins/again/.mcp.json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	for _, d := range ds.Sort() {
		got = append(got, fmt.Sprintf("%s %s", d.Range, d.Code))
	}
	want = []string{
		".claude-plugin/plugin.json:1:47 E-FILE-READ", ".claude-plugin/plugin.json:1:84 I-INACTIVE",
		".claude/plugins/bad/.claude-plugin/plugin.json:1:10 E-NAME", ".claude/plugins/off/.claude-plugin/plugin.json:1:10 I-INACTIVE",
		".claude/plugins/two/.claude-plugin/plugin.json:1:10 W-DUP-NAME", "market/m/.claude-plugin/plugin.json:1:10 I-INACTIVE",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
