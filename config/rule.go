package config

import (
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// Rule is a file of instructions that count always, or once something below its paths is worked on: .claude/rules, and the
// instructions of Copilot.
type Rule struct {
	Definition
	Text  string       // the body
	Paths Value[[]Ref] // patterns from the root of the project; not Set = always
}

// maxPatterns is how many patterns a rule may have, those that braces stand for counted one by one.
const maxPatterns = 1000

var instructionTable = lazyTable[Rule]{New: func() *table[Rule] {
	paths := list("list of patterns", false, false)
	t := newTable(
		value("paths", paths, func(r *Rule) *Value[[]Ref] { return &r.Paths }).also("applyTo", "globs").guarded().
			like("[\"src/**/*.{ts,tsx}\"]").means("where the text counts; without it always"),
		with("description", text(), func(r *Rule, v Value[string]) { r.Description = v.V }).like("Style of the API.").means("for readers"),
		with("name", text(), func(r *Rule, v Value[string]) { r.Name, r.At = v.V, v.At }).like("api").means("for readers"),
		with("excludeAgent", list("list of names", false, false), func(*Rule, Value[[]Ref]) {}).like("[code-review]").means("agents of Copilot that do not read it"),
	).labelled()
	return t
}}

// ReadRule reads a file of instructions. Metadata are no must; a file whose metadata are broken is not used; see Broken.
func ReadRule(src []byte, file string, o Origin) (*Rule, Definition, diag.List) {
	doc, ds := frontmatter.Split(src, file, knownKeys.Get())
	def := Definition{Kind: KindRule, Name: Stem(file), File: file, Origin: o, Status: Loaded, At: doc.Fence}
	r := &Rule{Definition: def, Text: doc.Body}
	if doc.Root == nil {
		if doc.Found || ds.HasErrors() {
			def.Status = Broken
			return nil, def, ds
		}
		return r, def, ds
	}
	if doc.Repaired() {
		r.Status = Repaired
	}
	d := &decoder{doc: doc, known: knownKeys.Get(), foreign: o.Foreign(), ds: ds}
	decode(d, doc.Root, instructionTable.Get(), r)
	d.patterns(r.Paths)
	r.Definition = d.finish(r.Definition)
	return r, r.Definition, d.ds
}

// patterns counts what braces stand for.
func (d *decoder) patterns(paths Value[[]Ref]) {
	n := 0
	for _, p := range paths.V {
		product := 1
		choices, depth := 1, 0
		for _, c := range p.V {
			switch {
			case c == '{':
				depth++
			case c == ',' && depth > 0:
				choices++
			case c == '}' && depth > 0:
				if depth--; depth == 0 {
					product = min(product*choices, maxPatterns+1)
					choices = 1
				}
			}
		}
		n = min(n+product, maxPatterns+1)
	}
	if n > maxPatterns {
		d.add(diag.New("E-VALUE-RANGE", paths.At, "the braces stand for more than %d patterns", maxPatterns).Suggest("write fewer patterns"))
	}
}
