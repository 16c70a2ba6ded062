package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/config/diag"
)

func TestToolNames(t *testing.T) {
	for _, tt := range []struct {
		origin     Origin
		name, want string
	}{
		{FromCopilot, "RunInTerminal", "Bash"},
		{FromCopilot, "edit/editFiles", "Edit Write"},
		{FromCopilot, "read/problems", ""},
		{FromCopilot, "vscode/vscodeAPI", ""},
		{FromCopilot, "github/*", "mcp__github__*"},
		{FromCopilot, "io.github/x/get", "mcp__io_github__x_get"},
		{FromCopilot, "changes", ""},
		{FromGemini, "mcp_*", "mcp__*"},
		{FromGemini, "mcp_notes_add", "mcp__notes__add"},
		{FromGemini, "Read_file", ""},
		{FromGemini, "read_many_files", "Read"},
		{FromGemini, "save_memory", ""},
		{FromDocker, "filesystem", "Read Grep Glob Edit Write"},
		{FromDocker, "think", ""},
		{FromOpencode, "patch", "Edit Write"},
		{FromOpencode, "list", "Glob"},
		{FromClaude, "read", ""},
	} {
		if got := strings.Join(ToolNames(tt.origin, tt.name), " "); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.name, tt.origin, got, tt.want)
		}
	}
}

func TestModelName(t *testing.T) {
	for name, want := range map[string]string{
		"Claude Sonnet 4.5 (copilot)": "anthropic/claude-sonnet-4-5", "GPT-5 (copilot)": "openai/gpt-5", "o3": "openai/o3",
		"gemini-2.5-pro": "google/gemini-2.5-pro", "anthropic/x": "anthropic/x", "inherit": "inherit", "sonnet": "sonnet",
	} {
		if got := modelName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestVerdicts holds what becomes of permissions whose last matching line counts against what they say. A line of want is
// the list, then the rule.
func TestVerdicts(t *testing.T) {
	for _, tt := range []struct{ name, permission, want string }{
		{"all", "permission: ask", "ask Bash, ask Edit, ask Write, ask MultiEdit, ask Read, ask Grep, ask Glob, ask WebFetch, ask WebSearch, ask Agent, ask TodoWrite, ask Skill, ask mcp__*"},
		{"deny after allow", `permission: {bash: {"*": allow, "rm *": deny}}`, "allow Bash, deny Bash(rm *)"},
		{"the last about all counts", `permission: {bash: {"rm *": deny, "*": allow}}`, "allow Bash"},
		{"allow takes a denial back", `permission: {bash: {"rm *": deny, "rm -i *": allow}}`, "refused"},
		{"apart", `permission: {bash: {"rm *": deny, "git *": allow}}`, "allow Bash(git *), deny Bash(rm *)"},
		{"only some", `permission: {bash: {"*": deny, "git *": allow, "git push *": ask}}`,
			"only Agent Bash(git *) Bash(git push *) Edit Glob Grep Read Skill TodoWrite WebFetch WebSearch Write, allow Bash(git *), ask Bash(git push *)"},
		{"asks but for some", `permission: {edit: {"*": ask, "docs/*": allow}}`, "allow Edit(docs/**)"},
		{"reads ask but for some", `permission: {read: {"*": ask, "docs/*": allow}}`, "refused"},
		{"both", `permission: {bash: {"*": ask, "ls": allow}, edit: {"*": deny, "docs/*": allow}}`, "refused"},
		{"a pattern nothing has", `permission: {webfetch: {"https://x/*": deny}}`, "refused"},
		{"a file in any folder", `permission: {read: {"*.env": deny}}`, "deny Read(*.env), deny Read(*.env/**)"},
		{"no word of ours", `permission: {bash: maybe}`, "refused"},
		{"a server", `tools: {github_*: false}`, "deny mcp__github_*"},
		{"switched off", `tools: {write: false, bash: true}`, "without Edit Write MultiEdit, allow Bash"},
		{"outside", `permission: {external_directory: allow}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, _, ds := ReadAgent([]byte("---\ndescription: D.\n"+tt.permission+"\n---\nBody.\n"), ".opencode/agents/a.md", FromOpencode)
			if got := spoken(a, ds); got != tt.want {
				t.Errorf("got  %s\nwant %s\n%v", got, tt.want, ds)
			}
		})
	}
}

// spoken is what an agent may do, in a line.
func spoken(a *Agent, ds diag.List) string {
	if !a.Status.Usable() {
		return "refused"
	}
	var out []string
	if a.Tools.Set() {
		names := texts(a.Tools.V)
		slices.Sort(names)
		out = append(out, "only "+strings.Join(names, " "))
	}
	if a.DisallowedTools.Set() {
		out = append(out, "without "+strings.Join(texts(a.DisallowedTools.V), " "))
	}
	for _, list := range []struct {
		word string
		refs []Ref
	}{{"allow", a.Permissions.Allow}, {"ask", a.Permissions.Ask}, {"deny", a.Permissions.Deny}} {
		for _, r := range list.refs {
			out = append(out, list.word+" "+r.V)
		}
	}
	return strings.Join(out, ", ")
}
