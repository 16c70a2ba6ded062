package loader

import (
	"cmp"
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// settleNames gives every name to one file: that of the nearest tree, there the one least deep, then the first by path.
// Broken files take part, so that a name never silently means another file than it did. The others are skipped.
func (p *project) settleNames() diag.List {
	type called struct {
		kind config.Kind
		name string
	}
	first := make(map[called]*parsed, len(p.files))
	holders := map[called][]*parsed{} // of names that several have
	var order []called
	for _, f := range p.files {
		if f.def.Status == config.Skipped || f.kind == config.KindHook || f.kind == config.KindRule {
			continue
		}
		id := called{f.kind, f.def.Name}
		other := first[id]
		if other == nil {
			first[id] = f
			continue
		}
		if holders[id] == nil {
			order = append(order, id)
			holders[id] = append(holders[id], other)
		}
		holders[id] = append(holders[id], f)
	}
	p.distinct = len(order) == 0
	var ds diag.List
	for _, id := range order {
		files := holders[id]
		slices.SortStableFunc(files, func(a, b *parsed) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.depth, b.depth), cmp.Compare(a.name, b.name))
		})
		for _, f := range files[1:] {
			ds.Add(f.yield(files[0]))
		}
	}
	return ds
}

// yield skips a file whose name another one holds.
func (p *parsed) yield(to *parsed) diag.Diagnostic {
	p.def.Status = config.Skipped
	d := diag.New("W-DUP-NAME", p.def.At, "the %s %q is also in %s, which is used", p.kind, p.def.Name, to.name).
		Suggest("rename one of the two")
	if p.rank != to.rank {
		d = diag.New("W-SHADOW", p.def.At, "the %s %q is hidden by %s", p.kind, p.def.Name, to.name).
			Suggest("rename one of the two if both are wanted")
	}
	return d.Note(to.def.At, "%q is used from here", p.def.Name)
}
