package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/hookevent"
)

// TestHookFixtures walks the fixtures of kind hooks.
func TestHookFixtures(t *testing.T) {
	dir := filepath.Join("testdata", "formats")
	raw, err := os.ReadFile(filepath.Join(dir, "EXPECT.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct {
		Kind, Outcome, Origin string
		Diag                  []expectedDiag
		Info                  []diag.Code
		Want                  struct{ Hooks map[string]any }
		Values                []string
		Matches               map[string]any
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for name, e := range all {
		if e.Kind != "hooks" {
			continue
		}
		checked++
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			form := ClaudeHooks
			if e.Origin == "github" {
				form = GitHubHooks
			}
			f, ds := ReadHooks(src, name, form)
			var codes, want []diag.Code
			for _, d := range ds.Sort() {
				if d.Severity != diag.Info {
					codes = append(codes, d.Code)
				}
			}
			for _, d := range e.Diag {
				want = append(want, d.Code)
			}
			if diff := cmp.Diff(want, codes); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			for _, code := range e.Info {
				if !strings.Contains(fmt.Sprint(ds), string(code)) {
					t.Errorf("%s is missing in %v", code, ds)
				}
			}
			if e.Want.Hooks != nil {
				if diff := cmp.Diff(any(e.Want.Hooks), generic(t, hookValues(f.Groups))); diff != "" {
					t.Error(diff)
				}
			}
			for matcher, hits := range e.Matches {
				m, err := hookevent.ParseMatcher(matcher)
				if err != nil {
					if hits != "error" {
						t.Errorf("%s: %v", matcher, err)
					}
					continue
				}
				got := []string{}
				for _, v := range e.Values {
					if m.Hits(v) {
						got = append(got, v)
					}
				}
				if diff := cmp.Diff(hits, generic(t, got)); diff != "" {
					t.Errorf("%s: %s", matcher, diff)
				}
			}
		})
	}
	if checked != 3 {
		t.Errorf("%d fixtures, want 3", checked)
	}
}

func hookValues(groups []HookGroup) map[string][]map[string]any {
	out := map[string][]map[string]any{}
	for _, g := range groups {
		handlers := []map[string]any{}
		for _, h := range g.Handlers {
			v := map[string]any{"type": h.Type, "command": h.Command}
			if h.Timeout > 0 {
				v["timeout"] = fmt.Sprintf("%.0fs", h.Timeout.Seconds())
			}
			handlers = append(handlers, v)
		}
		out[g.Event.V] = append(out[g.Event.V], map[string]any{"matcher": g.Matcher.V, "handlers": handlers})
	}
	return out
}

// TestReadHooks reads the shapes that files have, with the findings of each.
func TestReadHooks(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		form       HookForm
		want       string // groups
		found      string
	}{
		{"settings with comments", "{\n // why\n \"hooks\": {\"PostToolUse\": [{\"matcher\": \"Edit|Write\", \"hooks\": [{\"type\": \"command\", \"command\": \"gofmt -l .\", \"timeout\": 5,},]}]},\n}",
			ClaudeHooks, "PostToolUse Edit|Write open: command gofmt -l . 5s", ""},
		{"off", `{"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`, ClaudeHooks, "off", ""},
		{"a gate", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}, {"type": "prompt", "prompt": "ok?"}]}]}}`,
			ClaudeHooks, "PreToolUse  open: command x 0s, prompt ok? 0s", "1:12 W-HOOK-FAIL-OPEN"},
		{"copilot", `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "./a.sh", "powershell": "./a.ps1", "timeoutSec": 9, "matcher": "x"}]}}`,
			GitHubHooks, "PreToolUse  closed: command ./a.sh 9s", "1:26 I-HOOK-FORM; 1:41 I-HOOK-FORM; 1:69 I-HOOK-FORM; 1:118 I-HOOK-FORM; 1:132 I-HOOK-FORM"},
		{"quoting", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/a.sh"}, {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/a.sh"}, {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x", "args": []}]}]}}`,
			ClaudeHooks, "Stop  open: command $CLAUDE_PROJECT_DIR/a.sh 0s, command \"$CLAUDE_PROJECT_DIR\"/a.sh 0s, command ${CLAUDE_PLUGIN_ROOT}/x 0s", "1:63 W-HOOK-QUOTING"},
		{"events", `{"hooks": {"PreTolUse": [{}], "Notification": [{"hooks": []}], "Stop": [{"matcher": "x", "hooks": []}]}}`,
			ClaudeHooks, "Notification  open:; Stop x open:", "1:12 W-HOOK-EVENT; 1:31 I-HOOK-EVENT; 1:85 I-HOOK-FORM"},
		{"if on no tool", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "if": "Bash"}]}]}}`,
			ClaudeHooks, "Stop  open: command x 0s", "1:74 W-HOOK-MATCHER-NONE"},
		{"types", `{"hooks": {"SessionStart": [{"hooks": [{"type": "http", "url": "http://x"}, {"type": "command", "command": "x"}, {"type": "prompt", "prompt": "?"}]}]}}`,
			ClaudeHooks, "SessionStart  open: command x 0s", "1:40 W-HOOK-TYPE; 1:114 W-HOOK-TYPE"},
		{"rewake", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "async": true, "asyncRewake": true}]}]}}`,
			ClaudeHooks, "Stop  open: command x 0s", ""},
		{"no map", `{"hooks": ["x"]}`, ClaudeHooks, "", "1:11 E-VALUE-TYPE"},
		{"no list", `{"hooks": {"Stop": {}}}`, ClaudeHooks, "", "1:20 E-VALUE-TYPE"},
		{"no text", `{"hooks": {"PreToolUse": [{"matcher": {"tool": "Bash"}, "hooks": [{"type": "command", "command": "x"}]}]}}`, ClaudeHooks,
			"PreToolUse  open: command x 0s", "1:12 W-HOOK-FAIL-OPEN; 1:39 E-VALUE-TYPE"},
		{"no command", `{"hooks": {"Stop": [{"hooks": [{"type": "command"}, {"type": "http"}, {"type": "ftp"}]}]}}`, ClaudeHooks,
			"Stop  open:   0s", "1:32 E-VALUE-TYPE; 1:53 E-VALUE-TYPE; 1:80 E-VALUE-TYPE"},
		{"no JSON", `{"hooks": {`, ClaudeHooks, "", "1:12 E-JSON"},
		{"unknown keys", `{"hooks": {"Stop": [{"macher": "x", "hooks": [{"type": "command", "command": "x", "color": 1}]}]}}`, ClaudeHooks,
			"Stop  open: command x 0s", "1:22 W-KEY-NEAR; 1:83 I-KEY-UNKNOWN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, ds := ReadHooks([]byte(tt.text), "f", tt.form)
			var groups, found []string
			if f.Off {
				groups = append(groups, "off")
			}
			for _, g := range f.Groups {
				var hs []string
				for _, h := range g.Handlers {
					hs = append(hs, fmt.Sprintf(" %s %s%s %s", h.Type, h.Command, h.Prompt, h.Timeout))
				}
				how := map[bool]string{true: "open", false: "closed"}[g.Open]
				groups = append(groups, fmt.Sprintf("%s %s %s:%s", g.Event.V, g.Matcher.V, how, strings.Join(hs, ",")))
			}
			for _, d := range ds.Sort() {
				found = append(found, fmt.Sprintf("%d:%d %s", d.Range.Start.Line, d.Range.Start.Column, d.Code))
			}
			if diff := cmp.Diff([]string{tt.want, tt.found}, []string{strings.Join(groups, "; "), strings.Join(found, "; ")}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadHook has every field of a hook file.
func TestReadHook(t *testing.T) {
	h, def, ds := ReadHook(readFile(t, "valid", "hook", "every-field.md"), "hooks/x.md", Workspace)
	if h == nil {
		t.Fatal(ds)
	}
	got := []any{def.Name, def.Description, texts(h.Events.V), h.Match.V, h.If.V, h.Interpreter, h.Run.V, h.Timeout.V.String(), h.OnError.V, h.Scope.V, h.Env.V["LIMIT"], h.Notes}
	want := []any{"no-keys", "Refuses to write something like a key.", []string{"before_tool", "after_tool"}, "Write|Edit", "Edit(src/**)", "sh",
		"! grep -q sk- || exit 2\n", "10s", "deny", "listed", "400", "What it is for.\n\nMore about it."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzReadHook looks for panics, places outside of the file and broken files without error.
func FuzzReadHook(f *testing.F) {
	seed(f, "invalid/hook/*.md", "valid/hook/*.md", "formats/hooks/*.json")
	f.Fuzz(func(t *testing.T, src []byte) {
		h, def, ds := ReadHook(src, "x.md", Workspace)
		insideFile(t, src, ds)
		if ds.HasErrors() != (def.Status == Broken) || h == nil && def.Status.Usable() || h != nil && (h.Status != def.Status || def.Status.Usable() && len(h.Events.V) == 0) {
			t.Fatalf("hook %+v, status %s, findings %v", h, def.Status, ds)
		}
		for _, form := range []HookForm{ClaudeHooks, GitHubHooks} {
			_, ds := ReadHooks(src, "x.json", form)
			insideFile(t, src, ds)
		}
	})
}
