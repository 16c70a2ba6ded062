package loader

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// skillTools are the names by which rules speak of the tool that loads skills: ours and Claude Code's.
var skillTools = [...]string{"LoadSkill", "Skill"}

// ours tells whether the name of a tool stands for what agents have without any file.
func ours(name string) bool { return name == teamTool || slices.Contains(skillTools[:], name) }

// skillTable is every skill and slash command that holds its name.
type skillTable struct {
	byName   map[string]*skill
	commands map[string]*skill
	broken   map[string]diag.List // the errors of skills that did not load, by name
	names    []string             // of skills, sorted; broken ones are among them

	visible []*skills.Skill // that models may load, in order
	set     *skills.Set     // of visible, for all agents that see it; nil = nobody asked for it yet
}

// skill is a skill or a command on its way into the graph.
type skill struct {
	*config.Skill
	file  *parsed
	made  *skills.Skill
	hooks []*boundHook // that run while it is active
	chain []candidate  // its own models in order
}

// resolveSkills collects the skills and the commands. A skill takes the name of a command.
func resolveSkills(p *project) (*skillTable, diag.List) {
	t := &skillTable{byName: map[string]*skill{}, commands: map[string]*skill{}, broken: map[string]diag.List{}}
	var ds diag.List
	for _, f := range p.files {
		switch {
		case f.kind != config.KindSkill || f.def.Status == config.Skipped:
		case f.skill == nil:
			t.broken[f.def.Name] = errorsOf(f.diags)
		default:
			t.byName[f.def.Name] = &skill{Skill: f.skill, file: f}
		}
	}
	for _, f := range p.files {
		if f.kind != config.KindCommand || f.skill == nil || f.def.Status == config.Skipped {
			continue
		}
		if k := t.byName[f.def.Name]; k != nil {
			f.def.Status = config.Skipped
			ds.Add(diag.New("W-SHADOW", f.def.At, "the command %q is hidden by the skill %s", f.def.Name, k.file.name).
				Suggest("rename one of the two if both are wanted").Note(k.file.def.At, "%q is used from here", f.def.Name))
			continue
		}
		t.commands[f.def.Name] = &skill{Skill: f.skill, file: f}
	}
	t.names = slices.Sorted(maps.Keys(t.byName))
	for name := range t.broken {
		if t.byName[name] == nil {
			t.names = append(t.names, name)
		}
	}
	slices.Sort(t.names)
	return t, ds
}

// all are the skills and the commands in the order of their names.
func (t *skillTable) all() []*skill {
	var out []*skill
	for _, m := range [...]map[string]*skill{t.byName, t.commands} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			out = append(out, m[name])
		}
	}
	return out
}

// checkSkills reads the rules of skills and makes what the graph holds of each. One that has errors goes.
func (w *world) checkSkills() diag.List {
	var ds diag.List
	for _, k := range w.skills.all() {
		more := w.checkSkill(k)
		ds.Add(more...)
		faults := append(errorsOf(k.file.diags), errorsOf(more)...)
		if len(faults) == 0 {
			continue
		}
		k.file.def.Status = config.Broken
		if k.file.kind == config.KindSkill {
			w.skills.broken[k.Name] = faults
			delete(w.skills.byName, k.Name)
		} else {
			delete(w.skills.commands, k.Name)
		}
	}
	return ds
}

func (w *world) checkSkill(k *skill) diag.List {
	foreign := k.file.tree.Foreign()
	dialect := tools.Native
	if foreign {
		dialect = tools.Claude
	}
	var ds diag.List
	for _, refs := range [][]config.Ref{k.Disallowed.V, k.Tools.V} {
		_, more := w.parseRules(refs, dialect, nil)
		ds.Add(more...)
	}
	allowed, more := w.preapproved(k.Allowed.V, dialect)
	ds.Add(more...)
	more = w.chooseHooks(&k.hooks, k.Hooks.V, k.file.name, k.file)
	ds.Add(more...)
	ds.Add(inactive(k.Inactive, foreign)...)
	k.made = &skills.Skill{
		Name: k.Name, Description: strings.TrimSpace(k.Summary.V + "\n" + k.When.V), Text: k.Text, File: k.file.name, Folder: k.file.skillDir,
		Command: k.file.kind == config.KindCommand, Hidden: k.NoModel.V, Private: k.Invocable.Set() && !k.Invocable.V, Verbatim: k.Verbatim,
		NoShell: foreign && w.noSkillShell(), Arguments: words(k.Arguments.V), Variables: w.variables(k),
		Allowed: allowed, Refused: ruleTexts(k.Disallowed.V), Only: ruleTexts(k.Tools.V), Foreign: foreign, Origin: k.At,
	}
	ds.Add(w.resolveTurn(k, foreign)...)
	return ds
}

// preapproved reads what a skill allows. An entry that means nothing gives nothing, so it is a warning in every file.
func (w *world) preapproved(refs []config.Ref, dialect tools.Dialect) ([]skills.Rule, diag.List) {
	var ds diag.List
	var out []skills.Rule
	for _, ref := range refs {
		r, err := tools.ParseRule(ref.V, dialect, ref.At)
		switch {
		case err != nil:
			ds.Add(diag.New("W-RULE-UNUSED", ref.At, "it pre-approves nothing: %v", err).Suggest("write Tool or Tool(specifier), such as Read or Bash(git diff *)"))
			continue
		case !w.names(r, nil):
			d := w.unknownTool(r, nil)
			d.Code, d.Severity = "W-TOOL-UNKNOWN", diag.Warning
			ds.Add(d)
		}
		out = append(out, skills.Rule{Text: ref.V, At: ref.At})
	}
	return out, ds
}

// noSkillShell tells whether settings switch the commands of skills off.
func (w *world) noSkillShell() bool {
	return slices.ContainsFunc(w.foreign, func(s *config.TreeSettings) bool { return s.NoSkillShell.V })
}

// variables are what the file of a skill stands for in its text.
func (w *world) variables(k *skill) map[string]string {
	out := pluginVariables(k.file.plugin)
	if k.file.skillDir != "" {
		out["CLAUDE_SKILL_DIR"] = k.file.skillDir
	}
	return out
}

func ruleTexts(refs []config.Ref) []skills.Rule {
	out := make([]skills.Rule, len(refs))
	for i, r := range refs {
		out[i] = skills.Rule{Text: r.V, At: r.At}
	}
	return out
}

// everySkill is the skills and the commands, for runs that work on one of them.
func (w *world) everySkill() *skills.Set {
	all := w.skills.all()
	if len(all) == 0 {
		return nil
	}
	made := make([]*skills.Skill, len(all))
	for i, k := range all {
		made[i] = k.made
	}
	return skills.New(made, nil)
}

// commands is what a person may call: commands, and skills under their name and, in Claude locations, that of their folder.
func (w *world) commands() *skills.Set {
	var all []*skills.Skill
	aliases := map[string]*skills.Skill{}
	for _, k := range w.skills.all() {
		if k.made.Private {
			continue
		}
		all = append(all, k.made)
		if k.made.Foreign && !k.made.Command && k.file.plugin.Name == "" {
			aliases[path.Base(path.Dir(k.file.name))] = k.made
		}
	}
	if len(all) == 0 {
		return nil
	}
	return skills.New(all, aliases)
}
