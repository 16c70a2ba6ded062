package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// toucher is a tool that writes file_path.
type toucher struct{ name string }

func (t toucher) Spec() tools.Spec {
	return tools.NewSpec(t.name, "", json.RawMessage(`{"type":"object"}`), false)
}
func (toucher) Call(context.Context, *tools.Call) (tools.Result, error) { return tools.Result{}, nil }
func (toucher) Touches(input json.RawMessage, at tools.Roots) ([]tools.Touch, error) {
	var in struct {
		Path string `json:"file_path"`
	}
	err := json.Unmarshal(input, &in)
	return []tools.Touch{{Kind: tools.TouchWrite, Value: filepath.Join(at.Dir, in.Path)}}, err
}

// about is an input of a tool event.
func about(t *testing.T, ev Event, tool, input string) *Input {
	t.Helper()
	dir := t.TempDir()
	at := tools.Roots{Workspace: dir, Dir: dir}
	return &Input{
		Event: ev, Agent: "writer", Run: "r1", Session: "s1", Name: "shop", Roots: at, Tool: toucher{tool},
		Call: &tools.Call{ID: "c1", Tool: tool, Input: json.RawMessage(input), Roots: at},
	}
}

func script(text string) *Command { return &Command{Script: text} }

// said lets every entry have a decision of its own.
func said(r Result) Func { return func(context.Context, *Input) Result { return r } }

func matcher(t *testing.T, text string) Matcher {
	t.Helper()
	m, err := ParseMatcher(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// short is a result without how it went.
func short(r Result) Result {
	r.Failed, r.Exit, r.Stdin, r.Stdout, r.Stderr, r.Duration = "", nil, nil, "", "", 0
	return r
}

// TestAnswers holds exit codes and JSON of both protocols against what they mean.
func TestAnswers(t *testing.T) {
	gate := Entry{Name: "h", On: []string{"before_tool"}}
	claude := Entry{Name: "h", On: []string{"PreToolUse"}, Lenient: true}
	on := func(e Entry, name string) Entry { e.On = []string{name}; return e }
	for _, tt := range []struct {
		name, script string
		entry        Entry
		event        Event
		want         Result
	}{
		{"silence goes on", "true", gate, BeforeTool, Result{}},
		{"exit 2 blocks", "echo no >&2; exit 2", gate, BeforeTool, Result{Decision: Halt, Message: "no", Hook: "h"}},
		{"exit 2 without a word", "exit 2", gate, BeforeTool, Result{Decision: Halt, Message: "blocked by the hook h", Hook: "h"}},
		{"no JSON undoes exit 2", `echo '{"decision":"approve","reason":"because"}'; exit 2`, claude, BeforeTool,
			Result{Decision: Halt, Message: "because", Hook: "h", Lenient: true}},
		{"exit 1 denies", "echo broken >&2; exit 1", gate, BeforeTool,
			Result{Decision: Halt, Hook: "h", Message: "the hook h failed: exit code 1: broken; a hook that fails here denies (on_error: allow in its file changes that)"}},
		{"exit 1 of Claude Code lets go ahead", "echo broken >&2; exit 1", claude, BeforeTool,
			Result{Notices: []string{"the hook h failed: exit code 1: broken"}}},
		{"exit 1 beside no gate", "exit 1", on(gate, "after_tool"), AfterTool, Result{Notices: []string{"the hook h failed: exit code 1"}}},
		{"JSON counts on exit 1", `echo '{"decision":"ask","message":"sure?"}'; exit 1`, gate, BeforeTool, Result{Decision: Ask, Message: "sure?", Hook: "h"}},
		{"JSON behind a mark counts on exit 1", `printf '\357\273\277{"decision":"deny","reason":"no"}'; exit 1`, claude, BeforeTool, Result{Decision: Halt, Message: "no", Hook: "h", Lenient: true}},
		{"a program that is missing", "exit 127", on(gate, "run_stop"), RunStop,
			Result{Notices: []string{"the hook h failed: exit code 127, so its program was not found or cannot run"}}},
		{"text is context where it is wanted", "echo be kind", on(gate, "before_ask"), BeforeAsk, Result{Context: []string{"be kind"}}},
		{"text is nothing elsewhere", "echo be kind", gate, BeforeTool, Result{}},
		{"an empty object", "echo '{}'", claude, BeforeTool, Result{}},
		{"noise before the JSON", "echo 'hello {\"decision\":\"block\"}'", claude, BeforeTool, Result{}},
		{"a line before the answer", `echo looking; echo '{"a":1}'; echo '{"decision":"halt"}'`, gate, BeforeTool, Result{Decision: Halt, Hook: "h",
			Message: "the hook h failed: text stands before the JSON object: looking\n{\"a\":1}\n{\"decision\":\"halt\"}; a hook that fails here denies (on_error: allow in its file changes that)"}},
		{"lines of JSON that are no answer", `echo looking; echo '{"a":1}'; echo '{nonsense'`, gate, BeforeTool, Result{}},
		{"a mark before the answer", `printf '\357\273\277{"decision":"halt","message":"no"}'`, gate, BeforeTool, Result{Decision: Halt, Message: "no", Hook: "h"}},
		{"broken JSON", "echo '{nonsense'", claude, BeforeTool, Result{Notices: []string{"the hook h failed: it is no JSON of the expected shape: {nonsense"}}},
		{"a key twice", `echo '{"decision": "halt", "decision": "continue"}'`, gate, BeforeTool, Result{Decision: Halt, Hook: "h",
			Message: "the hook h failed: it says \"decision\" twice: {\"decision\": \"halt\", \"decision\": \"continue\"}; a hook that fails here denies (on_error: allow in its file changes that)"}},
		{"a key twice in another case", `echo '{"decision": "halt", "Decision": "continue"}'`, gate, BeforeTool, Result{Decision: Halt, Hook: "h",
			Message: "the hook h failed: it says \"Decision\" twice: {\"decision\": \"halt\", \"Decision\": \"continue\"}; a hook that fails here denies (on_error: allow in its file changes that)"}},
		{"a key of the output twice in another case", `echo '{"hookSpecificOutput": {"permissionDecision": "deny", "PermissionDecision": "allow"}}'`, claude, BeforeTool,
			Result{Notices: []string{"the hook h failed: it says \"PermissionDecision\" twice: {\"hookSpecificOutput\": {\"permissionDecision\": \"deny\", \"PermissionDecision\": \"all…"}}},
		{"a key with a letter that folds to another", "echo '{\"decision\": \"halt\", \"deci\u017fion\": \"continue\"}'", gate, BeforeTool, Result{Decision: Halt, Hook: "h",
			Message: "the hook h failed: it says \"deci\u017fion\" twice: {\"decision\": \"halt\", \"deci\u017fion\": \"continue\"}; a hook that fails here denies (on_error: allow in its file changes that)"}},
		{"a key of the decision twice in another case", `echo '{"hookSpecificOutput": {"decision": {"behavior": "deny", "Behavior": "allow"}}}'`, gate, BeforeTool, Result{Decision: Halt, Hook: "h",
			Message: "the hook h failed: it says \"Behavior\" twice: {\"hookSpecificOutput\": {\"decision\": {\"behavior\": \"deny\", \"Behavior\": \"allow\"}}}; a hook that fails here denies (on_error: allow in its file changes that)"}},
		{"keys of an updated input in two cases", `echo '{"hookSpecificOutput": {"updatedInput": {"a": 1, "A": 2}}}'`, gate, BeforeTool, Result{Input: json.RawMessage(`{"a": 1, "A": 2}`)}},
		{"keys of an input in two cases", `echo '{"input": {"a": 1, "A": 2}, "x": [{"a": 1}, {"a": 1}]}'`, gate, BeforeTool, Result{Input: json.RawMessage(`{"a": 1, "A": 2}`)}},
		{"two documents", "echo '{} {}'", claude, BeforeTool, Result{Notices: []string{"the hook h failed: something follows the JSON object: {} {}"}}},
		{"an unknown decision", `echo '{"decision":"perhaps"}'`, gate, BeforeTool,
			Result{Decision: Halt, Hook: "h", Message: `the hook h failed: "perhaps" is no decision: {"decision":"perhaps"}; a hook that fails here denies (on_error: allow in its file changes that)`}},
		{"replace", `echo '{"decision":"replace","value":{"a":1}}'`, gate, BeforeTool, Result{Decision: Replace, Value: `{"a":1}`, Hook: "h"}},
		{"input", `echo '{"input":{"file_path":"b"}}'`, gate, BeforeTool, Result{Input: json.RawMessage(`{"file_path":"b"}`)}},
		{"input that is no object", `echo '{"input":3}'`, on(gate, "after_tool"), AfterTool, Result{Notices: []string{`the hook h failed: the new input is no object: {"input":3}`}}},
		{"finish_run", `echo '{"decision":"finish_run","message":"done"}'`, gate, BeforeTool, Result{Decision: FinishRun, Message: "done", Hook: "h"}},
		{"what has no effect is said", `echo '{"decision":"halt"}'`, on(gate, "after_ask"), AfterAsk, Result{Notices: []string{"the hook h says halt, which has no effect on after_ask"}}},
		{"permissionDecision deny", `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"rm"}}'`, claude, BeforeTool,
			Result{Decision: Halt, Message: "rm", Hook: "h", Lenient: true}},
		{"permissionDecision of others", `echo '{"permissionDecision":"deny","permissionDecisionReason":"rm"}'`, gate, BeforeTool, Result{Decision: Halt, Message: "rm", Hook: "h"}},
		{"updatedInput and context", `echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"file_path":"c"},"additionalContext":"look"}}'`, claude, BeforeTool,
			Result{Decision: Allow, Input: json.RawMessage(`{"file_path":"c"}`), Context: []string{"look"}, Hook: "h", Lenient: true}},
		{"block after a tool", `echo '{"decision":"block","reason":"tests fail"}'`, on(claude, "PostToolUse"), AfterTool,
			Result{Decision: Halt, Message: "tests fail", Hook: "h", Lenient: true}},
		{"updatedToolOutput", `echo '{"hookSpecificOutput":{"updatedToolOutput":"short"}}'`, on(claude, "PostToolUse"), AfterTool,
			Result{Output: new("short")}},
		{"updatedToolOutput beside a block", `echo '{"decision":"block","reason":"keys","hookSpecificOutput":{"updatedToolOutput":"short"}}'`, on(claude, "PostToolUse"), AfterTool,
			Result{Decision: Halt, Message: "keys", Output: new("short"), Hook: "h", Lenient: true}},
		{"what is not acted on is said", `echo '{"hookSpecificOutput":{"additionalContext":"look","watchPaths":["a"],"sessionTitle":"T","reloadSkills":null,"decision":{"behavior":"allow","updatedPermissions":[{}]}}}'`, claude, BeforeTool,
			Result{Context: []string{"look"}, Notices: []string{"a hook says sessionTitle, on which this version does not act",
				"a hook says updatedPermissions, on which this version does not act", "a hook says watchPaths, on which this version does not act"}}},
		{"updatedToolOutput before a tool", `echo '{"hookSpecificOutput":{"updatedToolOutput":"short"}}'`, claude, BeforeTool, Result{}},
		{"exit 2 where a session ends", "echo bye >&2; exit 2", on(claude, "SessionEnd"), RunStop, Result{Notices: []string{"the hook h: bye"}}},
		{"continue false", `echo '{"continue":false,"stopReason":"enough","systemMessage":"hm"}'`, claude, BeforeTool,
			Result{Decision: End, Message: "enough", Notices: []string{"hm"}, Hook: "h", Lenient: true}},
		{"approve at a stop", `echo '{"decision":"approve"}'`, on(claude, "Stop"), OnStop, Result{}},
		{"another event", "exit 2", on(gate, "after_tool"), BeforeTool, Result{}},
		{"SessionStart", "echo hi", on(claude, "SessionStart"), RunStart, Result{}}, // no session begins
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := tt.entry
			e.Hook = script(tt.script)
			in := about(t, tt.event, "Write", `{"file_path":"a"}`)
			in.Closes = true
			got, err := Chain{e}.Fire(t.Context(), in, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, short(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestConditions: who hears of what.
func TestConditions(t *testing.T) {
	rule := func(text string) *tools.Rule {
		r, err := tools.ParseRule(text, tools.Native, diag.Range{})
		if err != nil {
			t.Fatal(err)
		}
		return &r
	}
	write := func(in Input) *Input {
		base := *about(t, in.Event, "Write", `{"file_path":"src/a.go"}`)
		base.Depth, base.Target, base.Asks, base.IsError, base.Opens, base.Closes = in.Depth, in.Target, in.Asks, in.IsError, in.Opens, in.Closes
		base.Ends = in.Ends
		base.ToolCalls, base.Command = in.ToolCalls, in.Command
		return &base
	}
	for _, tt := range []struct {
		on, match string
		rule      *tools.Rule
		always    bool
		in        Input
		want      bool
	}{
		{on: "before_tool", in: Input{Event: BeforeTool}, want: true},
		{on: "pre_tool_use", match: "Edit|Write", in: Input{Event: BeforeTool}, want: true},
		{on: "PreToolUse", match: "Edit", in: Input{Event: BeforeTool}},
		{on: "PreToolUse", match: "Wr.*", in: Input{Event: BeforeTool}, want: true},
		{on: "before_tool", rule: rule("Edit(src/**)"), in: Input{Event: BeforeTool}, want: true},
		{on: "before_tool", rule: rule("Edit(docs/**)"), in: Input{Event: BeforeTool}},
		{on: "before_tool", in: Input{Event: BeforeDelegation, Target: "x"}},
		{on: "PreToolUse", match: "Task", in: Input{Event: BeforeDelegation, Target: "x"}, want: true},
		{on: "PreToolUse", match: "Agent", in: Input{Event: BeforeTool}},
		{on: "PermissionRequest", in: Input{Event: BeforeTool}},
		{on: "PermissionRequest", in: Input{Event: BeforeTool, Asks: true}, want: true},
		{on: "before_tool", in: Input{Event: BeforeTool, Asks: true}},
		{on: "PostToolUse", in: Input{Event: AfterTool}, want: true},
		{on: "PostToolUse", in: Input{Event: AfterTool, IsError: true}},
		{on: "after_tool", in: Input{Event: AfterTool, IsError: true}, want: true},
		{on: "PostToolUseFailure", in: Input{Event: ToolError, IsError: true}, want: true},
		{on: "Stop", in: Input{Event: OnStop}, want: true},
		{on: "Stop", in: Input{Event: OnStop, Depth: 1}},
		{on: "SubagentStop", in: Input{Event: OnStop, Depth: 1}, want: true},
		{on: "SubagentStop", match: "other", in: Input{Event: OnStop, Depth: 1}},
		{on: "SubagentStop", always: true, in: Input{Event: OnStop}, want: true},
		{on: "SubagentStart", match: "writer", in: Input{Event: FirstMessage, Depth: 1}, want: true},
		{on: "SubagentStart", in: Input{Event: FirstMessage}},
		{on: "SessionStart", match: "startup", in: Input{Event: RunStart, Opens: "startup"}, want: true},
		{on: "SessionStart", match: "resume", in: Input{Event: RunStart, Opens: "startup"}},
		{on: "SessionEnd", in: Input{Event: RunStop, Closes: true}, want: true},
		{on: "SessionEnd", match: "clear", in: Input{Event: RunStop, Ends: "clear"}, want: true},
		{on: "run_stop", in: Input{Event: RunStop, Ends: "clear"}},
		{on: "swarm_stop", in: Input{Event: RunStop, Ends: "clear"}},
		{on: "swarm_stop", in: Input{Event: RunStop, Depth: 1}},
		{on: "PostToolBatch", in: Input{Event: BeforeModel}},
		{on: "PostToolBatch", in: Input{Event: BeforeModel, ToolCalls: []Called{{}}}, want: true},
		{on: "PreCompact", match: "auto", in: Input{Event: BeforeCompaction}, want: true},
		{on: "UserPromptExpansion", in: Input{Event: BeforeAsk}},
		{on: "UserPromptExpansion", match: "review", in: Input{Event: BeforeAsk, Command: "review"}, want: true},
	} {
		ran := false
		e := Entry{On: []string{tt.on}, Match: matcher(t, tt.match), If: tt.rule, Always: tt.always, Hook: Func(func(context.Context, *Input) Result { ran = true; return Result{} })}
		if _, err := (Chain{e}).Fire(t.Context(), write(tt.in), nil, nil); err != nil || ran != tt.want {
			t.Errorf("%s %q %v on %+v: ran %v, %v", tt.on, tt.match, tt.rule, tt.in, ran, err)
		}
	}
}

// TestOrder: what a chain makes of the answers of its hooks.
func TestOrder(t *testing.T) {
	entry := func(name string, lenient bool, r Result) Entry {
		return Entry{Name: name, On: []string{"PreToolUse"}, Lenient: lenient, Hook: said(r)}
	}
	for _, tt := range []struct {
		name  string
		chain Chain
		told  string
		want  Result
	}{
		{"the first halt ends it", Chain{entry("a", false, Result{Context: []string{"x"}}), entry("b", false, Result{Decision: Halt, Message: "no"}), entry("c", false, Result{Decision: Replace})},
			"a continue, b halt", Result{Decision: Halt, Message: "no", Hook: "b", Context: []string{"x"}}},
		{"deny beats allow", Chain{entry("a", false, Result{Decision: Allow}), entry("b", false, Result{Decision: Halt, Message: "no"})},
			"a continue, b halt", Result{Decision: Halt, Message: "no", Hook: "b"}},
		{"ask beats allow", Chain{entry("a", false, Result{Decision: Ask, Message: "?"}), entry("b", false, Result{Decision: Allow})},
			"a ask, b continue", Result{Decision: Ask, Message: "?", Hook: "a"}},
		{"replace comes first", Chain{entry("a", false, Result{Decision: Replace, Value: "v"}), entry("b", false, Result{Decision: Halt})},
			"a replace", Result{Decision: Replace, Value: "v", Hook: "a"}},
		{"side by side the strongest counts", Chain{entry("a", true, Result{Decision: Allow}), entry("b", true, Result{Decision: Ask}), entry("c", true, Result{Decision: Halt, Message: "no"})},
			"a continue, b ask, c halt", Result{Decision: Halt, Message: "no", Hook: "c", Lenient: true}},
		{"two inputs side by side", Chain{entry("a", true, Result{Input: json.RawMessage(`{"n":1}`)}), entry("b", true, Result{Input: json.RawMessage(`{"n":2}`)})},
			"a input, b input, a input", Result{Input: json.RawMessage(`{"n":2}`), Notices: []string{"the hooks a and b both change the input; that of b counts"}}},
		{"an input and a word side by side", Chain{entry("a", true, Result{Context: []string{"x"}}), entry("b", true, Result{Input: json.RawMessage(`{"n":2}`)})},
			"a continue, b input, a continue", Result{Input: json.RawMessage(`{"n":2}`), Context: []string{"x"}}},
		{"two inputs in a row", Chain{entry("a", false, Result{Input: json.RawMessage(`{"n":1}`)}), entry("b", false, Result{Input: json.RawMessage(`{"n":2}`)})},
			"a input, b input, a input", Result{Input: json.RawMessage(`{"n":1}`), Decision: Halt, Hook: "a", Message: "the hooks b and a each change the input of this call after the other"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var told []string
			got, err := tt.chain.Fire(t.Context(), about(t, BeforeTool, "Write", `{}`), nil, func(name string, r Result) { told = append(told, name+" "+r.Word()) })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]any{tt.told, tt.want}, []any{strings.Join(told, ", "), short(got)}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestChangedInputIsSeen: a hook that changes the path of a call does not lead it past the hook before it.
func TestChangedInputIsSeen(t *testing.T) {
	guard := Entry{Name: "guard", On: []string{"before_tool"}, Hook: Func(func(_ context.Context, in *Input) Result {
		if strings.Contains(string(in.Call.Input), "secret") {
			return Result{Decision: Halt, Message: "not there"}
		}
		return Result{}
	})}
	detour := Entry{Name: "detour", On: []string{"before_tool"}, Hook: said(Result{Input: json.RawMessage(`{"file_path":"secret"}`)})}
	var told []string
	got, err := Chain{guard, detour}.Fire(t.Context(), about(t, BeforeTool, "Write", `{"file_path":"a"}`), nil, func(name string, _ Result) { told = append(told, name) })
	if err != nil || got.Decision != Halt || got.Hook != "guard" {
		t.Errorf("%+v, %v", got, err)
	}
	if diff := cmp.Diff([]string{"guard", "detour", "guard"}, told); diff != "" {
		t.Error(diff)
	}
}

// TestStdin has the fields that scripts of three programs read, and the variables.
func TestStdin(t *testing.T) {
	in := about(t, BeforeTool, "Write", `{"file_path":"a b.txt"}`)
	show := `cat > in.json; printf '%s|' "$SWARMRUN_EVENT" "$SWARMRUN_TOOL" "$SWARMRUN_TOOL_FILE" "$CLAUDE_PROJECT_DIR" "$TOOL_NAME" "$MORE" "${SECRET_KEY-unset}" > env.txt`
	t.Setenv("SECRET_KEY", "x")
	c := &Command{Script: show, Env: map[string]string{"MORE": "yes"}, Launcher: sandbox.Launcher{}}
	if _, err := (Chain{{Name: "h", On: []string{"PreToolUse"}, Hook: c}}).Fire(t.Context(), in, nil, nil); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(in.Roots.Dir, "in.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	input := map[string]any{"file_path": "a b.txt"}
	want := map[string]any{
		"event": "before_tool", "hook_event_name": "PreToolUse", "agent": "writer", "run": "r1", "session": "s1", "session_id": "s1", "swarm": "shop",
		"cwd": in.Roots.Dir, "depth": 0.0, "permission_mode": "default", "transcript_path": "", "tool_name": "Write", "tool": "Write",
		"tool_call_id": "c1", "tool_use_id": "c1", "tool_input": input, "parameters": input,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	env, err := os.ReadFile(filepath.Join(in.Roots.Dir, "env.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := in.Roots.Dir
	if diff := cmp.Diff("before_tool|Write|"+filepath.Join(dir, "a b.txt")+"|"+dir+"|Write|yes|unset|", string(env)); diff != "" {
		t.Error(diff)
	}
}

// TestForeignNames: an occurrence has the name by which scripts of Claude Code know it, and the native one where they know none.
func TestForeignNames(t *testing.T) {
	call := []Called{{ID: "c1", Name: "Read", Arguments: json.RawMessage(`{"file_path":"a"}`), Result: "text"}}
	for _, tt := range []struct {
		in   Input
		want string
	}{
		{Input{Event: RunStart, Opens: "startup"}, "SessionStart"},
		{Input{Event: RunStart}, "run_start"},
		{Input{Event: RunStop, Closes: true}, "SessionEnd"},
		{Input{Event: RunStop, Closes: true, Holds: true}, "run_stop"},
		{Input{Event: FirstMessage}, "first_message"},
		{Input{Event: FirstMessage, Depth: 1}, "SubagentStart"},
		{Input{Event: BeforeAsk}, "UserPromptSubmit"},
		{Input{Event: BeforeAsk, Command: "x", as: "UserPromptExpansion"}, "UserPromptExpansion"},
		{Input{Event: BeforeModel}, "before_model"},
		{Input{Event: BeforeModel, ToolCalls: call}, "PostToolBatch"},
		{Input{Event: AfterModel}, "after_model"},
		{Input{Event: BeforeTool}, "PreToolUse"},
		{Input{Event: BeforeTool, Asks: true, as: "PermissionRequest"}, "PermissionRequest"},
		{Input{Event: BeforeDelegation}, "PreToolUse"},
		{Input{Event: AfterTool}, "PostToolUse"},
		{Input{Event: AfterTool, IsError: true}, "after_tool"},
		{Input{Event: ToolError, IsError: true}, "PostToolUseFailure"},
		{Input{Event: AfterDelegation, IsError: true}, "PostToolUseFailure"},
		{Input{Event: OnStop, as: "SubagentStop"}, "Stop"},
		{Input{Event: OnStop, Depth: 1, as: "Stop"}, "SubagentStop"},
		{Input{Event: ContextWarning}, "context_warning"},
		{Input{Event: BeforeCompaction}, "PreCompact"},
		{Input{Event: GraphReloaded}, "ConfigChange"},
	} {
		if got := tt.in.foreign(); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.in, got, tt.want)
		}
	}
}

// TestForeignFields: what Claude Code's scripts read of a batch, of a command and of how hard the agent thinks.
func TestForeignFields(t *testing.T) {
	for _, tt := range []struct {
		in   Input
		want map[string]any
	}{
		{Input{Event: BeforeModel, Effort: "high", ToolCalls: []Called{{ID: "c1", Name: "Read", Arguments: json.RawMessage(`{"n":1}`), Result: "text"}}}, map[string]any{
			"effort": map[string]any{"level": "high"},
			"tool_calls": []any{map[string]any{
				"id": "c1", "name": "Read", "arguments": map[string]any{"n": 1.0},
				"tool_use_id": "c1", "tool_name": "Read", "tool_input": map[string]any{"n": 1.0}, "tool_response": "text",
			}},
		}},
		{Input{Event: BeforeAsk, as: "UserPromptExpansion", Prompt: "Review a b.", Command: "review", Typed: "/review a b"}, map[string]any{
			"prompt": "/review a b", "expansion_type": "slash_command", "command_name": "review", "command_args": "a b",
		}},
		{Input{Event: BeforeAsk, as: "UserPromptSubmit", Prompt: "Review a b.", Command: "review", Typed: "/review a b"}, map[string]any{"prompt": "Review a b."}},
	} {
		raw, err := tt.in.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		for key, want := range tt.want {
			if diff := cmp.Diff(want, got[key]); diff != "" {
				t.Errorf("%s of %s:\n%s", key, tt.in.Event, diff)
			}
		}
	}
}

// later is a Host that runs hooks aside at once.
type later struct {
	stage
	results []Result
}

func (l *later) Aside(_ Event, _ string, run func(context.Context) Result) {
	l.results = append(l.results, run(context.Background()))
}

// TestAside: what a hook beside the run objects to wakes the agent only where the hook is there for that.
func TestAside(t *testing.T) {
	for rewake, want := range map[bool]string{false: "continue [not yet]", true: "halt []"} {
		host := &later{}
		e := Entry{Name: "h", On: []string{"PostToolUse"}, Async: true, Rewake: rewake, Lenient: true, Hook: said(Result{Decision: Halt, Message: "not yet"})}
		if _, err := (Chain{e}).Fire(t.Context(), about(t, AfterTool, "Write", `{}`), host, nil); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s %v", host.results[0].Word(), host.results[0].Context); got != want {
			t.Errorf("rewake %t: %s", rewake, got)
		}
	}
}

// TestImpossible: an agent may stop where the model says that more work would not help.
func TestImpossible(t *testing.T) {
	said := `{"ok": false, "reason": "no network", "impossible": true}`
	for ev, want := range map[Event]string{OnStop: "continue 1", BeforeTool: "halt 0"} {
		r, err := verdict(&Input{Event: ev}, said)
		if got := fmt.Sprintf("%s %d", r.Word(), len(r.Notices)); got != want || err != nil {
			t.Errorf("%s: %s %v", ev, got, err)
		}
	}
}

// TestSandboxIsNamed: a file that a confined script may not open is put down to the sandbox, also where an interpreter's exit
// code reads as a refusal.
func TestSandboxIsNamed(t *testing.T) {
	confined := sandbox.Launcher{Path: "/bin/swarmrun"}
	for _, tt := range []struct {
		name   string
		by     sandbox.Launcher
		exit   int
		stderr string
		want   bool
	}{
		{"the script", confined, 126, "sh: 1: /home/me/h.sh: Permission denied\n", true},
		{"python", confined, 2, "python3: can't open file '/home/me/h.py': [Errno 13] Permission denied\n", true},
		{"node", confined, 1, "Error: EACCES: permission denied, open '/home/me/h.js'\n", true},
		{"words of its own", confined, 2, "Permission denied by policy\n", false},
		{"no sandbox", sandbox.Launcher{Path: "/bin/swarmrun", Mode: sandbox.Off}, 126, "sh: 1: /home/me/h.sh: Permission denied\n", false},
	} {
		c := &Command{Launcher: tt.by}
		r, err := c.answer(t.Context(), about(t, BeforeTool, "Bash", `{"command":"ls"}`), nil, sandbox.Output{Exit: tt.exit, Stderr: sandbox.Stream{Head: []byte(tt.stderr)}}, nil)
		text := r.Message
		if err != nil {
			text = err.Error()
		}
		if got := strings.Contains(text, "sandbox.read"); got != tt.want {
			t.Errorf("%s: %q", tt.name, text)
		}
	}
}

// TestEveryMoment writes the stdin of every event without a hole.
func TestEveryMoment(t *testing.T) {
	for _, ev := range []Event{RunStart, RunStop, FirstMessage, BeforeAsk, AfterAsk, BeforeModel, AfterModel, BeforeTool, AfterTool, ToolError,
		BeforeDelegation, AfterDelegation, OnStop, ContextWarning, BeforeCompaction, AfterCompaction, GraphReloaded} {
		in := Input{Event: ev, Depth: 1, Call: &tools.Call{Input: json.RawMessage("broken")}, Target: "x", IsError: true, ToolCalls: []Called{{Arguments: json.RawMessage(`{}`)}}}
		raw, err := in.JSON()
		if err != nil || !strings.Contains(string(raw), `"event":"`+string(ev)+`"`) {
			t.Errorf("%s: %s %v", ev, raw, err)
		}
	}
}

// TestTimeout: the whole group of a hook is gone, and the decision is that of a failure.
func TestTimeout(t *testing.T) {
	in := about(t, BeforeTool, "Write", `{}`)
	e := Entry{Name: "slow", On: []string{"before_tool"}, Timeout: 300 * time.Millisecond, Hook: script("sleep 60 & echo $! > pid; wait")}
	began := time.Now()
	got, err := Chain{e}.Fire(t.Context(), in, nil, nil)
	if err != nil || got.Decision != Halt || !strings.Contains(got.Message, "took longer than 300ms") {
		t.Errorf("%+v, %v", got, err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	pid, err := os.ReadFile(filepath.Join(in.Roots.Dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err == nil && !strings.Contains(string(state), ") Z ") {
		t.Errorf("process %s is left: %s", pid, state)
	}
}

// TestCancelled: no decision of a hook that was cut off counts.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := Entry{Name: "h", On: []string{"before_tool"}, Hook: Func(func(ctx context.Context, _ *Input) Result {
		cancel()
		<-ctx.Done()
		return Result{Decision: Allow}
	})}
	got, err := Chain{e}.Fire(ctx, about(t, BeforeTool, "Write", `{}`), nil, nil)
	if !errors.Is(err, context.Canceled) || !cmp.Equal(got, Result{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPanic: Go code that breaks down is a hook that fails.
func TestPanic(t *testing.T) {
	e := Entry{Name: "h", On: []string{"before_tool"}, Hook: Func(func(context.Context, *Input) Result { panic("oh") })}
	var failed string
	got, err := Chain{e}.Fire(t.Context(), about(t, BeforeTool, "Write", `{}`), nil, func(_ string, r Result) { failed = r.Failed })
	if err != nil || got.Decision != Halt || failed != "panic" {
		t.Errorf("%+v, %v, %s", got, err, failed)
	}
}

// TestHTTP posts to a server that answers in every way.
func TestHTTP(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/block":
			fmt.Fprintf(w, `{"decision":"block","reason":%q}`, r.Header.Get("x-key")+" "+r.Header.Get("x-other")+" "+fmt.Sprint(strings.Contains(string(body), `"tool_name":"Write"`)))
		case "/empty":
		case "/text":
			fmt.Fprint(w, "hello")
		case "/moved":
			http.Redirect(w, r, "/block", http.StatusFound)
		default:
			w.WriteHeader(500)
		}
	}))
	defer srv.Close()
	for path, want := range map[string]string{
		"/block": "halt k-1  true", "/empty": "continue ", "/text": "failed the hook h failed: the answer is no JSON object: hello",
		"/moved": "failed the hook h failed: the answer has the status 302", "/gone": "failed the hook h failed: the answer has the status 500",
	} {
		h := &HTTP{URL: srv.URL + path, Headers: map[string]string{"x-key": "$KEY", "x-other": "${OTHER}"}, AllowedEnv: []string{"KEY"},
			Lookup: func(name string) (string, bool) { return "k-1", true }}
		var got string
		_, err := Chain{{Name: "h", On: []string{"PreToolUse"}, Lenient: true, Hook: h}}.Fire(t.Context(), about(t, BeforeTool, "Write", `{}`), nil,
			func(_ string, r Result) { got = r.Word() + " " + r.Message })
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	srv.Close()
	_, err := (&HTTP{URL: srv.URL + "/secret"}).Run(t.Context(), about(t, BeforeTool, "Write", `{}`), nil)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a dead address: %v", err)
	}
}

// stage is a host that remembers what it was asked.
type stage struct {
	answer string
	asked  []string
}

func (s *stage) Sample(_ context.Context, _ providers.Model, system, prompt string) (string, error) {
	s.asked = append(s.asked, prompt)
	return s.answer, nil
}
func (s *stage) RunAgent(_ context.Context, _ providers.Model, prompt string) (string, error) {
	s.asked = append(s.asked, prompt)
	return s.answer, nil
}
func (s *stage) CallTool(_ context.Context, server, tool string, input []byte) (string, error) {
	s.asked = append(s.asked, server+" "+tool+" "+string(input))
	return s.answer, nil
}

// TestHosted has the hooks that need a run around them.
func TestHosted(t *testing.T) {
	call := &ToolCall{Server: "scan", Tool: "check", Input: json.RawMessage(`{"path":"${tool_input.file_path}","n":[1,"${depth}"]}`)}
	for _, tt := range []struct {
		name   string
		hook   Hook
		answer string
		want   string
		asked  string
	}{
		{"yes", &Question{Text: "Harmless? $ARGUMENTS"}, "```json\n{\"ok\": true}\n```", "continue ", `Harmless? {"agent":"writer"`},
		{"no", &Question{Text: "Harmless?"}, `{"ok": false, "reason": "it deletes"}`, "halt it deletes", "Harmless?\n\nThe event:\n{"},
		{"neither", &Question{Text: "Harmless?"}, "well", "failed the hook h failed: the model did not answer with {\"ok\": …}: well", "Harmless?"},
		{"an agent", &Question{Text: "Do the tests pass?", Look: true}, `{"ok": false, "reason": "two fail"}`, "halt two fail", "You decide a question"},
		{"a tool", call, `{"decision":"block","reason":"found"}`, "halt found", `scan check {"n":[1,"0"],"path":"a"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := &stage{answer: tt.answer}
			var got string
			_, err := Chain{{Name: "h", On: []string{"PreToolUse"}, Lenient: true, Hook: tt.hook}}.Fire(t.Context(), about(t, BeforeTool, "Write", `{"file_path":"a"}`), host,
				func(_ string, r Result) { got = r.Word() + " " + r.Message })
			if err != nil || got != tt.want || len(host.asked) != 1 || !strings.HasPrefix(host.asked[0], tt.asked) {
				t.Errorf("%q, asked %q, %v", got, host.asked, err)
			}
			var failure *Failure
			if _, err := tt.hook.Run(t.Context(), about(t, BeforeTool, "Write", `{}`), nil); !errors.As(err, &failure) || failure.Reason != "host" {
				t.Errorf("without a host: %v", err)
			}
		})
	}
}

// TestArgv: paths with blanks are one argument.
func TestArgv(t *testing.T) {
	in := about(t, BeforeTool, "Write", `{}`)
	c := &Command{Argv: []string{"sh", "-c", `printf '%s' "$1" > out; exit 2`, "x", "${CLAUDE_PROJECT_DIR}/a b; touch hacked"}}
	r, err := c.Run(t.Context(), in, nil)
	if err != nil || r.Decision != Halt {
		t.Fatalf("%+v %v", r, err)
	}
	out, err := os.ReadFile(filepath.Join(in.Roots.Dir, "out"))
	if err != nil || string(out) != in.Roots.Dir+"/a b; touch hacked" {
		t.Errorf("%q %v", out, err)
	}
}

// TestFlood: a hook that writes without end is bounded.
func TestFlood(t *testing.T) {
	r, err := script(`yes '{' | head -c 3000000`).Run(t.Context(), about(t, BeforeTool, "Write", `{}`), nil)
	var failure *Failure
	if !errors.As(err, &failure) || failure.Reason != "bad_json" || len(r.Stdout) > 300<<10 {
		t.Errorf("%d bytes, %v", len(r.Stdout), err)
	}
}

// FuzzRead looks for panics, and for answers that are neither a result nor a failure.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{}`, `{"decision":"halt"}`, `{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}`, "text", `{"input":{}} {}`} {
		f.Add(s, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, exit uint8) {
		for _, asks := range []bool{false, true} {
			r, err := exited(&Input{Event: BeforeTool, Asks: asks, as: "PreToolUse"}, int(exit), text, text)
			var failure *Failure
			if err != nil && !errors.As(err, &failure) {
				t.Fatal(err)
			}
			if r.Decision.weight() < 0 || exit == 2 && r.Decision != Halt {
				t.Fatalf("%+v", r)
			}
			if _, err := verdict(&Input{Event: OnStop}, text); err != nil && !errors.As(err, &failure) {
				t.Fatal(err)
			}
		}
	})
}
