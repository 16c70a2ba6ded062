package loader

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/skills"
)

// below reads the skills in the .claude of a folder, as skills.Below. It is called while agents run, and looks at the files as
// they are then.
func (w *world) below(root, folder string) (found []*skills.Skill, faults []string) {
	if folder == "." || !filepath.IsLocal(filepath.FromSlash(folder)) || strings.Contains(folder, ":") {
		return nil, nil
	}
	l := newLister(root, "", newSources(nil, false))
	as := file{origin: config.FromClaude, rank: rankForeign, tree: config.FromClaude}
	l.folder(root, config.Folder{Kind: config.KindSkill, Path: path.Join(folder, ".claude", "skills")}, as)
	ds := l.diags
	seen := map[string]bool{}
	for _, f := range l.files {
		p := reread(f)
		ds.Add(p.diags...)
		if p.skill == nil || seen[p.def.Name] {
			continue
		}
		seen[p.def.Name] = true
		p.def.Name = folder + ":" + p.def.Name
		p.skill.Name = p.def.Name
		k := &skill{Skill: p.skill, file: p}
		more := w.checkSkill(k)
		if len(k.hooks) > 0 || k.made.Fork {
			more.Add(diag.New("E-SKILL-NESTED", k.At, "the skill %q has hooks or context: fork, which work for skills of the workspace only, so it is left out", k.Name).
				Suggest("move it to .claude/skills of the workspace"))
		}
		ds.Add(more...)
		if p.def.Status.Usable() && !more.HasErrors() && !k.made.Hidden {
			found = append(found, k.made)
		}
	}
	for _, d := range errorsOf(ds) {
		faults = append(faults, (&diag.ListError{List: diag.List{d}}).Error())
	}
	return found, faults
}
