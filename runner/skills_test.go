package runner_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// yard is a workspace, a skill folder outside of it, and an agent with the built-in tools.
type yard struct {
	workspace, folder string
	skill             *skills.Skill
	agent             *agents.Agent
}

func newYard(t *testing.T, text string, rules ...script.Rule) *yard {
	t.Helper()
	real := func(dir string) string {
		out, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	y := &yard{workspace: real(t.TempDir()), folder: real(t.TempDir())}
	y.put(t, filepath.Join(y.folder, "SKILL.md"), text)
	y.skill = &skills.Skill{Name: "tide", Description: "Reads tide tables.", Text: text, File: "tide/SKILL.md", Folder: y.folder,
		Variables: map[string]string{"CLAUDE_SKILL_DIR": y.folder}}
	y.agent = worker(t, rules...)
	y.agent.Tools = []tools.Toolset{tools.Fixed(builtin.New(&builtin.Options{Launcher: sandbox.Launcher{Mode: sandbox.Off}})...)}
	y.agent.Skills = skills.New([]*skills.Skill{y.skill}, nil)
	return y
}

func (y *yard) put(t *testing.T, path, text string) {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(y.workspace, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// do runs a request and gives the results of all calls, "! " before a failed one.
func (y *yard) do(t *testing.T, req runner.Request, o *runner.Options) (*runner.Result, []string) {
	t.Helper()
	g, err := agents.New(agents.Spec{
		Name: "test", Root: y.workspace, Generation: 1, Agents: []*agents.Agent{y.agent},
		Commands: skills.New([]*skills.Skill{y.skill}, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	var results []string
	res, _ := runner.New(agents.Static(g), o).Do(t.Context(), req, &runner.RunOptions{Sink: func(e event.Event) {
		if r, ok := e.(*event.ToolResult); ok {
			mark := ""
			if r.IsError {
				mark = "! "
			}
			results = append(results, mark+r.Result)
		}
	}})
	return res, results
}

func loadTide(args string) script.Reply {
	if args == "" {
		return use(call("LoadSkill", `{"name":"tide"}`))
	}
	return use(call("LoadSkill", `{"name":"tide","arguments":"`+args+`"}`))
}

// TestSkillCommands runs commands of skills in a real shell, under the rules of the agent and nobody asked.
func TestSkillCommands(t *testing.T) {
	for _, tt := range []struct {
		name, text, args string
		grants, ask      []string
		allowed          []string
		asking           bool
		want             string // in the result; begins with "! " for a failure
	}{
		{name: "free", text: "Now:\n!`echo one; echo two >&2`", want: "Now:\none\ntwo"},
		{name: "block", text: "```!\necho a\necho b\n```", want: "a\nb"},
		{name: "folder", text: "!`cat ${CLAUDE_SKILL_DIR}/data.txt`", want: "high at noon"},
		{name: "covered", text: "!`echo x`", grants: []string{"Bash(echo *)"}, want: "x"},
		{name: "not covered", text: "!`touch made`", grants: []string{"Bash(echo *)"}, want: "! "},
		{name: "no shell", text: "!`echo x`", grants: []string{"Read"}, want: "! "},
		{name: "would be asked", text: "!`touch made`", ask: []string{"Bash(touch *)"}, want: "! "},
		{name: "inherited", text: "!`touch made`", asking: true, want: "! "},
		{name: "inherited and allowed by the skill", text: "!`echo x`", asking: true, allowed: []string{"Bash(echo *)"}, want: "x"},
		{name: "allowed by the skill, asked by a rule", text: "!`touch made`", ask: []string{"Bash(touch *)"}, allowed: []string{"Bash"}, want: "! "},
		{name: "exit code", text: "!`exit 3`", want: "! "},
		{name: "grep finds nothing", text: "Found: !`grep nothing ${CLAUDE_SKILL_DIR}/data.txt`.", want: "Found: ."},
		{name: "grep finds no file", text: "!`grep x nowhere`", want: "! "},
		{name: "argument", text: "!`printf '[%s]' $ARGUMENTS`", args: "a 'b; touch made' $(touch made)", want: "[a][b; touch made][$(touch][made)]"},
		{name: "argument between quotes", text: "!`printf '[%s]' \"$0\" '$1'`", args: "'$(touch made)' '`touch made`'", want: "[$(touch made)][`touch made`]"},
		{name: "argument that is no command", text: "Do $ARGUMENTS", args: "!`touch made`", want: "Do !`touch made`"},
		{name: "deletes all", text: "!`rm -rf /`", want: "! "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			y := newYard(t, tt.text, turn("1", loadTide(tt.args)), script.Rule{Reply: say("done")})
			y.put(t, filepath.Join(y.folder, "data.txt"), "high at noon\n")
			for _, text := range tt.grants {
				y.agent.Rules.All = false
				y.agent.Rules.Grants = append(y.agent.Rules.Grants, rule(t, text))
			}
			for _, text := range tt.ask {
				y.agent.Rules.Ask = append(y.agent.Rules.Ask, rule(t, text))
			}
			for _, text := range tt.allowed {
				y.skill.Allowed = append(y.skill.Allowed, skills.Rule{Text: text})
			}
			y.agent.Rules.Asking = tt.asking
			res, results := y.do(t, runner.Request{Input: "go"}, nil)
			if !res.OK || len(results) != 1 {
				t.Fatalf("%v %s: %q", res.Kind, res.Message, results)
			}
			if want, fails := strings.CutPrefix(tt.want, "! "); fails != strings.HasPrefix(results[0], "! ") || !strings.Contains(results[0], want) {
				t.Errorf("got %q", results[0])
			}
			if _, err := os.Stat(filepath.Join(y.workspace, "made")); err == nil {
				t.Error("a command ran that no rule lets run")
			}
		})
	}
}

// TestSkillCommandHooks: hooks see the commands of skills as they see calls of Bash.
func TestSkillCommandHooks(t *testing.T) {
	for _, tt := range []struct {
		name string
		hook hook.Result
		ask  bool
		want string
	}{
		{"halts", hook.Result{Decision: hook.Halt, Message: "not on my watch"}, false, "! not on my watch"},
		{"asks", hook.Result{Decision: hook.Ask, Message: "Really?"}, false, "! nobody is asked"},
		{"changes", hook.Result{Input: []byte(`{"command":"echo other"}`)}, false, "other"},
		{"changes to what is denied", hook.Result{Input: []byte(`{"command":"touch made"}`)}, true, "! touch"},
		{"allows", hook.Result{Decision: hook.Allow}, false, "one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			y := newYard(t, "!`echo one`", turn("1", loadTide("")), script.Rule{Reply: say("done")})
			entry := says("guard", "before_tool", tt.hook)
			entry.Match, _ = hook.ParseMatcher("Bash")
			y.agent.Hooks = hook.Chain{entry}
			if tt.ask {
				y.agent.Rules.Deny = []tools.Rule{rule(t, "Bash(touch *)")}
			}
			_, results := y.do(t, runner.Request{Input: "go"}, nil)
			want, fails := strings.CutPrefix(tt.want, "! ")
			if len(results) != 1 || fails != strings.HasPrefix(results[0], "! ") || !strings.Contains(results[0], want) {
				t.Errorf("got %q", results)
			}
		})
	}
}

// TestSkillFolder: the folder of a skill can be read once the skill is active, and in no other way; what leads out of it, or
// writes into it, stays refused.
func TestSkillFolder(t *testing.T) {
	y := newYard(t, "Read the table.")
	y.put(t, filepath.Join(y.folder, "refs", "table.md"), "high at noon\n")
	secret := filepath.Join(filepath.Dir(y.folder), "secret.txt")
	y.put(t, secret, "the key\n")
	if err := os.Symlink(secret, filepath.Join(y.folder, "out.txt")); err != nil {
		t.Fatal(err)
	}
	file := func(tool, path, more string) script.Call {
		return call(tool, `{"file_path":"`+filepath.ToSlash(filepath.Join(y.folder, path))+`"`+more+`}`)
	}
	y.agent.Model = scripted(t,
		turn("1", use(file("Read", "refs/table.md", ""), call("LoadSkill", `{"name":"tide"}`))),
		turn("2", use(file("Read", "refs/table.md", ""), file("Read", "out.txt", ""), file("Write", "new.md", `,"content":"x"`),
			call("Grep", `{"pattern":"noon","path":"`+filepath.ToSlash(y.folder)+`"}`), call("Read", `{"file_path":"`+filepath.ToSlash(secret)+`"}`))),
		script.Rule{Reply: say("done")},
	)
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	res, results := y.do(t, runner.Request{Input: "go"}, &runner.Options{Sessions: d})
	var got []string
	for _, r := range results {
		got = append(got, map[bool]string{true: "refused", false: "read"}[strings.HasPrefix(r, "! ")])
	}
	if diff := cmp.Diff([]string{"refused", "read", "read", "refused", "refused", "read", "refused"}, got); diff != "" {
		t.Errorf("%s\n%q", diff, results)
	}
	if !strings.Contains(results[1], "<file>refs/table.md</file>") || strings.Contains(results[1], "out.txt") {
		t.Errorf("the skill lists its files as %q", results[1])
	}
	if !strings.Contains(results[5], "table.md") {
		t.Errorf("a search in the folder finds %q", results[5])
	}

	// The conversation goes on in another process: the skill is still active, and told by a short note.
	y.agent.Model = scripted(t,
		turn("1", use(file("Read", "refs/table.md", ""), call("LoadSkill", `{"name":"tide"}`))),
		script.Rule{Reply: say("done")},
	)
	_, results = y.do(t, runner.Request{Input: "again", Session: res.Session}, &runner.Options{Sessions: d})
	if len(results) != 2 || strings.HasPrefix(results[0], "! ") || !strings.Contains(results[1], "active already") {
		t.Errorf("in the next run: %q", results)
	}
}

// TestSkillGrant: what a skill pre-approves counts from the next turn on, until the exchange is over.
func TestSkillGrant(t *testing.T) {
	both := use(call("LoadSkill", `{"name":"tide"}`), call("Bash", `{"command":"touch made"}`))
	y := newYard(t, "Touch.", turn("1", both), turn("2", use(call("Bash", `{"command":"touch made"}`))),
		turn("3", use(call("Bash", `{"command":"touch made"}`), call("Bash", `{"command":"touch other"}`))), script.Rule{Reply: say("done")})
	y.skill.Allowed = []skills.Rule{{Text: "Bash(touch made)"}}
	y.agent.Rules.Asking = true
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	res, results := y.do(t, runner.Request{Input: "go"}, &runner.Options{Sessions: d})
	refused := func(rs []string) (out []bool) {
		for _, r := range rs {
			out = append(out, strings.HasPrefix(r, "! "))
		}
		return out
	}
	if diff := cmp.Diff([]bool{false, true, false, false, true}, refused(results)); diff != "" {
		t.Errorf("%s\n%q", diff, results)
	}
	y.agent.Model = scripted(t, turn("1", use(call("Bash", `{"command":"touch made"}`))), script.Rule{Reply: say("done")})
	if _, results = y.do(t, runner.Request{Input: "again", Session: res.Session}, &runner.Options{Sessions: d}); !refused(results)[0] {
		t.Errorf("the next exchange: %q", results)
	}
}

// TestSkillSurvives: the text of a skill is there after the conversation was made smaller, once and twice.
func TestSkillSurvives(t *testing.T) {
	for _, strategy := range []agents.Strategy{agents.Summarise, agents.Prune, agents.TruncateTools} {
		t.Run(string(strategy), func(t *testing.T) {
			text := "Read the table, line by line. " + strings.Repeat("Mind the moon. ", 100)
			y := newYard(t, text)
			page := script.Rule{Reply: use(call("page", `{}`))}
			page.When = []script.When{{Turn: "2..9"}}
			y.agent.Model = scripted(t,
				script.Rule{When: []script.When{{System: "^You summarise"}}, Reply: say("Pages were read.")},
				full(script.When{Turn: "5"}, 1), full(script.When{Turn: "9"}, 1),
				turn("1", loadTide("")), page,
				script.Rule{When: []script.When{{Turn: "10"}}, Reply: loadTide("")},
				script.Rule{Reply: say("done")},
			)
			var asked []*providers.Request
			y.agent.Model = heard{y.agent.Model, &asked}
			y.agent.Context = agents.Context{KeepRecent: 2, Strategy: strategy}
			n := 0
			y.agent.Tools = append(y.agent.Tools, tools.Fixed(bare{"page", func(*tools.Call) (tools.Result, error) {
				n++
				return tools.Result{Content: strings.Repeat("word ", 300+n)}, nil
			}}))
			res, results := y.do(t, runner.Request{Input: "go"}, nil)
			if !res.OK || len(results) != 10 {
				t.Fatalf("%s: %d results, %s", res.Kind, len(results), res.Message)
			}
			if !strings.Contains(results[9], "active already") {
				t.Errorf("a second time the skill is told as %q", results[9])
			}
			if got := whole(asked[len(asked)-1]); strings.Count(got, strings.TrimSpace(text)) != 1 {
				t.Errorf("the last request has the text %d times", strings.Count(got, strings.TrimSpace(text)))
			}
		})
	}
}

// TestSkillInterrupted: a skill whose commands were cut off is given when the conversation goes on, loaded or whole.
func TestSkillInterrupted(t *testing.T) {
	for _, inPrompt := range []bool{false, true} {
		y := newYard(t, "Begin. !`test -e ready || { echo > began; sleep 20; }`", script.Rule{Reply: say("done")})
		if !inPrompt {
			y.agent.Model = scripted(t, turn("1", loadTide("")), script.Rule{Reply: say("done")})
		} else {
			y.agent.Skills = y.agent.Skills.With([]*skills.Skill{y.skill}, nil)
		}
		var asked []*providers.Request
		y.agent.Model = heard{y.agent.Model, &asked}
		g, err := agents.New(agents.Spec{Name: "test", Root: y.workspace, Generation: 1, Agents: []*agents.Agent{y.agent}})
		if err != nil {
			t.Fatal(err)
		}
		chat, err := session.New(nil, session.Head{ID: "chat"})
		if err != nil {
			t.Fatal(err)
		}
		r := runner.New(agents.Static(g), nil)
		ctx, cancel := context.WithCancel(t.Context())
		began := filepath.Join(y.workspace, "began")
		if err := exec.CommandContext(t.Context(), "mkfifo", began).Run(); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = os.ReadFile(began) // until the command has written
			cancel()
		}()
		if res, _ := r.Do(ctx, runner.Request{Input: "go"}, &runner.RunOptions{Session: chat}); res.Kind != event.KindCancelled {
			t.Fatalf("%s: %s", res.Kind, res.Message)
		}
		y.put(t, "ready", "")
		if res, _ := r.Do(t.Context(), runner.Request{Input: "again"}, &runner.RunOptions{Session: chat}); !res.OK {
			t.Fatalf("%s: %s", res.Kind, res.Message)
		}
		last := asked[len(asked)-1]
		if !strings.Contains(last.System+whole(last), "Begin.") {
			t.Errorf("the model is not given the skill (in the prompt: %t): %+v", inPrompt, last.Messages)
		}
	}
}

// TestCalledSkill: a person calls a skill; its files are attached and its folder can be read.
func TestCalledSkill(t *testing.T) {
	y := newYard(t, "See @refs/table.md, @notes.md, @../secret.txt, @nobody and @link.txt: $ARGUMENTS",
		script.Rule{Reply: say("{{ .Prompt }}")})
	y.put(t, filepath.Join(y.folder, "refs", "table.md"), "high at noon\n")
	y.put(t, "notes.md", "my notes\n")
	y.put(t, filepath.Join(filepath.Dir(y.workspace), "secret.txt"), "the key\n")
	if err := os.Symlink("../secret.txt", filepath.Join(y.workspace, "link.txt")); err != nil {
		t.Fatal(err)
	}
	y.put(t, "private.md", "for me\n")
	y.agent.Rules.Deny = []tools.Rule{rule(t, "Read(private.md)")}
	res, _ := y.do(t, runner.Request{Command: "tide", Input: "@private.md"}, nil)
	got := res.Text()
	for _, want := range []string{"high at noon", "my notes", "@../secret.txt is not attached", "@link.txt is not attached", "@private.md is not attached", "<file>refs/table.md</file>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the prompt", want)
		}
	}
	for _, secret := range []string{"the key", "for me", "@nobody is not"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q is in the prompt", secret)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	if res, _ := y.do(t, runner.Request{Command: "tied"}, nil); res.Kind != "usage" {
		t.Errorf("a name that nothing has: %s", res.Kind)
	}
	y.skill.Text = "!`exit 3`"
	if res, _ := y.do(t, runner.Request{Command: "tide"}, nil); res.Kind != "agent_failed" || !strings.Contains(res.Message, "exit code 3") {
		t.Errorf("a command that fails: %s, %s", res.Kind, res.Message)
	}
}

// TestHugeSkill: a model is given the beginning of a skill that is too long, in an element that ends.
func TestHugeSkill(t *testing.T) {
	y := newYard(t, strings.Repeat("Mind the moon. ", 20_000), turn("1", loadTide("")), script.Rule{Reply: say("done")})
	_, results := y.do(t, runner.Request{Input: "go"}, nil)
	if len(results) != 1 || len(results[0]) > 100_000 || !strings.HasSuffix(results[0], "</skill_content>") || !strings.Contains(results[0], "the text goes on in tide/SKILL.md") {
		t.Errorf("%d characters", len(results[0]))
	}
}

// TestNobodyLoads: outside of a run the tool that loads skills is shown and cannot be called.
func TestNobodyLoads(t *testing.T) {
	y := newYard(t, "x")
	g, err := agents.New(agents.Spec{Name: "test", Root: y.workspace, Agents: []*agents.Agent{y.agent}})
	if err != nil {
		t.Fatal(err)
	}
	all, release, err := runner.Offer(context.Background(), g, y.agent, tools.Roots{})
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, o := range all {
		if o.Tool.Spec().Name != "LoadSkill" {
			continue
		}
		if _, err := o.Tool.Call(t.Context(), &tools.Call{Input: []byte(`{"name":"tide"}`)}); err == nil || o.Source != "skills" {
			t.Errorf("%s: %v", o.Source, err)
		}
		return
	}
	t.Error("LoadSkill is not offered")
}

// whole is all that a model is sent but the system prompt.
func whole(req *providers.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		b.WriteString(m.Text())
		for _, p := range m.Parts {
			if r, ok := p.(providers.ToolResult); ok {
				b.WriteString(r.Content)
			}
		}
	}
	return b.String()
}

// TestSkillsOfFolders: the skills of a folder can be loaded once a file there was reached, and are told then.
func TestSkillsOfFolders(t *testing.T) {
	read := func(path string) script.Call { return call("Read", `{"file_path":"`+path+`"}`) }
	deploy := use(call("LoadSkill", `{"name":"services/api:deploy"}`))
	y := newYard(t, "x", turn("1", deploy), turn("2", use(read("notes.md"), read("services/api/main.go"))), turn("3", use(read("services/api/main.go"))),
		turn("4", deploy), turn("5", deploy), script.Rule{Reply: say("done")})
	y.put(t, "notes.md", "x\n")
	y.put(t, "services/api/main.go", "package main\n")
	y.put(t, "services/api/.claude/skills/deploy/run.sh", "true\n")
	var asked []string
	y.agent.Skills = skills.New(nil, nil).Nesting(func(root, dir string) ([]*skills.Skill, []string) {
		if asked = append(asked, dir); dir != "services/api" {
			return nil, nil
		}
		return []*skills.Skill{{Name: "services/api:deploy", Description: "Deploys.", Text: "Deploy it.", Folder: filepath.Join(root, dir, ".claude", "skills", "deploy")}}, nil
	})
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	res, results := y.do(t, runner.Request{Input: "go"}, &runner.Options{Sessions: d})
	if !res.OK || len(results) != 6 {
		t.Fatalf("%s %s: %q", res.Kind, res.Message, results)
	}
	for i, want := range []string{"! ", "x\n", "<name>services/api:deploy</name>", "package main", "Deploy it.", "active already"} {
		if !strings.Contains(results[i], want) {
			t.Errorf("result %d: %q, want %q", i, results[i], want)
		}
	}
	if strings.Contains(results[1]+results[3], "available_skills") {
		t.Errorf("a skill is told without its folder, or twice: %q", results)
	}
	if diff := cmp.Diff([]string{"services", "services/api"}, asked[:2]); diff != "" {
		t.Error(diff)
	}
	y.agent.Model = scripted(t, turn("1", use(read("services/api/.claude/skills/deploy/run.sh"))), turn("2", deploy), script.Rule{Reply: say("done")})
	if _, results = y.do(t, runner.Request{Input: "again", Session: res.Session}, &runner.Options{Sessions: d}); len(results) != 2 || !strings.Contains(results[1], "active already") {
		t.Errorf("in the next run: %q", results)
	}
}
