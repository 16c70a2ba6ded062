package importer

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/tools"
)

// finish makes files of what was collected, and loads them as a workspace: a file with an error is left out, with the reason.
// What is left out may break what names it, so that goes on until nothing more is.
func (b *builder) finish(ctx context.Context) (*Result, error) {
	for {
		b.settle()
		files := b.files()
		bad, err := b.check(ctx, files)
		if err != nil {
			return nil, err
		}
		if !b.drop(bad) {
			return &Result{Files: files, Left: b.left.Sort()}, nil
		}
	}
}

// drop leaves out what would not load, and tells whether there was anything; without a hook no agent is imported.
func (b *builder) drop(bad map[string]string) bool {
	before := len(b.agents) + len(b.extra)
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
	if why, ok := bad[loader.SettingsFile]; ok {
		b.left.Add(diag.New("W-NOT-CARRIED", diag.At(b.settingsFrom(), 1, 1, 0), "%s would not load, so it is not written: %s", loader.SettingsFile, why))
		b.lead, b.models = teamLead{}, nil
		return true // agents that are bad without it are found out in the next round
	}
	b.agents = slices.DeleteFunc(b.agents, func(d *draft) bool {
		why, ok := bad[fileOf(d.Name)]
		if ok {
			b.left.Add(diag.New("E-NOT-CARRIED", d.At, "the agent %q would not load: %s", d.Name, why))
		}
		return ok
	})
	return len(b.agents)+len(b.extra) < before
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
	return "agents/" + cmp.Or(strings.Trim(safe, "-"), "unnamed") + ".md"
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
	lead := b.lead.name
	if !slices.ContainsFunc(b.agents, func(d *draft) bool { return d.Name == lead }) {
		lead = ""
	}
	if lead == "" && len(b.models) == 0 {
		return out
	}
	named := make([]config.NamedModel, len(b.models))
	for i, m := range b.models {
		named[i] = m.NamedModel
	}
	data, err := config.EncodeSettings(lead, named)
	if err != nil {
		b.left.Add(diag.New("W-NOT-CARRIED", diag.At(b.settingsFrom(), 1, 1, 0), "%s cannot be written: %v", loader.SettingsFile, err))
		return out
	}
	return append(out, File{Path: loader.SettingsFile, From: b.settingsFrom(), Data: data})
}

// settingsFrom is the first file that the settings are made of.
func (b *builder) settingsFrom() string {
	if len(b.models) > 0 {
		return b.models[0].from
	}
	return b.lead.from
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
