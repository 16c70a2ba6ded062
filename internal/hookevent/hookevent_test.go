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

// TestHandlers: what Claude Code runs on its events.
func TestHandlers(t *testing.T) {
	for event, want := range map[string]string{
		"SessionStart": "command mcp_tool", "SessionEnd": "command http mcp_tool", "PreCompact": "command http mcp_tool",
		"PreToolUse": "command http mcp_tool prompt agent", "run_start": "command http mcp_tool prompt agent",
	} {
		n, _ := Lookup(event)
		var got []string
		for _, handler := range []string{"command", "http", "mcp_tool", "prompt", "agent"} {
			if n.Runs.Has(handler) {
				got = append(got, handler)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", event, got)
		}
	}
}
