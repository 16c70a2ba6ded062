package loader

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
)

// TestShowSaysWhereValuesComeFrom has a value of every layer.
func TestShowSaysWhereValuesComeFrom(t *testing.T) {
	dir := write(t, t.TempDir(),
		SettingsFile, "defaults: {model: openai/gpt-5, headers: {X: secret}}\n",
		"agents/a.md", agentFile("a", "max_turns: 7\ntimeout: 90s\nparameters: {temperature: 0, custom: {x: 1}}\nbudget: {tokens: 5}\ncontext: {window: 4096, keep_recent: 0}\npermissions: {deny: [Bash]}\n"))
	user := write(t, t.TempDir(), SettingsFile, "defaults: {streaming: false}\n")
	r := check(t, dir, &Options{
		UserDir: user, Environ: []string{"SWARMRUN_DEFAULTS__DIRECTORY=."},
		Flags: map[string]string{"defaults::max_turns": "3"},
	})
	d, ok := r.Show(config.KindAgent, "a")
	if !ok {
		t.Fatal("the agent is not shown")
	}
	var got []string
	for _, f := range d.Fields {
		got = append(got, fmt.Sprintf("%s=%v from %s at %s", f.Key, f.Value, f.Origin, strings.Replace(f.At.String(), user, "USER", 1)))
	}
	want := []string{
		"budget=map[tokens:5] from workspace at agents/a.md:7:9",
		"context=map[compact_at:0.8 keep_recent:0 strategy:summarise window:4096] from workspace at agents/a.md:8:10",
		"description=Does a. from workspace at agents/a.md:3:14",
		"directory=. from env at $SWARMRUN_DEFAULTS__DIRECTORY",
		"headers=map[X:[redacted]] from workspace at swarmrun.yaml:1:42",
		"instructions=false from default at ",
		"max_concurrent_tools=8 from default at ",
		"max_turns=3 from flag at flag defaults.max_turns",
		"model=[openai/gpt-5] from workspace at swarmrun.yaml:1:19",
		"name=a from workspace at agents/a.md:2:7",
		"parameters=map[custom:[123 34 120 34 58 49 125] temperature:0] from workspace at agents/a.md:6:13",
		"permission_mode=default from default at ",
		"permissions=map[deny:[Bash]] from workspace at agents/a.md:9:1",
		"queue_mode=one_at_a_time from default at ",
		"streaming=false from user at USER/swarmrun.yaml:1:23",
		"template=false from default at ",
		"timeout=1m30s from workspace at agents/a.md:5:10",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d.PromptTokens < 2 || d.Prompt != "You are a.\n" {
		t.Errorf("prompt %q, about %d tokens", d.Prompt, d.PromptTokens)
	}
}

// TestShowDelegates: what is taken away is shown with the rule that takes it.
func TestShowDelegates(t *testing.T) {
	dir := write(t, t.TempDir(), SettingsFile, "defaults: {model: openai/gpt-5}\n",
		"agents/lead.md", agentFile("lead", "delegates_to: [b, c]\npermission_mode: plan\npermissions: {deny: [Agent(c)]}\n"),
		"agents/b.md", agentFile("b", ""), "agents/c.md", agentFile("c", ""))
	d, ok := check(t, dir, &Options{}).Show(config.KindAgent, "lead")
	if !ok {
		t.Fatal("the agent is not shown")
	}
	var got []string
	for _, x := range d.Tools {
		if x.Source == "delegate" {
			got = append(got, fmt.Sprintf("%s %s by %s", x.Name, x.Effect, x.By[0].Text))
		}
	}
	if diff := cmp.Diff([]string{"WorkWithB granted by WorkWithB", "WorkWithC removed by Agent(c)"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestShowJob: a job is shown with all its cases, as they will run.
func TestShowJob(t *testing.T) {
	dir := write(t, t.TempDir(), SettingsFile, "defaults: {model: openai/gpt-5}\n", "agents/a.md", agentFile("a", ""), "jobs/other.yaml", "name: other\nprompt: x\n",
		"jobs/j.yaml", "name: j\nneeds: [other]\nmatrix: {model: [x/1, x/2]}\nrepeat: 3\ncases:\n  - {name: one, prompt: Go., skip: later, expect: [{contains: x}]}\n")
	d, ok := check(t, dir, &Options{}).Show(config.KindJob, "j")
	if !ok {
		t.Fatal("the job is not shown")
	}
	var got []string
	for _, f := range d.Fields {
		got = append(got, fmt.Sprintf("%s = %v at %s", f.Key, f.Value, f.At))
	}
	want := []string{
		"case one [model=x/1] = map[agent:a checks:1 model:x/1 pass_rate:1 prompt:Go. repeat:3 skip:later] at jobs/j.yaml:6:5",
		"case one [model=x/2] = map[agent:a checks:1 model:x/2 pass_rate:1 prompt:Go. repeat:3 skip:later] at jobs/j.yaml:6:5",
		"needs = [other] at jobs/j.yaml:2:9",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestShowOtherKinds(t *testing.T) {
	dir := write(t, t.TempDir(), SettingsFile, "models: {smart: [openai/gpt-5, script/r]}\n",
		"models/r.yaml", "version: 1\nrules: [{reply: {text: hi}}]\n",
		"mcp/srv.md", "---\ncommand: cat\nargs: [x]\nenv: {B: secret, A: secret}\nprefix: none\nsandbox: {mode: off, read: [/opt]}\n---\n",
		"agents/lead.md", agentFile("lead", "mcp: [srv]\nretry: {attempts: 2, deadline: 20s}\n"),
		"tools/sum.md", "---\ndescription: Adds.\nread_only: true\nenv: {A: b}\nparameters: {n: integer}\ntimeout: 5s\noutput: json\nrun: sum\n---\nNotes.\n")
	r := check(t, dir, &Options{})
	d, ok := r.Show(config.KindTool, "sum")
	if !ok || strings.TrimSpace(d.Prompt) != "Notes." {
		t.Fatalf("tool: %v %+v", ok, d)
	}
	values := map[string]string{}
	for _, f := range d.Fields {
		values[f.Key] = fmt.Sprint(f.Value)
	}
	if values["timeout"] != "5s" || values["read_only"] != "true" {
		t.Errorf("fields: %v", values)
	}
	places(t, d, "env 4", "parameters 5", "read_only 3", "run 8", "timeout 6", "output 7")
	d, ok = r.Show(config.KindMCP, "srv")
	if !ok {
		t.Fatal("the server is not shown")
	}
	places(t, d, "args 3", "command 2", "env 4", "prefix 5", "sandbox 6", "lazy 0", "required 0", "sampling 0", "start_timeout 0", "timeout 0", "tools 0", "type 0")
	d, ok = r.Show(config.KindAgent, "lead")
	if !ok {
		t.Fatal("the agent is not shown")
	}
	for _, f := range d.Fields {
		values[f.Key] = fmt.Sprint(f.Value)
	}
	if values["mcp"] != "[srv]" || values["retry.attempts"] != "2" || values["retry.deadline"] != "20s" {
		t.Errorf("fields: %v", values)
	}
	if d, ok = r.Show(config.KindTool, "Read"); !ok || d.Definition.Origin != config.Builtin {
		t.Errorf("a built-in tool: %v %+v", ok, d)
	}
	if d, ok = r.Show(config.KindModel, "smart"); !ok || len(d.Models) != 2 || d.Models[1].Model != "r" {
		t.Errorf("a chain: %v %+v", ok, d)
	}
	for _, kind := range []config.Kind{config.KindAgent, config.KindTool, config.KindModel, config.KindSkill} {
		if _, ok := r.Show(kind, "nobody"); ok {
			t.Errorf("a %s named nobody is shown", kind)
		}
	}
}

func TestList(t *testing.T) {
	dir := write(t, t.TempDir(), SettingsFile, "models: {smart: openai/gpt-5, ring: [ring]}\n",
		"agents/a.md", agentFile("a", ""), "agents/README.md", "Documentation.\n", "agents/b.md", agentFile("a", ""))
	r := check(t, dir, &Options{})
	var got []string
	for _, d := range r.List("") {
		if d.Origin != config.Builtin {
			got = append(got, fmt.Sprintf("%s %s %s", d.Kind, d.Name, d.Status))
		}
	}
	if diff := cmp.Diff([]string{"agent a loaded", "model ring broken", "model smart loaded"}, got); diff != "" {
		t.Error(diff)
	}
	if n := len(r.List(config.KindTool)); n != len(fixtureTools) {
		t.Errorf("%d tools", n)
	}
}

// TestContextIsCompiled has what the runner is told of a conversation.
func TestContextIsCompiled(t *testing.T) {
	dir := write(t, t.TempDir(), SettingsFile, "defaults: {model: script/r}\n",
		"models/r.yaml", "version: 1\nrules: [{reply: {text: hi}}]\n",
		"agents/a.md", agentFile("a", "context: {window: 4096, compact_at: 0.5, keep_recent: 0, strategy: prune}\n"), "agents/b.md", agentFile("b", ""))
	live := open(t, dir, &Options{})
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for name, want := range map[string]agents.Context{
		"a": {Window: 4096, CompactAt: 0.5, KeepRecent: -1, Strategy: agents.Prune},
		"b": {CompactAt: 0.8, KeepRecent: 10, Strategy: agents.Summarise},
	} {
		a, ok := g.Agent(name)
		if !ok || a.Context != want {
			t.Errorf("%s: %+v, want %+v", name, a, want)
		}
	}
}

// places holds that fields are shown, and with the lines where they stand; 0 is a default.
func places(t *testing.T, d *Detail, want ...string) {
	t.Helper()
	var got []string
	for _, f := range d.Fields {
		if (f.At.Start.Line == 0) != (f.Origin == "default") {
			t.Errorf("%s is of %s, at %v", f.Key, f.Origin, f.At)
		}
		got = append(got, fmt.Sprint(f.Key, " ", f.At.Start.Line))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(d.Definition.Name, diff)
	}
}
