package custom_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/custom"
	"github.com/swarmrun/swarmrun/tools/sandbox"
	"github.com/swarmrun/swarmrun/tools/toolstest"
)

func run(t *testing.T, d custom.Definition, input string) tools.Result {
	t.Helper()
	dir := t.TempDir()
	res, err := custom.New(d, sandbox.Launcher{}).Call(t.Context(), &tools.Call{Input: json.RawMessage(input), Roots: tools.Roots{Workspace: dir, Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestConforms(t *testing.T) {
	dir := t.TempDir()
	toolstest.Run(t, toolstest.Case{
		Tool: custom.New(custom.Definition{
			Name: "wait", Description: "Waits.", Notes: "Use it rarely.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"seconds":{"type":"integer"}}}`),
			Script:     `[ "$SWARMRUN_ARG_SECONDS" != 7 ] && sleep "${SWARMRUN_ARG_SECONDS:-0}"`,
		}, sandbox.Launcher{}),
		Roots: tools.Roots{Workspace: dir, Dir: dir},
		Good:  json.RawMessage(`{"seconds":0}`),
		Bad:   json.RawMessage(`{"seconds":7}`),
		Slow:  json.RawMessage(`{"seconds":60}`),
	})
}

// TestArguments: stdin is the input, variables are the arguments, and no argument is ever read as shell.
func TestArguments(t *testing.T) {
	evil := "$(touch hacked); `touch hacked`; '\"\n && touch hacked"
	input, err := json.Marshal(map[string]any{"path": evil, "depth": 2, "deep-list": []int{1, 2}, "Ünique": true, "none": nil, "nul": "a\x00b", "long": strings.Repeat("x", 70_000)})
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, custom.Definition{Name: "x", Script: `ls; printf '%s|' "$SWARMRUN_ARG_PATH" "$SWARMRUN_ARG_DEPTH" "$SWARMRUN_ARG_DEEP_LIST" "$SWARMRUN_ARG__NIQUE" "${SWARMRUN_ARG_NUL-unset}" "${SWARMRUN_ARG_LONG-unset}"`}, string(input))
	if d := cmp.Diff(evil+"|2|[1,2]|true|unset|unset|", got.Content); d != "" || got.IsError {
		t.Error(d)
	}
	got = run(t, custom.Definition{Name: "x", Script: "cat"}, `{ "a": [1,
 2] }`)
	if d := cmp.Diff(`{"a":[1,2]}`, got.Content); d != "" {
		t.Error(d)
	}
	if got = run(t, custom.Definition{Name: "x", Script: "cat"}, ``); got.Content != "{}" {
		t.Errorf("no input: %q", got.Content)
	}
}

// TestDefaults: what a call leaves out has the value that the schema gives it, on stdin and as a variable.
func TestDefaults(t *testing.T) {
	d := custom.Definition{Name: "x", Script: `cat; printf '%s|' "$SWARMRUN_ARG_DEPTH" "${SWARMRUN_ARG_PATH-unset}" "$SWARMRUN_ARG_ALL"`, Parameters: json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string"},"depth":{"type":"integer","default":2},"all":{"default":[1, "a"]},"any":true}}`)}
	for input, want := range map[string]string{
		``:                       `{"all":[1,"a"],"depth":2}` + "\n" + `2|unset|[1,"a"]|`,
		`{"path":"p"}`:           `{"path":"p","all":[1,"a"],"depth":2}` + "\n" + `2|p|[1,"a"]|`,
		`{"depth":3,"all":null}`: `{"depth":3,"all":null}` + "\n" + `3|unset||`,
	} {
		if diff := cmp.Diff(want, run(t, d, input).Content); diff != "" {
			t.Errorf("%s: %s", input, diff)
		}
	}
}

func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		name string
		def  custom.Definition
		want tools.Result
	}{
		{"text", custom.Definition{Script: "echo ' a'; echo b"}, tools.Result{Content: " a\nb"}},
		{"nothing", custom.Definition{Script: "true"}, tools.Result{Content: "(no output)"}},
		{"exit code", custom.Definition{Script: "echo out; echo err >&2; exit 4"}, tools.Result{IsError: true, Content: "tool failed with exit code 4\n\nSTDOUT:\nout\n\nSTDERR:\nerr"}},
		{"signal", custom.Definition{Script: "kill -KILL $$"}, tools.Result{IsError: true, Content: "tool was ended by signal SIGKILL"}},
		{"JSON", custom.Definition{Script: `echo '{"a": 1}'`, JSON: true}, tools.Result{Content: `{"a": 1}`}},
		{"no JSON", custom.Definition{Script: "echo '{a'", JSON: true}, tools.Result{IsError: true, Content: "tool should have written one JSON value and wrote something else\n\nSTDOUT:\n{a"}},
		{"two values", custom.Definition{Script: "echo 1 2", JSON: true}, tools.Result{IsError: true, Content: "tool should have written one JSON value and wrote something else\n\nSTDOUT:\n1 2"}},
		{"variables", custom.Definition{Script: `echo "$COLOUR"`, Env: map[string]string{"COLOUR": "red"}}, tools.Result{Content: "red"}},
		{"interpreter", custom.Definition{Script: "[[ a == a ]] && echo yes", Interpreter: "bash"}, tools.Result{Content: "yes"}},
		{"time limit", custom.Definition{Script: "echo before; sleep 60", Timeout: 100 * time.Millisecond}, tools.Result{IsError: true, Content: "tool was ended: time limit of 100ms reached\n\nSTDOUT:\nbefore"}},
		{"unknown interpreter", custom.Definition{Script: "x", Interpreter: "cobol"}, tools.Result{IsError: true, Content: `tool could not run: there is no interpreter for "cobol"; write the script in one of bash, node, python, ruby, sh`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.def.Name = "tool"
			if d := cmp.Diff(tt.want, run(t, tt.def, `{}`)); d != "" {
				t.Error(d)
			}
		})
	}
	long := run(t, custom.Definition{Name: "tool", Script: "head -c 40000 /dev/zero | tr '\\0' x"}, `{}`)
	if len(long.Full) != 40_000 || len(long.Content) > 31_000 {
		t.Errorf("cut to %d of %d", len(long.Content), len(long.Full))
	}
}

// TestInterpreters runs a script in each language that this machine has, from the working directory.
func TestInterpreters(t *testing.T) {
	scripts := map[string]string{
		"sh": "read line; echo \"$line\"", "bash": "read line; echo \"$line\"", "python": "import sys; print(sys.stdin.read().strip())",
		"node": "process.stdin.pipe(process.stdout)", "ruby": "puts STDIN.read",
	}
	for _, name := range sandbox.Interpreters() {
		t.Run(name, func(t *testing.T) {
			program := name
			if name == "python" {
				program = "python3"
			}
			if _, err := exec.LookPath(program); err != nil {
				t.Skip(err)
			}
			if got := run(t, custom.Definition{Name: "x", Script: scripts[name], Interpreter: name}, `{"a":"b"}`); got.Content != `{"a":"b"}` {
				t.Errorf("%+v", got)
			}
		})
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	res, err := custom.New(custom.Definition{Name: "x", Script: "ls"}, sandbox.Launcher{}).Call(t.Context(), &tools.Call{Roots: tools.Roots{Dir: dir}})
	if err != nil || res.Content != "here" {
		t.Errorf("%+v %v", res, err)
	}
}

func TestSpec(t *testing.T) {
	got := custom.New(custom.Definition{Name: "n", Description: "d", Notes: "\nnotes\n", ReadOnly: true}, sandbox.Launcher{}).Spec()
	if got.Name != "n" || got.Description != "d\n\nnotes" || !got.ReadOnly {
		t.Errorf("%+v", got)
	}
	if err := got.Check(json.RawMessage(`{"x":1}`)); err == nil {
		t.Error("a tool without parameters takes one")
	}
}
