package config

import (
	"path"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// Bounds of the open specification, in characters, and from when on a body is long.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024
	maxCompatibility    = 500
	longSkill           = 20_000
)

// skillName is what the open specification takes as the name of a skill.
var skillName = lazy.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ReadSkill reads a SKILL.md. A skill is nil only when nothing of the file could be read; see Broken. What the open
// specification refuses and this program can use is a warning or a lint.
func ReadSkill(src []byte, file string, o Origin) (*Skill, Definition, diag.List) {
	doc, def, d, ds := openPrompt(KindSkill, src, file, o)
	if d == nil {
		return nil, def, ds
	}
	var s Skill
	decode(d, doc.Root, skillTable.Get(), &s)
	folder := path.Base(path.Dir(file))
	d.skillName(&def, &s, folder)
	d.skillKeys(doc.Root)
	if base := path.Base(file); base != "SKILL.md" {
		d.add(diag.New("W-SKILL-FILE", diag.At(file, 1, 1, 0), "the file is named %s", shown(base)).Suggest("rename it to SKILL.md"))
	}
	d.skillSummary(&s)
	d.skillValues(doc.Root, &s)
	return d.prompt(&s, def)
}

// ReadCommand reads a slash command; its name is that of its file. The command is nil when nothing of it could be read; see Broken.
func ReadCommand(src []byte, file string, o Origin) (*Skill, Definition, diag.List) {
	doc, def, d, ds := openPrompt(KindCommand, src, file, o)
	if d == nil {
		return nil, def, ds
	}
	var s Skill
	decode(d, doc.Root, commandTable.Get(), &s)
	d.name(&def, Ref{V: def.Name, At: def.At})
	if strings.TrimSpace(s.Summary.V) == "" {
		s.Summary.V = firstParagraph(doc.Body)
	}
	return d.prompt(&s, def)
}

// openPrompt opens a file whose frontmatter may be missing.
func openPrompt(kind Kind, src []byte, file string, o Origin) (*frontmatter.Document, Definition, *decoder, diag.List) {
	doc, def, d, ds := open(kind, src, file, o)
	if kind == KindSkill {
		if d == nil && def.Name == Stem(file) {
			def.Name = path.Base(path.Dir(file))
		}
		if d != nil {
			d.skill = true
		}
	}
	return doc, def, d, ds
}

// prompt finishes what skills and commands have in common.
func (d *decoder) prompt(s *Skill, def Definition) (*Skill, Definition, diag.List) {
	doc := d.doc
	s.Text = doc.Body
	s.Body = diag.Range{File: doc.File, Start: doc.BodyAt, End: doc.BodyAt}
	def.Description = s.Summary.V
	d.emptyBody()
	d.bodyText(s)
	d.patterns(s.Paths)
	if s.Agent.Set() && s.Fork.V == "" {
		d.add(diag.New("W-KEY-ALONE", s.Agent.KeyAt(), "\"agent\" has no effect without \"context: fork\"").Suggest("write context: fork, or remove the line"))
	}
	s.Definition = d.finish(def)
	return s, s.Definition, d.ds
}

// skillName settles what a skill is called: by its name where that can be used, else by its folder (R8, R14).
func (d *decoder) skillName(def *Definition, s *Skill, folder string) {
	name := s.NameRef
	def.Name = folder
	switch {
	case !name.Set():
		d.add(diag.New("L-SKILL-NO-NAME", d.doc.Fence, "the skill has no name; that of its folder is used").
			Suggest("add a line \"name: %s\"", folder))
	case !usableName(name.V):
		def.At = name.At
		d.add(diag.New("W-SKILL-NAME", name.At, "a skill cannot be named %s; its folder's name is used", shown(name.V)).
			Suggest("use a-z, 0-9 and single hyphens between them, at most %d", maxSkillName))
	default:
		def.Name, def.At = name.V, name.At
		if len(name.V) > maxSkillName || !skillName.Get().MatchString(name.V) {
			d.add(diag.New("W-SKILL-NAME", name.At, "the name %s breaks the rules of the specification", shown(name.V)).
				Suggest("use a-z, 0-9 and single hyphens between them, at most %d", maxSkillName))
		}
		if name.V != folder {
			d.add(diag.New("W-SKILL-DIR", name.At, "the skill is named %s and its folder %s", shown(name.V), shown(folder)).
				Suggest("rename one of the two"))
		}
	}
	if !usableName(def.Name) {
		d.add(diag.New("E-NAME", def.At, "the folder's name cannot be used either: %s", shown(def.Name)).Suggest("rename the folder"))
	}
}

// usableName tells whether something can be called by a name: one line, no colon, which separates folders and plugins, no
// blanks around it and no hyphen at its start.
func usableName(name string) bool {
	return name != "" && utf8.ValidString(name) && strings.TrimSpace(name) == name && name[0] != '-' &&
		!strings.Contains(name, ":") && !strings.ContainsFunc(name, unseen) && utf8.RuneCountInString(name) <= 4*maxSkillName
}

// skillKeys tells of keys that work here and that the open specification does not know.
func (d *decoder) skillKeys(root *yaml.Node) {
	t := skillTable.Get()
	for i := 0; i+1 < len(root.Content); i += 2 {
		k := root.Content[i]
		if t.find(k.Value) == nil || !beyondSpec(k.Value) {
			continue
		}
		x := diag.New("L-SKILL-KEY", d.at(k), "the specification does not know the key %q", k.Value).
			Explain("It is understood here; other programs may refuse the file.").Suggest("remove the line where the skill is for others too")
		if k.Value == "substitutions" && d.foreign {
			x = x.Explain("It has no effect in a Claude location, where the text is always filled in.")
		}
		d.add(x)
	}
}

// skillSummary finds a description where nobody wrote one, and tells of one that is too long.
func (d *decoder) skillSummary(s *Skill) {
	if strings.TrimSpace(s.Summary.V) == "" {
		s.Summary.V = firstParagraph(d.doc.Body)
		d.add(diag.New("W-SKILL-DESC", d.doc.Fence, "the skill has no description; its first paragraph stands in").
			Suggest("add a line \"description: what it does and when to use it\""))
		return
	}
	if n := utf8.RuneCountInString(s.Summary.V); n > maxSkillDescription {
		d.add(diag.New("W-SKILL-DESC-LEN", s.Summary.At, "the description has %d characters, more than %d", n, maxSkillDescription).
			Suggest("shorten it; details belong into the body"))
	}
	d.seen("description", s.Summary)
	d.seen("when_to_use", s.When)
}

// seen tells of characters in a value that nobody sees.
func (d *decoder) seen(key string, v Value[string]) {
	if v.Set() && strings.ContainsFunc(v.V, unseen) {
		d.add(diag.New("W-SKILL-TEXT", v.At, "%s holds characters that are not shown", key).
			Explain("Control characters and invisible ones are left out of what models see.").Suggest("remove them"))
	}
}

// skillValues checks what the open specification says about single values.
func (d *decoder) skillValues(root *yaml.Node, s *Skill) {
	if c := s.Compatibility; c.Set() {
		if n := utf8.RuneCountInString(c.V); n == 0 || n > maxCompatibility {
			d.add(diag.New("L-SKILL-COMPAT", c.At, "compatibility has %d characters; 1 to %d are allowed", n, maxCompatibility).
				Suggest("shorten it, or remove it"))
		}
	}
	if n := child(root, "allowed-tools"); n != nil && s.Allowed.Set() {
		if n.Kind != yaml.ScalarNode || len(splitList(n.Value, false)) > 1 {
			d.add(diag.New("L-SKILL-ALLOWED", d.at(n), "the specification separates the tools by blanks").
				Suggest("write %s", strings.Join(texts(s.Allowed.V), " ")))
		}
	}
}

// firstParagraph is the beginning of a text for whoever has no description: its first paragraph that is no heading, on one
// line.
func firstParagraph(body string) string {
	heading := ""
	for part := range strings.SplitSeq(body, "\n\n") {
		line := strings.Join(strings.Fields(part), " ")
		switch {
		case line == "":
			continue
		case strings.HasPrefix(line, "#"):
			if _, rest, ok := strings.Cut(strings.TrimSpace(part), "\n"); ok && strings.TrimSpace(rest) != "" {
				line = strings.Join(strings.Fields(rest), " ")
				break
			}
			if heading == "" {
				heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
			}
			continue
		}
		if r := []rune(line); len(r) > maxSkillDescription {
			line = string(r[:maxSkillDescription-1]) + "…"
		}
		return line
	}
	return heading
}
