package config

import (
	"encoding/json"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// A kind of definition is one table of fields. The table drives decoding, the set of known keys with their other spellings,
// the JSON Schema, and the reference for readers; what it does not name does not exist.

// field is one key of a mapping that is read into a T. What needs no T is of about and keys, whose code is there once and not
// once for each type.
type field[T any] struct {
	*about
	read func(d *decoder, out *T, k, v *yaml.Node)
	lose func(out *T, key diag.Span) // notes that it is Lost, where nothing can be read; nil: nobody asks for that
}

// about is what a field says of itself.
type about struct {
	key      string   // the native spelling
	names    []string // other spellings of the same thing
	doc      string   // what it means, one sentence without a full stop
	def      string   // what holds where nobody writes it; "" = nothing
	example  string   // a value in flow YAML
	secure   bool     // a wrong value is an error in every file: ignoring it would loosen a restriction
	required bool     // for the schema; the check itself is the reader's, which knows the place to point at
	inactive bool     // understood, and without effect in this version
	words    string   // the type, for readers
	schema   func() schema
}

// schema is a JSON Schema, or a part of one.
type schema map[string]any

// shape is how a value of type V is written.
type shape[V any] struct {
	words  string
	schema func() schema
	read   func(d *decoder, n *yaml.Node) (V, bool)
}

// value is a field that goes into a Value. What cannot be read because of an error is Lost there.
func value[T, V any](key string, s shape[V], to func(*T) *Value[V]) field[T] {
	f := with(key, s, func(out *T, v Value[V]) { *to(out) = v })
	f.lose = func(out *T, key diag.Span) {
		if v := to(out); !v.Set() {
			v.Key = key
		}
	}
	read := f.read
	f.read = func(d *decoder, out *T, k, n *yaml.Node) {
		before := len(d.ds)
		if read(d, out, k, n); d.failed(before) {
			f.lose(out, d.at(k).Span())
		}
	}
	return f
}

// with is a field whose value goes where set puts it.
func with[T, V any](key string, s shape[V], set func(*T, Value[V])) field[T] {
	return field[T]{
		about: &about{key: key, words: s.words, schema: s.schema},
		read: func(d *decoder, out *T, k, n *yaml.Node) {
			if v, ok := s.read(d, n); ok {
				set(out, Value[V]{V: v, At: d.at(n), Key: d.at(k).Span()})
			}
		},
	}
}

// idle is a field that is understood and has no effect; to is the list that names such fields.
func idle[T any](key, words string, to func(*T) *[]Ref) field[T] {
	return field[T]{
		about: &about{key: key, words: words, inactive: true, schema: func() schema { return schema{} }},
		read: func(d *decoder, out *T, k, n *yaml.Node) {
			*to(out) = append(*to(out), Ref{V: k.Value, At: d.at(n), Key: d.at(k).Span()})
		},
	}
}

func (f field[T]) means(format string, args ...any) field[T] {
	f.doc = fmt.Sprintf(format, args...)
	return f
}

func (f field[T]) also(names ...string) field[T] {
	f.names = append(f.names[:len(f.names):len(f.names)], names...)
	return f
}

func (f field[T]) or(def string) field[T] {
	f.def = def
	return f
}

func (f field[T]) like(example string) field[T] {
	f.example = example
	return f
}

func (f field[T]) guarded() field[T] {
	f.secure = true
	return f
}

func (f field[T]) needed() field[T] {
	f.required = true
	return f
}

// table is the fields of a mapping, in the order in which the reference shows them.
type table[T any] struct {
	keys
	fields []field[T]
	// rest takes the keys that no field has; nil: they are unknown.
	rest func(d *decoder, out *T, k, v *yaml.Node)
}

// keys are the fields of a table, whatever they are read into.
type keys struct {
	all    []*about
	byName map[string]int // where in all
	// lookalikes are keys that are mistaken for a field that restricts, with that field.
	lookalikes map[string]string
	// noun is what the mapping defines, in messages about lookalikes.
	noun string
	// meant are keys of other programs that no edit distance leads to a field, with that field.
	meant map[string]string
	// silent are keys that say something to readers only.
	silent map[string]bool
}

// lazyTable is a table that is made at its first use.
type lazyTable[T any] = lazy.Value[*table[T]]

func newTable[T any](fields ...field[T]) *table[T] {
	t := &table[T]{fields: fields}
	all := make([]*about, len(fields))
	for i := range fields {
		all[i] = fields[i].about
	}
	t.keys = newKeys(all)
	return t
}

func newKeys(all []*about) keys {
	ks := keys{all: all, byName: make(map[string]int, 2*len(all))}
	for i, f := range all {
		ks.byName[f.key] = i
		for _, n := range f.names {
			ks.byName[n] = i
		}
	}
	return ks
}

// find is the field of a key; nil = there is none.
func (ks *keys) find(key string) *about {
	if i, ok := ks.byName[key]; ok {
		return ks.all[i]
	}
	return nil
}

// labelled lets the keys pass that every Markdown file may carry.
func (t *table[T]) labelled() *table[T] {
	t.silent = map[string]bool{}
	for _, l := range labels {
		t.silent[l] = true
	}
	return t
}

// names are all spellings of all fields.
func (ks *keys) names() []string {
	var out []string
	for _, f := range ks.all {
		out = append(append(out, f.key), f.names...)
	}
	return out
}

// object is the JSON Schema of the mapping.
func (t *table[T]) object() schema { return t.schema(t.rest != nil) }

// schema is the JSON Schema of a mapping with these keys; open lets others pass.
func (ks *keys) schema(open bool) schema {
	properties := schema{}
	var required []string
	for _, f := range ks.all {
		properties[f.key] = f.described(f.doc)
		for _, n := range f.names {
			properties[n] = f.described("another spelling of " + f.key)
		}
		if f.required {
			required = append(required, f.key)
		}
	}
	out := schema{"type": "object", "properties": properties, "additionalProperties": open}
	if required != nil {
		out["required"] = required
	}
	return out
}

// described is the schema of the field with a text for editors.
func (f *about) described(text string) schema {
	s := f.schema()
	if f.inactive {
		text += " (no effect in this version)"
	}
	s["description"] = text
	if v, ok := jsonDefault(f.def); ok {
		s["default"] = v
	}
	return s
}

// jsonDefault is a default as a JSON value, where it is one and not a sentence for readers.
func jsonDefault(text string) (any, bool) {
	var v any
	if text == "" || json.Unmarshal([]byte(text), &v) != nil {
		return nil, false
	}
	return v, true
}

// mapping is the shape of a map of settings with fields of its own.
func mapping[T any](words string, t func() *table[T]) shape[T] {
	return shape[T]{
		words:  words,
		schema: func() schema { return t().object() },
		read: func(d *decoder, n *yaml.Node) (T, bool) {
			var out T
			if n.Kind != yaml.MappingNode {
				d.wrong(n, "a map")
				return out, false
			}
			d.inside(func() { decode(d, n, t(), &out) })
			return out, true
		},
	}
}
