package config

import (
	"path"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// open takes a Markdown file apart and fills what can be said of every file, the broken ones included. The decoder is nil
// when there is nothing to decode.
func open(kind Kind, src []byte, file string, o Origin) (*frontmatter.Document, Definition, *decoder, diag.List) {
	doc, ds := frontmatter.Split(src, file, knownKeys.Get())
	def := Definition{Kind: kind, Name: Stem(file), File: file, Origin: o, Status: Loaded, At: doc.Fence}
	if doc.Root == nil && !doc.Found && !ds.HasErrors() && (kind == KindSkill || kind == KindCommand) {
		doc.Root = &yaml.Node{Kind: yaml.MappingNode, Line: 1, Column: 1} // metadata are no must
	}
	if doc.Root == nil {
		if !doc.Found {
			def.Status = Skipped
			ds.Add(diag.New("I-DOC", doc.Fence, "no frontmatter: the file counts as documentation"))
			return doc, def, nil, ds
		}
		def.Status = Broken
		if name, at := doc.Guess("name"); name != "" {
			def.Name, def.At = name, at
		}
		return doc, def, nil, ds
	}
	if doc.Repaired() {
		def.Status = Repaired
	}
	d := &decoder{doc: doc, known: knownKeys.Get(), foreign: o.Foreign(), ds: ds}
	d.comments(doc.Root)
	return doc, def, d, nil
}

// Stem is the name that a file gives what it defines: reviewer.md and reviewer.agent.md are both reviewer.
func Stem(file string) string {
	base := strings.TrimSuffix(path.Base(file), path.Ext(file))
	switch kind := path.Ext(base); kind {
	case ".agent", ".chatmode", ".prompt", ".instructions":
		base = strings.TrimSuffix(base, kind)
	}
	return base
}

// comments warns where YAML takes the end of a name or description for a comment (R5).
func (d *decoder) comments(root *yaml.Node) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		if k.Value != "name" && k.Value != "description" {
			continue
		}
		if at, ok := d.doc.Comment(v); ok {
			d.add(diag.New("W-YAML-COMMENT", at, "the text from # on is a comment to YAML and is left out").
				Suggest("put the value in quotes to keep it"))
		}
	}
}

// emptyBody warns of a file that has nothing but metadata.
func (d *decoder) emptyBody() {
	if strings.TrimSpace(d.doc.Body) == "" {
		d.add(diag.New("W-BODY-EMPTY", d.doc.Fence, "nothing follows the frontmatter").Suggest("write the text behind the closing ---"))
	}
}

// finish is the definition of a file that was read to its end: Broken where it has an error.
func (d *decoder) finish(def Definition) Definition {
	if d.ds.HasErrors() {
		def.Status = Broken
	}
	return def
}

// name settles what a definition is called: by its name field, else by its file (R8, R14). False: it cannot be called so, which
// was told.
func (d *decoder) name(def *Definition, name Ref) bool {
	if !name.Set() {
		return !name.Lost()
	}
	before := len(d.ds)
	def.Name, def.At = name.V, name.At
	switch {
	case strings.TrimSpace(name.V) == "":
		d.add(diag.New("E-NAME", name.At, "the name is empty").Suggest("give it a name or remove the line"))
	case strings.Contains(name.V, ":"):
		d.add(diag.New("E-NAME", name.At, "a name cannot hold a colon: %s", shown(name.V)).
			Suggest("write %q", strings.ReplaceAll(name.V, ":", "-")))
	case strings.HasPrefix(name.V, "-"):
		d.add(diag.New("E-NAME", name.At, "a name cannot begin with a hyphen: %s", shown(name.V)).
			Suggest("write %q", strings.TrimLeft(name.V, "-")))
	case strings.ContainsFunc(name.V, func(r rune) bool { return r < ' ' || r == 0x7f }):
		d.add(diag.New("E-NAME", name.At, "a name is one line of text").Suggest("write it on one line"))
	}
	return !d.failed(before)
}
