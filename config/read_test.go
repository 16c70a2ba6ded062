package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
)

func readFile(t *testing.T, elem ...string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// values of Agent are compared without their places; TestPlaces has those.
func plain[T any](v Value[T]) T { return v.V }

func TestAgentFields(t *testing.T) {
	a, _, ds := ReadAgent(readFile(t, "valid", "agent", "every-field.md"), "every-field.md", Workspace)
	if a == nil {
		t.Fatal(ds)
	}
	half := 0.2
	one := 1.0
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"model", texts(a.Model.V), []string{"smart", "openai/gpt-5"}},
		{"tools", texts(a.Tools.V), []string{"Read", "Bash(git diff *)", "mcp__github__*"}},
		{"deny", texts(a.Permissions.Deny), []string{"Read(.env)"}},
		{"mode", plain(a.PermissionMode), "plan"},
		{"skills", []any{a.Skills.Set(), len(a.Skills.V)}, []any{true, 0}},
		{"directories", texts(a.Directories.V), []string{"docs", "shared files"}},
		{"output", string(a.Output.V), `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`},
		{"temperature", a.Parameters.V.Temperature, &half},
		{"top_p", a.Parameters.V.TopP, &one},
		{"stop", a.Parameters.V.Stop, []string{"END"}},
		{"seed", string(a.Parameters.V.Extra["seed"]), "7"},
		{"nested", string(a.Parameters.V.Extra["nested"]), `{"a":[1,1.10]}`},
		{"thinking", plain(a.Thinking), Thinking{"high", 8000}},
		{"context", []any{a.Context.V.Window.V, a.Context.V.CompactAt.V, a.Context.V.KeepRecent.V, a.Context.V.KeepRecent.Set(), a.Context.V.Strategy.V},
			[]any{1024, 1.0, 0, true, "truncate-tools"}},
		{"turns", plain(a.MaxTurns), 1000},
		{"timeout", plain(a.Timeout), 90 * time.Second},
		{"streaming", []bool{a.Streaming.V, a.Streaming.Set()}, []bool{false, true}},
		{"vars", plain(a.Vars), map[string]string{"audience": "engineers", "version": "1.10"}},
		{"attempt timeout", []any{a.Retry.AttemptTimeout.V, a.Retry.AttemptTimeout.Set()}, []any{time.Duration(0), true}},
		{"delegates", []any{a.Delegates.V[0].Agent.V, a.Delegates.V[0].As.V, a.Delegates.V[0].When.V, a.Delegates.V[0].Keep, a.Delegates.V[1].Agent.V},
			[]any{"tester", "AskTester", "after a change", true, "writer"}},
		{"hooks", a.Hooks.V[0].Name.V, "guard"},
		{"inactive", len(a.Inactive), 0},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestOtherWords has files in the words of SwarmSDK v2 and of Claude Code.
func TestOtherWords(t *testing.T) {
	a, _, ds := ReadAgent(readFile(t, "valid", "agent", "swarmsdk.md"), "swarmsdk.md", Workspace)
	if a == nil {
		t.Fatal(ds)
	}
	if a.Model.V[0].V != "openai/gpt-5" || a.Prompt != "You help.\n" || a.Body.Start != (diag.Pos{Line: 6, Column: 16}) {
		t.Errorf("model %q, prompt %q at %v", a.Model.V[0].V, a.Prompt, a.Body)
	}
	if a.Retry.AttemptTimeout.V != 300*time.Second || a.Timeout.V != 900*time.Second || a.MCP.V[0].Name.V != "notes" {
		t.Errorf("timeouts %v and %v, servers %v", a.Retry.AttemptTimeout.V, a.Timeout.V, a.MCP.V)
	}
	var delegates []string
	for _, d := range a.Delegates.V {
		delegates = append(delegates, d.Agent.V+" "+d.As.V)
	}
	if diff := cmp.Diff([]string{"tester ", "writer AskWriter", "editor AskEditor"}, delegates); diff != "" || !a.Delegates.V[1].Keep {
		t.Errorf("delegates (-want +got):\n%s", diff)
	}

	c, _, ds := ReadAgent(readFile(t, "valid", "claude", "words.md"), "words.md", FromClaude)
	if c == nil {
		t.Fatal(ds)
	}
	if c.PermissionMode.V != "accept-edits" || c.MaxTurns.V != 5 || c.Thinking.V.Effort != "high" || texts(c.DisallowedTools.V)[0] != "Bash" {
		t.Errorf("%+v", c)
	}
	if diff := cmp.Diff([]string{"color", "memory"}, texts(c.Inactive)); diff != "" {
		t.Errorf("fields without effect (-want +got):\n%s", diff)
	}
	if len(ds) != 1 || ds[0].Code != "I-KEY-UNKNOWN" {
		t.Errorf("findings: %v", ds)
	}
}

func TestPlaces(t *testing.T) {
	src := "\ufeff---\r\nname: plätze\r\ndescription: Use it: often.\r\ntools: Read,  \"Bash(git diff *)\"\r\nmodel:\r\n  - smart\r\n  - [a/b]\r\n" +
		"permissions: {deny: [\"Read(.env)\"]}\r\n---\r\nBody\r\n"
	a, def, ds := ReadAgent([]byte(src), "x.md", Workspace)
	if a == nil {
		t.Fatal(ds)
	}
	for _, c := range []struct {
		name string
		got  diag.Range
		want diag.Range
	}{
		{"definition", def.At, diag.At("x.md", 2, 7, 6)},
		{"repaired value", a.Summary.At, diag.At("x.md", 3, 14, 14)},
		{"key", a.Summary.KeyAt(), diag.At("x.md", 3, 1, 11)},
		{"first item", a.Tools.V[0].At, diag.At("x.md", 4, 8, 4)},
		{"quoted item", a.Tools.V[1].At, diag.At("x.md", 4, 16, 16)},
		{"item of a list", a.Model.V[0].At, diag.At("x.md", 6, 5, 5)},
		{"item of a list in a list", a.Model.V[1].At, diag.At("x.md", 7, 6, 3)},
		{"rule", a.Permissions.Deny[0].At, diag.At("x.md", 8, 22, 12)},
		{"permissions", a.Permissions.At, diag.At("x.md", 8, 1, 11)},
		{"body", a.Body, diag.At("x.md", 10, 1, 0)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v to %v, want %v to %v", c.name, c.got, c.got.End, c.want, c.want.End)
		}
	}
}

func TestBrokenKeepsItsName(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"---\nname: 'lost one'\nnote: a: b\n---\n", "lost one"},
		{"---\nnote: a: b\n---\n", "file"},
		{"---\nname: open\n", "open"},
		{"\xff", "file"},
		{"---\nname: a:b\n---\n", "a:b"},
	} {
		a, def, ds := ReadAgent([]byte(c.src), "dir/file.md", Workspace)
		if a != nil && a.Status != Broken || def.Status != Broken || def.Name != c.want || !ds.HasErrors() {
			t.Errorf("%q: agent %v, definition %+v, findings %v; want the name %q", c.src, a, def, ds, c.want)
		}
	}
}

func TestReadTool(t *testing.T) {
	tool, def, ds := ReadTool(readFile(t, "valid", "tool", "block.md"), "tools/block.md", Workspace)
	if tool == nil {
		t.Fatal(ds)
	}
	if tool.Run.V != "ls \"$SWARMRUN_ARG_PATH\"\n" || tool.Interpreter != "sh" || tool.Run.At.Start != (diag.Pos{Line: 12, Column: 1}) {
		t.Errorf("script %q of %q at %v", tool.Run.V, tool.Interpreter, tool.Run.At)
	}
	if tool.Notes != "Finds notes in a folder.\n\nGive a folder." || def.Name != "block" || !tool.JSON.V || !tool.ReadOnly.V {
		t.Errorf("notes %q, %+v", tool.Notes, tool)
	}
	want := `{"additionalProperties":false,"properties":{"depth":{"type":"integer","default":2},"path":{"type":"string"}},"required":["path"],"type":"object"}`
	if got := string(tool.Parameters.V); got != want {
		t.Errorf("parameters %s, want %s", got, want)
	}
	run, _, ds := ReadTool(readFile(t, "valid", "tool", "run.md"), "tools/run.md", Workspace)
	if run == nil || run.Run.V != "./list.sh" || run.Interpreter != "" || !strings.Contains(string(run.Parameters.V), `"object"`) {
		t.Errorf("%+v, %v", run, ds)
	}
}

func TestReadScript(t *testing.T) {
	s, def, ds := ReadScript(readFile(t, "valid", "model", "review.yaml"), "models/review.yaml", nil)
	if s == nil {
		t.Fatal(ds)
	}
	if def.Name != "review" || len(s.Rules) != 5 {
		t.Fatalf("%+v has %d rules", def, len(s.Rules))
	}
	first := s.Rules[0]
	if first.Name != "read what the prompt names" || first.When[0].Turn != "1" || first.Reply.Delay != 50*time.Millisecond ||
		string(first.Reply.ToolCalls[0].Input) != `{"file_path":"{{ .Match.file }}"}` || first.At != diag.At("models/review.yaml", 3, 5, 4) {
		t.Errorf("first rule: %+v", first)
	}
	if third := s.Rules[2]; len(third.When) != 2 || third.When[1].Not.Agent != "a" || third.Times != 1 || third.Reply.Error.Status != 429 {
		t.Errorf("third rule: %+v", third)
	}
	if last := s.Rules[4]; last.Reply.Text.V != "Done." || last.Reply.Usage.Input != 10 {
		t.Errorf("a rule with an alias: %+v", last)
	}
}

// TestScriptVariables holds that references in rule files stand for variables, and that the shell and templates keep theirs.
func TestScriptVariables(t *testing.T) {
	const src = `rules:
  - when: {prompt_matches: '^${WORD}$'}
    reply:
      text: "{{ $p := .Prompt }}{{ $p }} for ${NAME:-nobody}"
      thinking: "${UNSET}"
      tool_calls: [{name: Bash, input: {command: "echo $${HOME} $HOME ${WORD}"}}]
`
	s, _, ds := ReadScript([]byte(src), "models/x.yaml", []string{"WORD=tide"})
	if s == nil {
		t.Fatal(ds)
	}
	r := s.Rules[0]
	got := []string{r.When[0].Prompt, r.Reply.Text.V, r.Reply.Thinking.V, string(r.Reply.ToolCalls[0].Input)}
	want := []string{"^tide$", "{{ $p := .Prompt }}{{ $p }} for nobody", "", `{"command":"echo ${HOME} $HOME tide"}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rule (-want +got):\n%s", diff)
	}
	if len(ds) != 1 || ds[0].Code != "W-VAR-UNSET" || ds[0].Range.Start != (diag.Pos{Line: 5, Column: 17}) {
		t.Errorf("findings %v", ds)
	}
}

func TestSplitList(t *testing.T) {
	for _, c := range []struct {
		text   string
		blanks bool
		want   []string
	}{
		{"Read, Grep,Glob , Bash(git log:*)", false, []string{"Read", "Grep", "Glob", "Bash(git log:*)"}},
		{"Agent(a, b), Read", false, []string{"Agent(a, b)", "Read"}},
		{`Bash(echo "a, b)"), 'x, y', z`, false, []string{`Bash(echo "a, b)")`, "x, y", "z"}},
		{"don't, it's", false, []string{"don't", "it's"}},
		{"a(b, c", false, []string{"a(b, c"}},
		{", a,, b,", false, []string{"a", "b"}},
		{"Bash(git add *) Read\tBash(jq:*)", true, []string{"Bash(git add *)", "Read", "Bash(jq:*)"}},
		{"a {b, c} [d, e]", false, []string{"a {b, c} [d, e]"}},
		{"", false, nil},
	} {
		if diff := cmp.Diff(c.want, splitList(c.text, c.blanks)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestNear(t *testing.T) {
	names := []string{"tools", "model", "max_turns", "disallowed_tools"}
	for key, want := range map[string]string{
		"tool": "tools", "tolos": "tools", "Tools": "tools", "modle": "model", "maxTurns": "max_turns", "max-turn": "max_turns",
		"disalowedTool": "", "dissalowed_tools": "disallowed_tools", "to": "", "colour": "",
	} {
		if got, _ := near(key, names); got != want {
			t.Errorf("near %q is %q, want %q", key, got, want)
		}
	}
}
