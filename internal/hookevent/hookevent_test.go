package hookevent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatcher(t *testing.T) {
	values := []string{"Bash", "Edit", "Write", "NotebookEdit", "mcp__notes__read", "mcp__notes_old__read", "code-reviewer", "senior-code-reviewer"}
	for _, tt := range []struct {
		matcher string
		want    []string
		dead    string
	}{
		{"", values, ""},
		{"*", values, ""},
		{"Edit|Write", []string{"Edit", "Write"}, ""},
		{"Edit, Write", []string{"Edit", "Write"}, ""},
		{"mcp__notes", nil, "mcp__notes"},
		{"Edit|mcp__notes", []string{"Edit"}, "mcp__notes"},
		{"mcp__notes__.*", []string{"mcp__notes__read"}, ""},
		{"code-reviewer", []string{"code-reviewer"}, ""},
		{"Edit.*", []string{"Edit", "NotebookEdit"}, ""},
		{"^(Edit|Write)$", []string{"Edit", "Write"}, ""},
	} {
		m, err := ParseMatcher(tt.matcher)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range values {
			if m.Hits(v) {
				got = append(got, v)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || m.Dead() != tt.dead {
			t.Errorf("%q: dead %q\n%s", tt.matcher, m.Dead(), diff)
		}
	}
}

func TestMatcherFaults(t *testing.T) {
	for text, want := range map[string]string{
		"(": "missing closing )", "(?=Write)": "look-ahead (?=", "(?<!a)b": "look-behind (?<!", `(a)\1`: `back-reference \1`,
	} {
		if _, err := ParseMatcher(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestLookup(t *testing.T) {
	for text, want := range map[string]string{
		"before_tool": "before_tool", "pre_tool_use": "pre_tool_use", "PreToolUse": "PreToolUse", "preToolUse": "PreToolUse",
		"userPromptSubmitted": "UserPromptSubmit", "before_tol": "", "": "", "Before_tool": "",
	} {
		n, ok := Lookup(text)
		if n.Text != want || ok != (want != "") {
			t.Errorf("%q: %+v", text, n)
		}
	}
}

// TestForeign: every native event has the name that a script of Claude Code expects.
func TestForeign(t *testing.T) {
	got := map[string]string{}
	for _, n := range All(Native) {
		got[n] = Foreign(n, false)
		if d := Foreign(n, true); d != got[n] {
			got[n] += " " + d
		}
	}
	want := map[string]string{
		"run_start": "SessionStart", "run_stop": "SessionEnd", "first_message": "first_message SubagentStart", "before_ask": "UserPromptSubmit",
		"after_ask": "after_ask", "before_model": "PostToolBatch", "after_model": "after_model", "before_tool": "PreToolUse",
		"after_tool": "PostToolUse", "tool_error": "PostToolUseFailure", "before_delegation": "PreToolUse", "after_delegation": "PostToolUse",
		"on_stop": "Stop SubagentStop", "context_warning": "context_warning", "before_compaction": "PreCompact",
		"after_compaction": "PostCompact", "graph_reloaded": "ConfigChange",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
