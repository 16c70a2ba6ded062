package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// alternatives reports an anyOf or oneOf of which nothing fits. The form that was meant is the one of the right type,
// then the one whose fixed values (a "type": "x" field) fit; its faults are reported. Where that leaves several, one
// finding names what each of them asks for.
func (r *report) alternatives(e *jsonschema.ValidationError) []finding {
	at := slices.Clone(e.InstanceLocation)
	forms := make([][]finding, 0, len(e.Causes))
	for _, cause := range e.Causes {
		forms = append(forms, r.collect(cause))
	}
	all := forms
	forms = keep(forms, func(f finding) bool { return isType(f) && len(f.path) == len(at) })
	if len(forms) == 0 {
		return []finding{{path: at, kind: mergeTypes(all), schema: e.SchemaURL}}
	}
	if values := mergeEnums(forms, len(at)); values != nil {
		return []finding{{path: at, kind: values, schema: e.SchemaURL}}
	}
	fixed := keep(forms, func(f finding) bool { return isFixed(f) && len(f.path) <= len(at)+1 })
	if len(fixed) > 0 {
		forms = fixed
	}
	if len(forms) == 1 {
		return forms[0]
	}
	return []finding{{path: at, kind: e.ErrorKind, schema: e.SchemaURL, text: r.choice(forms, len(at))}}
}

// keep leaves out the forms that have a finding of the sort.
func keep(forms [][]finding, out func(finding) bool) [][]finding {
	return slices.DeleteFunc(slices.Clone(forms), func(fs []finding) bool { return slices.ContainsFunc(fs, out) })
}

func isType(f finding) bool {
	_, ok := f.kind.(*kind.Type)
	return ok
}

func isFixed(f finding) bool {
	switch f.kind.(type) {
	case *kind.Const, *kind.Enum:
		return true
	default:
		return false
	}
}

// mergeTypes says which types would do, of forms that all ask for another one.
func mergeTypes(forms [][]finding) *kind.Type {
	merged := &kind.Type{}
	for _, fs := range forms {
		for _, f := range fs {
			k, ok := f.kind.(*kind.Type)
			if !ok {
				continue
			}
			merged.Got = k.Got
			for _, want := range k.Want {
				if !slices.Contains(merged.Want, want) {
					merged.Want = append(merged.Want, want)
				}
			}
		}
	}
	return merged
}

// mergeEnums joins forms that are nothing but fixed values; nil when one is more than that.
func mergeEnums(forms [][]finding, depth int) *kind.Enum {
	merged := &kind.Enum{}
	for _, fs := range forms {
		if len(fs) != 1 || len(fs[0].path) != depth {
			return nil
		}
		switch k := fs[0].kind.(type) {
		case *kind.Const:
			merged.Got, merged.Want = k.Got, append(merged.Want, k.Want)
		case *kind.Enum:
			merged.Got, merged.Want = k.Got, append(merged.Want, k.Want...)
		default:
			return nil
		}
	}
	return merged
}

// choices is how many forms a message describes.
const choices = 4

func (r *report) choice(forms [][]finding, depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "fits none of the %d allowed forms", len(forms))
	for i, fs := range forms[:min(len(forms), choices)] {
		if len(fs) == 0 {
			continue
		}
		text := fs[0].text
		if text == "" {
			text = r.message(fs[0])
		}
		inner := Fault{Path: fs[0].path[min(depth, len(fs[0].path)):], Message: text}
		fmt.Fprintf(&b, "; %s %d: %s", "form", i+1, inner)
	}
	return b.String()
}
