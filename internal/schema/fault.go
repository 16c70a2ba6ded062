package schema

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Fault is one thing that does not fit.
type Fault struct {
	// Path leads from the root of the instance to the value: names of properties, and indexes from 0. A missing property
	// is a fault of the object that lacks it.
	Path []string
	// Key tells that the last name of Path is itself the fault (an unknown property), not the value behind it.
	Key bool
	// Message is one sentence without the path, lower case, without a full stop.
	Message string
}

// String is the message with the path in front: "todos[0].status: must be …".
func (f Fault) String() string {
	if len(f.Path) == 0 {
		return f.Message
	}
	var b strings.Builder
	for i, name := range f.Path {
		switch _, err := strconv.Atoi(name); {
		case err == nil:
			b.WriteString("[" + name + "]")
		case i > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String() + ": " + f.Message
}

// finding is a fault while several of them are still weighed against each other.
type finding struct {
	path   []string
	key    bool
	kind   jsonschema.ErrorKind
	schema string // location of the schema that was broken
	text   string // set where the kind alone does not say it
}

// report turns the library's tree of errors into findings.
type report struct {
	instance any
	doc      any // the schema, nil when unknown
}

// faults lists what a tree of errors says, each fault once, in the order of the paths.
func faults(e *jsonschema.ValidationError, instance, doc any) []Fault {
	r := report{instance, doc}
	var out []Fault
	for _, f := range r.collect(e) {
		text := f.text
		if text == "" {
			text = r.message(f)
		}
		out = append(out, Fault{f.path, f.key, text})
	}
	slices.SortStableFunc(out, func(a, b Fault) int {
		return cmp.Or(slices.CompareFunc(a.Path, b.Path, compareNames), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(out, func(a, b Fault) bool {
		return slices.Equal(a.Path, b.Path) && a.Message == b.Message
	})
}

// compareNames orders indexes by number and names by letter.
func compareNames(a, b string) int {
	i, erri := strconv.Atoi(a)
	j, errj := strconv.Atoi(b)
	if erri == nil && errj == nil {
		return cmp.Compare(i, j)
	}
	return cmp.Compare(a, b)
}

func (r *report) collect(e *jsonschema.ValidationError) []finding {
	at := slices.Clone(e.InstanceLocation)
	one := func(path []string, key bool, k jsonschema.ErrorKind, text string) finding {
		return finding{path, key, k, e.SchemaURL, text}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return r.alternatives(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return r.alternatives(e)
		}
	case *kind.Required:
		var fs []finding
		for _, name := range k.Missing {
			fs = append(fs, one(at, false, k, "missing property "+display(name)))
		}
		return fs
	case *kind.AdditionalProperties:
		var fs []finding
		for _, name := range k.Properties {
			fs = append(fs, one(append(slices.Clone(at), name), true, k, r.unknownProperty(e.SchemaURL, name)))
		}
		return fs
	case *kind.PropertyNames:
		at = append(r.owner(at, k.Property), k.Property)
		for _, cause := range e.Causes {
			for _, f := range r.collect(cause) {
				r := report{instance: k.Property}
				return []finding{one(at, true, k, "the name "+r.message(f))}
			}
		}
	case *kind.FalseSchema:
		if n := len(at); n > 0 {
			if _, ok := lookup(r.instance, at[:n-1]).(map[string]any); ok {
				return []finding{one(at, true, k, "property "+display(at[n-1])+" is not allowed here")}
			}
		}
	case *kind.UniqueItems:
		return []finding{one(append(at, strconv.Itoa(k.Duplicates[1])), false, k, "")}
	case *kind.Contains, *kind.MinContains, *kind.MaxContains:
		return []finding{one(at, false, k, "")} // its causes say why each single item is not the one that is missing
	}
	if len(e.Causes) == 0 {
		return []finding{one(at, false, e.ErrorKind, "")}
	}
	var fs []finding
	for _, cause := range e.Causes {
		fs = append(fs, r.collect(cause)...)
	}
	return fs
}

// owner is the object whose property name is wrong. The library hands out a path of propertyNames that it overwrites
// while it goes on: only its length can be relied upon.
func (r *report) owner(at []string, name string) []string {
	has := func(v any) bool {
		object, ok := v.(map[string]any)
		if !ok {
			return false
		}
		_, ok = object[name]
		return ok
	}
	if has(lookup(r.instance, at)) {
		return at
	}
	var search func(v any, path []string) []string
	search = func(v any, path []string) []string {
		if len(path) == len(at) {
			if has(v) {
				return slices.Clone(path)
			}
			return nil
		}
		switch v := v.(type) {
		case map[string]any:
			for _, key := range sortedKeys(v) {
				if found := search(v[key], append(path, key)); found != nil {
					return found
				}
			}
		case []any:
			for i := range v {
				if found := search(v[i], append(path, strconv.Itoa(i))); found != nil {
					return found
				}
			}
		}
		return nil
	}
	if found := search(r.instance, nil); found != nil {
		return found
	}
	return at
}

// lookup follows a path; nil where it leads nowhere.
func lookup(v any, path []string) any {
	for _, name := range path {
		switch c := v.(type) {
		case map[string]any:
			v = c[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(c) {
				return nil
			}
			v = c[i]
		default:
			return nil
		}
	}
	return v
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
