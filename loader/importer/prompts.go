package importer

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/jsontext"
	"github.com/swarmrun/swarmrun/tools"
)

// Bounds of the files that a skill brings.
const (
	maxSkillFiles = 200
	maxSkillSize  = 16 << 20
)

// skill carries a skill with its files, as they are. One whose rules would mean something else in a native file is left where it
// lies.
func (b *builder) skill(tree fs.FS, file string, data []byte, origin config.Origin) {
	k, def, ds := config.ReadSkill(data, file, origin)
	if !def.Status.Usable() || !b.same(k) {
		b.left.Add(told(errorsOnly(ds))...)
		return
	}
	folder, target := path.Dir(file), "skills/"+safeName(k.Name)
	files := []File{{Path: target + "/SKILL.md", From: file, Data: data}}
	size := len(data)
	err := fs.WalkDir(tree, folder, func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || at == file {
			return err
		}
		if !e.Type().IsRegular() {
			b.left.Add(diag.New("W-NOT-CARRIED", diag.At(at, 1, 1, 0), "links are not followed"))
			return nil
		}
		data, err := fs.ReadFile(tree, at)
		if err != nil {
			return err
		}
		if size += len(data); size > maxSkillSize || len(files) >= maxSkillFiles {
			return fmt.Errorf("its files are too many or too large")
		}
		files = append(files, File{Path: target + strings.TrimPrefix(at, folder), From: at, Data: data})
		return nil
	})
	if err != nil {
		b.left.Add(diag.New("E-NOT-CARRIED", k.At, "the skill %q is not carried: %v", k.Name, err))
		return
	}
	b.extra = append(b.extra, files...)
}

// command carries a slash command as a skill that only a person calls.
func (b *builder) command(file string, data []byte, origin config.Origin) {
	k, def, ds := config.ReadCommand(data, file, origin)
	if !def.Status.Usable() || !b.same(k) {
		b.left.Add(told(errorsOnly(ds))...)
		return
	}
	var t strings.Builder
	put := func(key, value string) { fmt.Fprintf(&t, "%s: %s\n", key, value) }
	t.WriteString("---\n")
	name := safeName(k.Name)
	put("name", quote(name))
	description := strings.TrimSpace(k.Summary.V)
	if description == "" {
		description = "Slash command /" + name
	}
	put("description", quote(description))
	if k.Hint.Set() {
		put("argument-hint", quote(k.Hint.V))
	}
	if len(k.Arguments.V) > 0 {
		put("arguments", quotedList(k.Arguments.V))
	}
	if len(k.Allowed.V) > 0 {
		put("allowed-tools", quotedList(k.Allowed.V))
	}
	if k.Effort.Set() {
		put("effort", k.Effort.V)
	}
	put("disable-model-invocation", "true")
	t.WriteString("---\n" + k.Text)
	b.extra = append(b.extra, File{Path: "skills/" + name + "/SKILL.md", From: file, Data: []byte(t.String())})
}

// same tells whether a skill means the same in a native file. What does not is told.
func (b *builder) same(k *config.Skill) bool {
	keep := func(at diag.Range, what string) bool {
		b.left.Add(diag.New("W-NOT-CARRIED", at, "%q is read where it lies, and not imported: %s", k.Name, what))
		return false
	}
	switch {
	case k.Disallowed.Set():
		return keep(k.Disallowed.At, "what it refuses may mean something else in a native file")
	case k.Tools.Set():
		return keep(k.Tools.At, "what it leaves may mean something else in a native file")
	case k.Hooks.Set():
		return keep(k.Hooks.At, "its hooks are those of another program")
	case k.Fork.Set():
		return keep(k.Fork.At, "context: fork names an agent of its tree")
	case len(k.Model.V) > 0 && !b.hasModel(k.Model.V[0].V):
		return keep(k.Model.At, "its model is not known here")
	case strings.Contains(strings.ReplaceAll(k.Text, "${CLAUDE_", ""), "${"):
		return keep(k.At, "it holds variables of another program")
	case b.given != nil && b.given.NoSkillShell.V && strings.Contains(k.Text, "!`"):
		return keep(k.At, "settings of its tree keep its commands from running")
	}
	for _, r := range k.Allowed.V {
		rule, err := tools.ParseRule(r.V, tools.Claude, r.At)
		if err != nil || rule.Specifier != "" && rule.Tool != "Bash" {
			return keep(r.At, r.V+" may mean something else in a native file")
		}
	}
	return true
}

func quote(text string) string { return string(jsontext.AppendString(nil, text)) }

func quotedList(refs []config.Ref) string {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = quote(r.V)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// safeName is a name as one of a file.
func safeName(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(fileOf(name), "agents/"), ".md")
}

func errorsOnly(ds diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(ds), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
}
