package importer

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// builder collects agents.
type builder struct {
	env    *loader.Environment
	tools  map[string]bool // names here; true = the tool only reads
	names  []string        // the same, sorted
	given  *config.TreeSettings
	denied bool                   // what binds the tree could not be read: nothing of it is imported
	limits []*config.TreeSettings // of the trees of the folder
	extra  []File                 // skills, hooks and servers
	guards []string               // those of extra that are hooks: agents are not imported without them
	agents []*draft
	teams  []*config.Team
	left   diag.List

	hookFiles int
}

// draft is an agent on its way into a file.
type draft struct {
	*config.Agent
	from string
}

func newBuilder(env *loader.Environment) *builder {
	b := &builder{env: env, tools: map[string]bool{}}
	if env.Builtin != nil {
		for _, t := range env.Builtin(sandbox.Launcher{}) {
			b.tools[t.Spec().Name] = t.Spec().ReadOnly
		}
	}
	b.tools["Agent"] = false
	for name := range b.tools {
		b.names = append(b.names, name)
	}
	slices.Sort(b.names)
	return b
}

// told turns findings about a source into what is not carried: what is an error there is one here.
func told(ds diag.List) diag.List {
	var out diag.List
	for _, d := range ds {
		code := diag.Code("W-NOT-CARRIED")
		if d.Severity == diag.Error {
			code = "E-NOT-CARRIED"
		}
		if d.Code == "E-NOT-CARRIED" || d.Code == "W-NOT-CARRIED" {
			out.Add(d)
			continue
		}
		switch d.Code {
		case "W-YAML-QUOTED", "W-YAML-FOLDED", "W-YAML-COMMENT", "W-BODY-EMPTY", "W-FENCE-BLANK", "W-HOOK-FAIL-OPEN", "I-DOC":
			continue // the text is whole, and a native hook that fails denies
		}
		out.Add(diag.Diagnostic{Severity: code.Severity(), Code: code, Range: d.Range, Summary: d.Summary, Suggestion: d.Suggestion})
	}
	return out
}

// settings takes what binds a whole tree. What restricts and cannot be read, or guards by hooks, leaves the tree out.
func (b *builder) settings(set *config.TreeSettings, ds diag.List) {
	b.given, b.denied = set, ds.HasErrors()
	b.left.Add(told(ds)...)
	if set == nil {
		return
	}
	b.denied = b.denied || len(set.Refused) > 0 || set.Only.Set()
	b.left.Add(told(set.Refused)...)
	if set.Only.Set() {
		b.left.Add(diag.New("E-NOT-CARRIED", set.Only.At, "the settings list what agents of the tree may use, which an import does not carry").
			Suggest("let the tree be read where it lies"))
	}
	note := func(at diag.Range, what string) {
		if !at.IsZero() {
			b.left.Add(diag.New("W-NOT-CARRIED", at, "%s stays in the settings of the tree, which are read where they lie", what))
		}
	}
	note(set.Agent.KeyAt(), "agent")
	note(set.Env.KeyAt(), "env")
	note(set.NoSkillShell.KeyAt(), "disableSkillShellExecution")
	note(set.AllMCP.KeyAt(), "enableAllProjectMcpServers")
	for _, refs := range [][]config.Ref{set.Excludes, set.Directories, set.MCPOn, set.MCPOff} {
		for _, r := range refs {
			note(r.At, r.V)
		}
	}
}

// agent reads one Markdown agent.
func (b *builder) agent(data []byte, name string, origin config.Origin) {
	a, def, ds := config.ReadAgent(data, name, origin)
	b.left.Add(told(ds)...)
	switch {
	case a == nil && def.Status == config.Skipped:
		return
	case a == nil:
		return // the errors say why
	case b.denied:
		b.left.Add(diag.New("E-NOT-CARRIED", a.At, "what the settings of its tree guard %q with cannot be carried", a.Name))
		return
	}
	if b.adjust(a) {
		b.agents = append(b.agents, &draft{a, name})
	}
}

// team takes the agents of a YAML file.
func (b *builder) team(t *config.Team, ds diag.List) {
	b.left.Add(told(ds)...)
	if t == nil {
		return
	}
	b.teams = append(b.teams, t)
	for _, a := range t.Agents {
		a.Permissions.Allow = b.known(a.Permissions.Allow)
		a.Permissions.Ask = b.known(a.Permissions.Ask)
		a.Permissions.Deny = b.known(a.Permissions.Deny)
		a.Tools.V = b.known(a.Tools.V)
		b.models(a, t.Models)
		a.Prompt = quoted(a.Prompt)
		b.agents = append(b.agents, &draft{a, a.At.File})
	}
}

// known keeps the rules about tools that exist here; the others are told.
func (b *builder) known(refs []config.Ref) []config.Ref {
	out := []config.Ref{}
	for _, r := range refs {
		rule, err := tools.ParseRule(r.V, tools.Native, r.At)
		_, exists := b.tools[rule.Tool]
		if err != nil || !exists && rule.Tool != "*" {
			b.left.Add(diag.New("W-NOT-CARRIED", r.At, "%s names no tool that every workspace has", r.V))
			continue
		}
		if !slices.ContainsFunc(out, func(o config.Ref) bool { return o.V == r.V }) {
			out = append(out, r)
		}
	}
	return out
}

// models keeps the models that are known.
func (b *builder) models(a *config.Agent, named []config.NamedModel) {
	a.Model.V = slices.DeleteFunc(a.Model.V, func(r config.Ref) bool {
		if b.hasModel(r.V) || slices.ContainsFunc(named, func(m config.NamedModel) bool { return m.Name == r.V }) {
			return false
		}
		b.left.Add(diag.New("W-NOT-CARRIED", r.At, "the model %q is not known here", r.V).Suggest("name it under models: in %s", loader.SettingsFile))
		return true
	})
	if len(a.Model.V) == 0 {
		a.Model = config.Value[[]config.Ref]{}
	}
}

func (b *builder) hasModel(name string) bool {
	if name == "inherit" {
		return true
	}
	provider, model, ok := strings.Cut(name, "/")
	if !ok {
		_, current := providers.Current(name)
		return current
	}
	for _, e := range b.env.Endpoints {
		if e.Name == provider {
			_, listed := providers.Lookup(provider, model)
			return listed || !providers.Covers(provider)
		}
	}
	return false
}

// finish makes files of the agents, and loads them as a workspace: a file with an error is left out, with the reason.
func (b *builder) finish(ctx context.Context) (*Result, error) {
	r := &Result{}
	b.settle()
	for range 4 {
		r.Files = b.files()
		bad, err := b.check(ctx, r.Files)
		if err != nil {
			return nil, err
		}
		if len(bad) == 0 {
			break
		}
		b.drop(bad)
		b.agents = slices.DeleteFunc(b.agents, func(d *draft) bool {
			why, ok := bad[fileOf(d.Name)]
			if ok {
				b.left.Add(diag.New("E-NOT-CARRIED", d.At, "the agent %q would not load: %s", d.Name, why))
			}
			return ok
		})
		b.settle()
	}
	r.Left = b.left.Sort()
	return r, nil
}

// drop leaves out skills, servers and hooks that would not load; without a hook no agent is imported.
func (b *builder) drop(bad map[string]string) {
	b.extra = slices.DeleteFunc(b.extra, func(f File) bool {
		why, ok := bad[f.Path]
		if !ok {
			return false
		}
		code := diag.Code("W-NOT-CARRIED")
		if slices.Contains(b.guards, f.Path) {
			code = "E-NOT-CARRIED"
			b.agents = nil
		}
		b.left.Add(diag.New(code, diag.At(f.From, 1, 1, 0), "%s would not load, so it is not written: %s", f.Path, why))
		return true
	})
}

// settle drops second holders of a name and references to agents that are not imported.
func (b *builder) settle() {
	var kept []*draft
	for _, d := range b.agents {
		same := func(o *draft) bool { return fileOf(o.Name) == fileOf(d.Name) }
		if i := slices.IndexFunc(kept, same); i >= 0 {
			b.left.Add(diag.New("W-NOT-CARRIED", d.At, "the agent %q is also in %s, which is imported", d.Name, kept[i].from))
			continue
		}
		kept = append(kept, d)
	}
	b.agents = kept
	b.extra = b.single(b.extra)
	exists := func(name string) bool {
		return slices.ContainsFunc(kept, func(d *draft) bool { return d.Name == name })
	}
	for _, d := range kept {
		d.Delegates.V = slices.DeleteFunc(d.Delegates.V, func(x config.Delegate) bool {
			if !exists(x.Agent.V) {
				b.left.Add(diag.New("W-NOT-CARRIED", x.Agent.At, "%q is not imported, so %q cannot delegate to it", x.Agent.V, d.Name))
			}
			return !exists(x.Agent.V)
		})
		b.narrow(d, exists)
	}
}

// single drops second holders of a place.
func (b *builder) single(files []File) []File {
	seen := map[string]string{}
	return slices.DeleteFunc(files, func(f File) bool {
		from, twice := seen[f.Path]
		if twice {
			b.left.Add(diag.New("W-NOT-CARRIED", diag.At(f.From, 1, 1, 0), "%s is written from %s already", f.Path, from))
		}
		seen[f.Path] = f.From
		return twice
	})
}

// narrow takes agents that are not imported out of Agent(…); a rule of which nothing is left goes.
func (b *builder) narrow(d *draft, exists func(string) bool) {
	d.Tools.V = slices.DeleteFunc(d.Tools.V, func(r config.Ref) bool {
		rule, err := tools.ParseRule(r.V, tools.Native, r.At)
		if err != nil || rule.Tool != "Agent" || rule.Specifier == "" {
			return false
		}
		for name := range strings.SplitSeq(rule.Specifier, ",") {
			if !exists(strings.TrimSpace(name)) {
				b.left.Add(diag.New("W-NOT-CARRIED", r.At, "%s names agents that are not imported; the rule is left out", r.V))
				return true
			}
		}
		return false
	})
}

// fileOf is where an agent goes.
func fileOf(name string) string {
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c > 0x7f {
			return c
		}
		return '-'
	}, name)
	return "agents/" + strings.Trim(safe, "-") + ".md"
}

// files writes the drafts.
func (b *builder) files() []File {
	var out []File
	for _, d := range b.agents {
		data, err := config.EncodeAgent(d.Agent)
		if err != nil {
			b.left.Add(diag.New("E-NOT-CARRIED", d.At, "the agent %q cannot be written: %v", d.Name, err))
			continue
		}
		out = append(out, File{Path: fileOf(d.Name), From: d.from, Data: data})
	}
	out = append(out, b.extra...)
	for _, t := range b.teams {
		lead := t.Default
		if !slices.ContainsFunc(b.agents, func(d *draft) bool { return d.Name == lead }) {
			lead = ""
		}
		if lead == "" && len(t.Models) == 0 || slices.ContainsFunc(out, func(f File) bool { return f.Path == loader.SettingsFile }) {
			continue
		}
		if data, err := config.EncodeSettings(lead, t.Models); err == nil {
			from := t.Default
			if len(t.Agents) > 0 {
				from = t.Agents[0].At.File
			}
			out = append(out, File{Path: loader.SettingsFile, From: from, Data: data})
		}
	}
	return out
}

// portable are warnings about what is there where the files go, and not where they are tried: scripts, programs, variables.
var portable = []diag.Code{"W-HOOK-MISSING", "W-MCP-MISSING", "W-MCP-ENV", "W-VAR-UNSET"}

// check loads the files as a workspace of their own and gives the first error of each file that has one.
func (b *builder) check(ctx context.Context, files []File) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "import-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			return nil, err
		}
	}
	report, err := loader.Check(ctx, dir, &loader.Options{Env: b.env, Environ: []string{}})
	if err != nil {
		return nil, err
	}
	bad := map[string]string{}
	for _, d := range report.Diagnostics {
		if _, known := bad[d.Range.File]; !known && (d.Severity == diag.Error || d.Severity == diag.Warning) && !slices.Contains(portable, d.Code) {
			bad[d.Range.File] = d.Summary
		}
	}
	return bad, nil
}
