package runner

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

const nestedHead = "There are skills for files in this place.\n"

// discover adds to the result of a call the skills that are for the files that it reached: those that wait for such a path, and
// those of the folders below the working directory, each once in a conversation. They can be loaded from the next turn on.
func (x *exchange) discover(t tools.Tool, call *tools.Call, out *outcome) {
	waiting := x.agent.Skills.Waiting()
	if out.Result.IsError || out.Fatal != "" || !x.agent.Skills.Nests() && len(waiting) == 0 {
		return
	}
	x.guiding.Lock()
	defer x.guiding.Unlock()
	for _, file := range tools.Files(t, call) {
		x.discoverWaiting(waiting, file, out)
		if !x.agent.Skills.Nests() {
			continue
		}
		for _, dir := range foldersOf(x.offered.roots, file) {
			if strings.HasPrefix(path.Base(dir), ".") {
				break // nor below a hidden folder
			}
			if !x.first("skills " + dir) {
				continue
			}
			found, faults := x.agent.Skills.Below(x.offered.roots.Workspace, dir)
			for _, f := range faults {
				x.say(&event.Warning{Code: "skill", Message: x.redact(f)})
			}
			if l := newLoadTool(found, x.offered.brought, x.offered.roots); l != nil {
				out.Nested = append(out.Nested, dir)
				out.Result.Content += "\n\n" + nestedHead + skills.Catalogue(l.all, skillTool)
			}
		}
	}
}

// discoverWaiting is discover for the skills that wait for a file.
func (x *exchange) discoverWaiting(waiting []*skills.Skill, file string, out *outcome) {
	rel, err := filepath.Rel(x.offered.roots.Workspace, file)
	if err != nil || !filepath.IsLocal(rel) {
		return
	}
	var found []*skills.Skill
	for _, k := range waiting {
		if k.Match(filepath.ToSlash(rel)) && x.first("skill "+k.Name) {
			found = append(found, k)
		}
	}
	if l := newLoadTool(found, x.offered.brought, x.offered.roots); l != nil {
		for _, k := range l.all {
			out.Found = append(out.Found, k.Name)
		}
		out.Result.Content += "\n\n" + nestedHead + skills.Catalogue(l.all, skillTool)
	}
}

// foldersOf are the folders between the working directory and a file below it, relative to the workspace.
func foldersOf(at tools.Roots, file string) []string {
	rel, err := filepath.Rel(at.Workspace, file)
	from, also := filepath.Rel(at.Dir, file)
	if err != nil || also != nil || !filepath.IsLocal(rel) || !filepath.IsLocal(from) {
		return nil
	}
	dir := strings.TrimSuffix(filepath.ToSlash(rel), filepath.ToSlash(from))
	var out []string
	for part := range strings.SplitSeq(path.Dir(filepath.ToSlash(from)), "/") {
		if part == "." { // the file lies in the working directory
			return nil
		}
		dir = path.Join(dir, part)
		out = append(out, dir)
	}
	return out
}

// nest lets the skills be loaded that calls have discovered.
func (x *exchange) nest() {
	var found []*skills.Skill
	for _, dir := range x.nesting {
		below, _ := x.agent.Skills.Below(x.offered.roots.Workspace, dir) // what is wrong was told
		found = append(found, below...)
	}
	for _, k := range x.agent.Skills.Waiting() {
		if slices.Contains(x.finding, k.Name) {
			found = append(found, k)
		}
	}
	x.nesting, x.finding = nil, nil
	if len(found) > 0 {
		x.offered.extend(found, x.load)
	}
}

// extend adds skills to those that can be loaded.
func (o *offer) extend(found []*skills.Skill, load loading) {
	var all []*skills.Skill
	if t, ok := o.shown[skillTool]; ok {
		l, ours := t.Tool.(*loadTool)
		if !ours {
			return
		}
		all = slices.Clone(l.all)
	}
	for _, k := range found {
		if !slices.ContainsFunc(all, func(o *skills.Skill) bool { return o.Name == k.Name }) {
			all = append(all, k)
		}
	}
	t := newLoadTool(all, o.brought, o.roots)
	if t == nil {
		return
	}
	t.load = load
	o.shown[skillTool] = &Offered{Tool: t, Source: "skills", Offer: o.brought.Offers(t.spec), rules: o.brought}
	spec := providers.ToolSpec{Name: skillTool, Description: t.spec.Description, Schema: t.spec.Schema}
	specs := slices.Clone(o.specs) // the requests before have the list as it was
	i, there := slices.BinarySearchFunc(specs, skillTool, func(s providers.ToolSpec, name string) int { return strings.Compare(s.Name, name) })
	if there {
		specs[i] = spec
	} else {
		specs = slices.Insert(specs, i, spec)
	}
	o.specs = specs
}

// skillNamed finds a skill of the agent, those of folders included: folder:name.
func (x *exchange) skillNamed(name string) (*skills.Skill, bool) {
	if k, ok := x.agent.Skills.Named(name); ok {
		return k, true
	}
	if x.called != nil && x.called.Name == name {
		return x.called, true
	}
	loadable := x.offered.loadable()
	if i := slices.IndexFunc(loadable, func(k *skills.Skill) bool { return k.Name == name }); i >= 0 {
		return loadable[i], true
	}
	i := strings.LastIndexByte(name, ':')
	if i < 0 || !x.agent.Skills.Nests() || !filepath.IsLocal(filepath.FromSlash(name[:i])) {
		return nil, false
	}
	below, _ := x.agent.Skills.Below(x.offered.roots.Workspace, name[:i])
	j := slices.IndexFunc(below, func(k *skills.Skill) bool { return k.Name == name })
	if j < 0 {
		return nil, false
	}
	return below[j], true
}
