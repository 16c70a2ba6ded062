package loader

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/mcp"
)

// TestReloadIsALoad makes random edits, good and bad ones, of all that a workspace may hold: after each, a load that takes over
// what it can says and makes what a load of the same files does that begins with nothing. Half of them are told which files
// changed.
func TestReloadIsALoad(t *testing.T) {
	env, _ := testEnv(t)
	home := t.TempDir()
	for seed := range uint64(2) {
		rnd := rand.New(rand.NewPCG(3, seed))
		dir := write(t, t.TempDir(), "agents/a0.md", agentFile("a0", ""), "notes/n.txt", "note\n")
		o := (&Options{Env: env, Environ: []string{"HOME=" + home, "WORD=word"}, Partial: true}).settle(os.Environ)
		again := make(chan *loaded, 1)
		var last *sources
		for i := range 250 {
			var what, changed []string
			for range 1 + rnd.IntN(2) {
				say, file := edit(t, rnd, dir)
				what, changed = append(what, say), append(changed, filepath.Join(dir, filepath.FromSlash(file)))
			}
			if rnd.IntN(2) == 0 {
				changed = nil
			}
			got, err := inspect(t.Context(), dir, o, last, changed)
			must(t, err)
			must(t, got.compile(o, 1))
			last = got.sources
			whole, err := load(t.Context(), dir, o, 1)
			must(t, err)
			place := fmt.Sprintf("seed %d, edit %d (%s)", seed, i, strings.Join(what, ", "))
			if diff := cmp.Diff(diagnostics(whole.report.Diagnostics), diagnostics(got.report.Diagnostics)); diff != "" {
				t.Fatalf("%s: a load says otherwise (-load +reload):\n%s", place, diff)
			}
			alike(t, place, whole, got)
			must(t, whole.graph.Close())
			select { // a generation goes on while the next one is made
			case old := <-again:
				must(t, old.graph.Close())
			default:
			}
			again <- got
		}
		must(t, (<-again).graph.Close())
	}
}

// alike compares two loads: as a person sees it, and every field of every agent.
func alike(t *testing.T, place string, x, y *loaded) {
	t.Helper()
	if diff := cmp.Diff(picture(t, x.report, x.graph), picture(t, y.report, y.graph)); diff != "" {
		t.Fatalf("%s: a load makes another graph (-load +reload):\n%s", place, diff)
	}
	for _, a := range x.graph.Agents() {
		b, _ := y.graph.Agent(a.Name)
		if diff := cmp.Diff(a, b, everything()); diff != "" {
			t.Fatalf("%s: a load makes another agent of %s (-load +reload):\n%s", place, a.Name, diff)
		}
		for _, k := range a.Skills.All() {
			var twin *skills.Skill
			for _, o := range b.Skills.All() {
				if o.Name == k.Name {
					twin = o
				}
			}
			if diff := cmp.Diff(x.graph.SkillUse(k), y.graph.SkillUse(twin), everything()); diff != "" {
				t.Fatalf("%s: a load makes another use of the skill %s (-load +reload):\n%s", place, k.Name, diff)
			}
		}
		if diff := cmp.Diff(uses(x.report, a), uses(y.report, b), everything()); diff != "" {
			t.Fatalf("%s: a load gives %s other servers (-load +reload):\n%s", place, a.Name, diff)
		}
	}
	if diff := cmp.Diff(x.graph.Hooks(), y.graph.Hooks(), everything()); diff != "" {
		t.Fatalf("%s: a load makes other hooks (-load +reload):\n%s", place, diff)
	}
}

func uses(r *Report, a *agents.Agent) (out []mcp.Server) {
	for _, u := range r.world.byName[a.Name].uses {
		out = append(out, u.server)
	}
	return out
}

// everything compares all fields, but for what has no content to compare: models and tools by their names, functions by
// whether there are any.
func everything() cmp.Options {
	return cmp.Options{
		cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.Comparer(func(a, b providers.Model) bool {
			return (a == nil) == (b == nil) && (a == nil || a.Name() == b.Name())
		}),
		cmp.Comparer(func(a, b tools.Tool) bool {
			x, y := a.Spec(), b.Spec()
			return x.Name == y.Name && x.Description == y.Description && string(x.Schema) == string(y.Schema)
		}),
		cmp.Comparer(func(a, b *mcp.Set) bool { return (a == nil) == (b == nil) }),
		cmp.Comparer(func(a, b *template.Template) bool { return (a == nil) == (b == nil) }),
		cmp.Comparer(func(a, b http.RoundTripper) bool { return a == b }),
		cmp.FilterValues(func(a, b any) bool {
			return a != nil && b != nil && reflect.TypeOf(a).Kind() == reflect.Func && reflect.TypeOf(b).Kind() == reflect.Func
		}, cmp.Comparer(func(a, b any) bool { return reflect.ValueOf(a).IsNil() == reflect.ValueOf(b).IsNil() })),
	}
}

// edit changes one file of a workspace, for better or worse, and says what and which.
func edit(t *testing.T, rnd *rand.Rand, dir string) (what, file string) {
	t.Helper()
	all := [][]candidateEdit{agentEdits(rnd), sharedEdits(rnd), foreignEdits(rnd)}
	kinds := all[[...]int{0, 0, 0, 1, 1, 2}[rnd.IntN(6)]]
	k := kinds[rnd.IntN(len(kinds))]
	path := filepath.Join(dir, filepath.FromSlash(k.file))
	if k.text == "/" || rnd.IntN(7) == 0 {
		must(t, os.RemoveAll(path))
		if k.text == "/" && rnd.IntN(2) == 0 {
			must(t, os.MkdirAll(path, 0o755))
		}
		return "with or without " + k.file, k.file
	}
	write(t, dir, k.file, k.text)
	return k.what + " " + k.file, k.file
}

// candidateEdit is a file as it may become; "/" is a folder that comes or goes.
type candidateEdit struct{ what, file, text string }

func agentEdits(rnd *rand.Rand) []candidateEdit {
	name := fmt.Sprintf("a%d", rnd.IntN(6))
	file, other := "agents/"+name+".md", fmt.Sprintf("a%d", rnd.IntN(6))
	out := []candidateEdit{
		{"text", file, agentFile(name, "") + fmt.Sprintf("Text %d.\n", rnd.IntN(5))},
		{"include", file, agentFile(name, "") + "@../notes/n.txt\n"},
		{"another's name", file, agentFile(other, "")},
		{"broken", file, "---\nname: [\n---\n"},
		{"half", file, "---\nname: " + name},
		{"empty", file, ""},
		{"bad template", file, agentFile(name, "template: true\n") + "{{ .Vars.x\n"},
		{"template", file, agentFile(name, "template: true\nvars: {x: y}\n") + "{{ .Vars.x }}\n"},
		{"moved", file, "\n" + agentFile(name, "")},
	}
	for _, extra := range []string{
		"", "max_turns: 3\nqueue_mode: all\n", "delegates_to: [" + other + "]\n", "delegates_to: {" + other + ": {as: Ask, when: always, context: keep}}\n",
		"tools: [Read, \"Bash(git *)\", t]\n", "tools: [Raed]\n", "tools: [Read, \"Agent(a1, a2)\"]\n", "tools: \"*\"\ndisallowed_tools: [WebFetch]\n",
		"tools: []\n", "tools: [Read, mcp__m__look]\nmcp: [m]\n", "mcp: [m, {own: {type: stdio, command: sh, args: [\"$${WORD}\", \"${WORD}\"]}}]\n", "mcp: [\"*\"]\n",
		"hooks: [h]\n", "hooks: {before_tool: [{matcher: t, hooks: [{type: command, command: \"true\"}]}]}\n", "skills: [s]\n", "skills: []\n",
		"directories: [sub]\n", "directory: sub\n", "model: script/m\n", "model: [fast, openai/gpt-5]\n", "model: nobody/x\n", "model: inherit\n",
		"budget: {cost: 1}\n", "permissions: {allow: [Read], deny: [\"Bash(rm *)\"]}\npermission_mode: bypass\n", "thinking: {effort: high}\nparameters: {temperature: 0.2}\n",
		"retry: {attempts: 2}\nheaders: {x-a: b}\n", "output: {type: object}\n", "instructions: true\ncontext: {window: 4096}\n", "color: red\nnonsense: 1\n",
	} {
		body := []string{"", "@../notes/n.txt\n"}[rnd.IntN(2)]
		out = append(out, candidateEdit{"fields " + strings.ReplaceAll(extra, "\n", "; ") + body, file, agentFile(name, extra) + body})
	}
	return out
}

func sharedEdits(rnd *rand.Rand) []candidateEdit {
	n := rnd.IntN(3)
	skill := func(extra string) string {
		return "---\nname: s\ndescription: A skill.\n" + extra + fmt.Sprintf("---\nDo %d.\n", n)
	}
	hook := func(extra string) string { return "---\n" + extra + "---\n```sh\nexit 0\n```\n" }
	return []candidateEdit{
		{"note", "notes/n.txt", fmt.Sprintf("note %d\n", n)},
		{"note", "notes/n.txt", fmt.Sprintf("other note %d\n", n)},
		{"folder", "sub", "/"},
		{"defaults", "swarmrun.yaml", fmt.Sprintf("defaults: {model: openai/gpt-5, max_turns: %d}\n", n)},
		{"more defaults", "swarmrun.yaml", "defaults: {model: fast, tools: [Read, t], delegates_to: [a1], mcp: [{d: {type: stdio, command: \"${WORD}\"}}], directories: [sub]}\nmodels: {fast: [openai/gpt-5-mini, script/m]}\n"},
		{"budget", "swarmrun.yaml", "models: {fast: openai/gpt-5}\nbudget: {cost: 1}\ndefaults: {model: fast}\ndefault_agent: a1\n"},
		{"rules", "swarmrun.yaml", "permissions: {deny: [\"Read(.env)\"], ask: [t]}\nretry: {attempts: 3}\n"},
		{"broken settings", "swarmrun.yaml", "default_agnet: a\n"},
		{"no foreign trees", "swarmrun.yaml", "include: []\n"},
		{"kept rules", ".swarmrun/permissions.yaml", fmt.Sprintf("deny: [\"Read(./%d)\"]\n", n)},
		{"script", "models/m.yaml", fmt.Sprintf("version: 1\nrules: [{reply: {text: t%d}}]\n", n)},
		{"broken script", "models/m.yaml", "version: 1\nrules: [{replay: 1}]\n"},
		{"tool", "tools/t.md", fmt.Sprintf("---\nname: t\ndescription: A tool.\n---\n```sh\necho %d\n```\n", n)},
		{"broken tool", "tools/t.md", "---\nname: t\n---\n"},
		{"skill", "skills/s/SKILL.md", skill("allowed-tools: Read WorkWithA1\n")},
		{"hooked skill", "skills/s/SKILL.md", skill("hooks: {before_tool: [{hooks: [{type: command, command: \"true\"}]}]}\nmodel: fast\n")},
		{"hidden skill", "skills/s/SKILL.md", skill("disable-model-invocation: true\n")},
		{"broken skill", "skills/s/SKILL.md", "---\nname: [\n---\n"},
		{"server", "mcp/m.md", fmt.Sprintf("---\nname: m\ncommand: sh\nargs: [\"%d\"]\ntools: [look]\n---\nUse %d.\n", n, n)},
		{"broken server", "mcp/m.md", "---\nname: m\n---\n"},
		{"servers", ".mcp.json", `{"mcpServers": {"k": {"command": "sh"}, "l": {"url": "https://x.example/"}}}`},
		{"hook", "hooks/h.md", hook(fmt.Sprintf("event: before_tool\nmatch: Read\ntimeout: %ds\n", n+1))},
		{"listed hook", "hooks/h.md", hook("event: run_stop\nscope: listed\n")},
		{"broken hook", "hooks/h.md", hook("event: sometime\n")},
	}
}

func foreignEdits(rnd *rand.Rand) []candidateEdit {
	n := rnd.IntN(3)
	return []candidateEdit{
		{"agent", ".claude/agents/c.md", agentFile("c", fmt.Sprintf("tools: Read, Bash\nmaxTurns: %d\n", n+1))},
		{"agent with all tools", ".claude/agents/c.md", agentFile("c", "skills: s\n")},
		{"agent of a taken name", ".claude/agents/c.md", agentFile("a1", "model: opus\n")},
		{"command", ".claude/commands/k.md", fmt.Sprintf("---\ndescription: Does it.\n---\nDo %d.\n", n)},
		{"skill", ".claude/skills/s/SKILL.md", "---\nname: s\ndescription: Another one.\nallowed-tools: Bash(git:*)\n---\nDo.\n"},
		{"settings", ".claude/settings.json", fmt.Sprintf(`{"permissions": {"deny": ["Read(./%d)"], "allow": ["Bash(ls:*)"], "defaultMode": "plan"}, "model": "opus"}`, n)},
		{"hooks", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}, "agent": "c", "env": {"A": "b"}}`},
		{"no hooks", ".claude/settings.json", `{"disableAllHooks": true, "disabledMcpjsonServers": ["k"], "additionalDirectories": ["sub"]}`},
		{"broken settings", ".claude/settings.json", `{"permissions": 1`},
		{"plugin", ".claude/plugins/p/.claude-plugin/plugin.json", `{"name": "p"}`},
		{"agent of a plugin", ".claude/plugins/p/agents/g.md", agentFile("g", fmt.Sprintf("maxTurns: %d\n", n+1))},
		{"hooks of a plugin", ".claude/plugins/p/hooks/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`},
		{"guide", ".github/instructions/g.instructions.md", fmt.Sprintf("---\napplyTo: '**/*.go'\n---\nStyle %d.\n", n)},
		{"rule", ".claude/rules/r.md", fmt.Sprintf("Be brief %d.\n", n)},
		{"copilot's agent", ".github/agents/o.agent.md", "---\ndescription: Helps.\ntools: ['codebase', 'edit']\n---\nHelp.\n"},
		{"gemini's agent", ".gemini/agents/e.md", "---\nname: e\ndescription: Helps.\n---\nHelp.\n"},
		{"opencode's agent", ".opencode/agent/q.md", "---\ndescription: Helps.\nmode: subagent\n---\nHelp.\n"},
	}
}
