package loader

import (
	"cmp"
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools/mcp"
)

// Report is what a load found, for people and programs: validate, list, show and graph print it.
type Report struct {
	Root        string              // of the workspace, absolute
	Name        string              // of the workspace
	Settings    *config.Settings    // all layers merged
	Definitions []config.Definition // every file that was looked at, sorted by kind, name and file
	Diagnostics diag.List           // sorted by place
	Ready       bool                // no error: a graph could be published

	world   *world
	clients *clients // to look at addresses and keys; makes no client
	servers mcp.Options
}

func newReport(w *world, ds diag.List) *Report {
	r := &Report{Root: w.tree.root, Name: w.name(), Settings: w.settings, Diagnostics: ds.Sort(), world: w}
	r.Ready = !r.Diagnostics.HasErrors()
	w.defs = w.definitions()
	r.Definitions = w.defs
	return r
}

// definitions are those of the files in the order of reports: of the load before, where it had the same.
func (w *world) definitions() []config.Definition {
	if b := w.sources.before; b != nil && b.world != nil &&
		slices.EqualFunc(w.files, b.world.files, func(f, o *parsed) bool { return f.def == o.def }) {
		return b.world.defs
	}
	defs := make([]config.Definition, 0, len(w.files))
	for _, f := range w.files {
		defs = append(defs, f.def)
	}
	sortDefinitions(defs)
	return defs
}

func sortDefinitions(ds []config.Definition) {
	slices.SortFunc(ds, func(a, b config.Definition) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File))
	})
}

// Counts are the definitions by status.
func (r *Report) Counts() map[config.Status]int {
	counts := map[config.Status]int{config.Loaded: 0, config.Repaired: 0, config.Skipped: 0, config.Broken: 0}
	for _, d := range r.Definitions {
		counts[d.Status]++
	}
	return counts
}

// List are the definitions of a kind ("" = all) that hold their name, sorted by kind and name: files, and what needs none,
// the built-in tools and the names of models:.
func (r *Report) List(kind config.Kind) []config.Definition {
	var out []config.Definition
	for _, d := range r.Definitions {
		if d.Status != config.Skipped {
			out = append(out, d)
		}
	}
	for _, name := range r.world.tools.names {
		if t := r.world.tools.byName[name]; t.file == nil {
			out = append(out, config.Definition{
				Kind: config.KindTool, Name: name, Description: t.Spec().Description, Origin: config.Builtin, Status: config.Loaded,
			})
		}
	}
	for _, e := range r.Settings.Models {
		d := config.Definition{
			Kind: config.KindModel, Name: e.Name.V, File: e.Name.At.File, At: e.Name.At, Origin: r.layer(e.Name.At), Status: config.Loaded,
		}
		if r.world.models.lost[d.Name] {
			d.Status = config.Broken
		}
		out = append(out, d)
	}
	out = slices.DeleteFunc(out, func(d config.Definition) bool { return kind != "" && d.Kind != kind })
	sortDefinitions(out)
	return out
}

// layer tells whose settings file a place is in.
func (r *Report) layer(at diag.Range) config.Origin {
	if at.File == SettingsFile {
		return config.Workspace
	}
	return config.User
}
