package loader

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// opened are the tools that an agent of a live workspace is given.
func opened(t *testing.T, live *Live, agent string) map[string]tools.Tool {
	t.Helper()
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	a, err := g.Start(agent)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]tools.Tool{}
	for _, set := range a.Tools {
		ts, done, err := set.Open(t.Context(), tools.Roots{})
		if err != nil {
			t.Fatal(err)
		}
		done()
		for _, tool := range ts {
			out[tool.Spec().Name] = tool
		}
	}
	return out
}

// TestSandboxReachesChildren: what the settings say about children holds for built-in and for custom tools.
func TestSandboxReachesChildren(t *testing.T) {
	const tool = "---\ndescription: Shows a variable.\n---\n```sh\necho \"got $SHOWN and $HIDDEN\"\n```\n"
	env, _ := testEnv(t)
	var given sandbox.Launcher
	env.Builtin = func(l sandbox.Launcher) []tools.Tool { given = l; return nil }
	dir := write(t, t.TempDir(), SettingsFile, "defaults: {model: openai/gpt-5, tools: [show]}\nsandbox: {env: [SHOWN]}\n",
		"agents/a.md", agentFile("a", ""), "tools/show.md", tool)
	o := &Options{Env: env, Environ: []string{"SHOWN=this", "HIDDEN=that", "PATH=/usr/bin:/bin"}}
	call := func() string {
		t.Helper()
		c := &tools.Call{Tool: "show", Input: json.RawMessage(`{}`), Roots: tools.Roots{Workspace: dir, Dir: dir}}
		got, err := opened(t, open(t, dir, o), "a")["show"].Call(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return got.Content
	}
	if got := call(); !strings.Contains(got, "got this and") || strings.Contains(got, "that") {
		t.Errorf("a custom tool said %q", got)
	}
	if len(given.Env) != 1 || given.Env[0] != "SHOWN" {
		t.Errorf("built-in tools got the variables %v", given.Env)
	}
	write(t, dir, SettingsFile, "defaults: {model: openai/gpt-5, tools: [show]}\nsandbox: {mode: require}\n")
	if got := call(); !strings.Contains(got, "require") {
		t.Errorf("under require a custom tool said %q", got)
	}
	if given.Mode != sandbox.Require {
		t.Errorf("built-in tools got the mode %q", given.Mode)
	}
}

// TestSandboxPaths: paths of the settings stand in the workspace or the person's home folder, and nowhere else by a tilde.
func TestSandboxPaths(t *testing.T) {
	dir := write(t, t.TempDir(), SettingsFile, "sandbox:\n  network: none\n  sockets: true\n  read: [/opt/x, ~/models, ~bob/y]\n  write: [build]\n")
	r := check(t, dir, &Options{Environ: []string{"HOME=/home/me"}})
	if got := diagnostics(r.Diagnostics); !strings.Contains(got, "swarmrun.yaml:4:28: error[E-SANDBOX]") {
		t.Error(got)
	}
	l, access := r.Sandbox("")
	want := [][]string{{"/opt/x", "/home/me/models"}, {filepath.Join(r.Root, "build")}, {r.Root}, {r.Root}}
	if d := cmp.Diff(want, [][]string{l.Read, l.Write, access.Read, access.Write}); d != "" {
		t.Error(d)
	}
	if l.Network != "none" || !l.Sockets {
		t.Errorf("network %q, sockets %v", l.Network, l.Sockets)
	}
}

// TestDemandedSandbox: a demand that this system cannot meet has its place.
func TestDemandedSandbox(t *testing.T) {
	dir := write(t, t.TempDir(), SettingsFile, "sandbox: {mode: require}\n")
	err := check(t, dir, &Options{Environ: []string{}}).Demanded("")
	var list *diag.ListError
	if !errors.As(err, &list) || list.List[0].Code != "E-SANDBOX" || list.List[0].Range.String() != "swarmrun.yaml:1:17" {
		t.Errorf("got %v", err)
	}
	dir = write(t, t.TempDir(), SettingsFile, "sandbox: {mode: auto}\n")
	if err := check(t, dir, &Options{Environ: []string{}}).Demanded(""); err != nil {
		t.Error(err)
	}
}

// TestRegisteredToolsReplaceBuiltIn: an embedder's tool takes the place of a built-in one.
func TestRegisteredToolsReplaceBuiltIn(t *testing.T) {
	env, _ := testEnv(t)
	mine := tools.Func("Read", "Mine.", func(context.Context, struct{}) (string, error) { return "mine", nil })
	if err := env.Tools.Register(mine); err != nil {
		t.Fatal(err)
	}
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", "model: openai/gpt-5\n"))
	ts := opened(t, open(t, dir, &Options{Env: env, Environ: []string{}}), "a")
	if got := ts["Read"].Spec().Description; got != "Mine." || len(ts) != 3 {
		t.Errorf("Read is %q, of %d tools", got, len(ts))
	}
}
