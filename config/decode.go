package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// decoder reads one file. Its settings say how much a fault weighs.
type decoder struct {
	doc   *frontmatter.Document
	known frontmatter.Keys // of all kinds together
	// strict: an unknown key or a value of the wrong type is an error. So it is in YAML files, and inside the maps of a
	// native Markdown file.
	strict bool
	// foreign: the file belongs to another program (a Claude location), so that what we do not know is no fault of it.
	foreign bool
	// skill: a key that nobody knows is one that the open specification does not have.
	skill bool
	// failClosed: hooks of a foreign file fail closed all the same.
	failClosed bool
	// secure: the field that is being read restricts what an agent may do; a wrong value is an error in every file.
	secure bool
	// docs are the files of nodes, where a tree is merged from several; the others are of doc.
	docs map[*yaml.Node]*frontmatter.Document
	// from is the variables that values were, and absent the maps that lost a value to an unset one.
	from   map[*yaml.Node]string
	absent map[*yaml.Node]bool
	// gone is the keys of maps whose values are not there because of an error that was told, under the names that they should have.
	gone lostKeys
	// source is the text of values as it was before variables were put in; hidden: the value may be a key. Messages show
	// neither keys nor what variables hold.
	source map[*yaml.Node]string
	hidden bool
	// memo is what was made of nodes that are read again and again; nil = nothing is.
	memo map[*yaml.Node]any
	ds   diag.List
}

func (d *decoder) file(n *yaml.Node) *frontmatter.Document {
	if doc := d.docs[n]; doc != nil {
		return doc
	}
	return d.doc
}

func (d *decoder) at(n *yaml.Node) diag.Range { return d.file(n).Range(n) }

// written is a value as text.
func (d *decoder) written(n *yaml.Node) string { return d.file(n).Written(n) }

func (d *decoder) add(ds ...diag.Diagnostic) { d.ds.Add(ds...) }

// failed tells whether an error was found since there were so many findings.
func (d *decoder) failed(before int) bool { return d.ds[before:].HasErrors() }

// draft tells whether a collection may be used as far as its entries could be read: not where errors left nothing of it.
func (d *decoder) draft(entries, before int) bool { return entries > 0 || !d.failed(before) }

// unread tells whether a map has a key whose value is an error, which was told.
func (d *decoder) unread(n *yaml.Node, key string) bool {
	v := child(n, key)
	return d.gone.has(n, key) || v != nil && slices.ContainsFunc(d.ds, func(x diag.Diagnostic) bool {
		return x.Severity == diag.Error && x.Range == d.at(v)
	})
}

// lacks tells whether a map should have a key and does not.
func (d *decoder) lacks(n *yaml.Node, key string) bool {
	v := child(n, key)
	return (v == nil || isNull(v)) && !d.gone.has(n, key)
}

// wrong reports a value of the wrong type. The value is ignored, or the file where that would loosen a restriction.
func (d *decoder) wrong(n *yaml.Node, want string) { d.wrongly(n, want, "write "+want) }

// wrongly is wrong with a way out of its own.
func (d *decoder) wrongly(n *yaml.Node, want, help string) {
	code := diag.Code("W-VALUE-TYPE")
	if d.strict || d.secure {
		code = "E-VALUE-TYPE"
	}
	x := diag.New(code, d.at(n), "%s is not %s", d.shown(n), want).
		Suggest("%s", help)
	if code == "W-VALUE-TYPE" {
		x = x.Explain("The value is ignored.")
	}
	d.add(x)
}

// outside reports a value out of its range. The value is not used.
func (d *decoder) outside(n *yaml.Node, allowed string) {
	code := diag.Code("E-VALUE-RANGE")
	if d.foreign {
		code = "W-VALUE-RANGE"
	}
	d.add(diag.New(code, d.at(n), "%s is out of range", d.shown(n)).Suggest("allowed: %s", allowed))
}

// shown is a value as a message may quote it.
func (d *decoder) shown(n *yaml.Node) string {
	if text, ok := d.source[n]; ok {
		return shown(text)
	}
	if d.hidden {
		return "the value"
	}
	return shown(d.written(n))
}

// shown is a text as a message quotes it.
func shown(text string) string {
	const limit = 60
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit]) + "…"
	}
	return `"` + text + `"`
}

// lostKeys are keys by the maps that they stand in.
type lostKeys map[*yaml.Node][]lostKey

// lostKey is a key, and the name that it should have.
type lostKey struct {
	node *yaml.Node
	name string
}

func (l *lostKeys) has(n *yaml.Node, key string) bool {
	return slices.ContainsFunc((*l)[n], func(k lostKey) bool { return k.name == key })
}

// below tells whether a map or one inside it has a key that is gone.
func (l *lostKeys) below(n *yaml.Node) bool {
	return len((*l)[n]) > 0 || slices.ContainsFunc(n.Content, l.below)
}

// add notes that the value of a key, which should be called name, is not there.
func (l *lostKeys) add(n, k *yaml.Node, name string) {
	if l.has(n, name) {
		return
	}
	if *l == nil {
		*l = lostKeys{}
	}
	(*l)[n] = append((*l)[n], lostKey{k, name})
}

// scalar is the source text of a node that holds one of the types of YAML; false for lists, maps and foreign tags.
func scalar(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode || hasForeignTag(n) {
		return "", false
	}
	return n.Value, true
}

func hasForeignTag(n *yaml.Node) bool {
	return n.Style&yaml.TaggedStyle != 0 &&
		!slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!map", "!!seq"}, n.Tag)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// decode reads a mapping into out by the table of its fields.
func decode[T any](d *decoder, n *yaml.Node, t *table[T], out *T) {
	d.mapping(n, &t.keys, t.rest != nil, func(i int, k, v *yaml.Node) {
		if i < 0 {
			t.rest(d, out, k, v)
			return
		}
		if f := t.fields[i]; v != nil {
			f.read(d, out, k, v)
		} else if f.lose != nil {
			f.lose(out, d.at(k).Span())
		}
	})
}

// mapping reads the pairs of a mapping, each once. A key that no field has is read as that at -1 where the mapping is open; the
// value of one that is lost is nil.
func (d *decoder) mapping(n *yaml.Node, t *keys, open bool, read func(i int, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.wrong(n, "a map")
		return
	}
	var few [16]seen
	before := few[:0]
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		at, known := t.byName[k.Value]
		if !known && open {
			read(-1, k, v)
			continue
		}
		if !known {
			if meant, ok := t.lookalikes[k.Value]; ok {
				d.lookalike(k, meant, t.noun)
			} else if !t.silent[k.Value] {
				if meant := d.unknown(k, t.names, t.meant[k.Value]); meant != "" {
					d.gone.add(n, k, meant)
				}
			}
			continue
		}
		f := t.all[at]
		if j := slices.IndexFunc(before, func(s seen) bool { return s.key == f.key }); j >= 0 {
			d.add(diag.New("E-KEY-TWICE", d.at(k), "%q and %q are the same setting", before[j].node.Value, k.Value).
				Suggest("keep one of them").Note(d.at(before[j].node), "the other one"))
			continue
		}
		before = append(before, seen{f.key, k})
		if isNull(v) {
			d.add(diag.New("W-VALUE-NULL", d.at(k), "%q has no value and counts as absent", k.Value).
				Suggest("give it a value or remove the line"))
			continue
		}
		d.field(func() { read(at, k, v) }, f.secure)
	}
	for _, k := range d.gone[n] {
		if at, ok := t.byName[k.name]; ok {
			read(at, k.node, nil)
		}
	}
}

// seen is a field that the mapping had already, and under which key.
type seen struct {
	key  string
	node *yaml.Node
}

func (d *decoder) field(read func(), secure bool) {
	was := d.secure
	d.secure = was || secure
	read()
	d.secure = was
}

// hiding reads a value that may be a key.
func (d *decoder) hiding(read func()) {
	was := d.hidden
	d.hidden = true
	read()
	d.hidden = was
}

// inside reads the inner part of a map of settings, where nothing unknown is let pass.
func (d *decoder) inside(read func()) {
	was := d.strict
	d.strict = was || !d.foreign
	read()
	d.strict = was
}

// openYAML begins a definition that is a YAML file: strict, with the variables of env in its values. The decoder is nil when the
// file is no YAML; the definition is always filled, what is wrong so far is told in both cases.
func openYAML(kind Kind, src []byte, file string, env []string) (*decoder, Definition, diag.List) {
	doc, ds := frontmatter.ParseYAML(src, file)
	def := Definition{Kind: kind, Name: Stem(file), File: file, Status: Loaded, At: doc.Fence}
	if doc.Root == nil {
		def.Status = Broken
		return nil, def, ds
	}
	vars := newVariables(env)
	vars.doc = doc
	vars.expand(doc.Root)
	ds.Add(vars.ds...)
	return &decoder{doc: doc, known: knownKeys.Get(), strict: true, from: vars.from, source: vars.written, absent: vars.absent, gone: vars.lost, ds: ds}, def, ds
}
