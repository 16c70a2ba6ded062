package schema

import (
	"fmt"
	"slices"
	"strings"
)

// noForm reports an anyOf or oneOf of which nothing fits. What every form looked at counts as looked at, so that nothing
// else is said of it.
func (v *visit) noForm(forms []*visit) {
	v.failed = true
	found := make([][]finding, len(forms))
	for i, w := range forms {
		v.share(w)
		found[i] = w.found
		v.spend(len(w.found)) // each is looked at again
	}
	if !v.quiet {
		v.found = append(v.found, v.alternatives(found)...)
	}
}

// alternatives finds the form that was meant: the one of the right type, then the one whose fixed values (a "type": "x"
// field) fit; its faults are reported. Where that leaves several, one finding names what each of them asks for.
func (v *visit) alternatives(all [][]finding) []finding {
	forms := keep(all, func(f finding) bool { return f.types != 0 && f.at == v.at })
	if len(forms) == 0 {
		var want types
		for _, f := range slices.Concat(all...) {
			if f.at == v.at {
				want |= f.types
			}
		}
		w := *v
		w.found = nil
		typeRule(want)(&w)
		return w.found
	}
	if values := v.merged(forms); values != nil {
		return []finding{{at: v.at, fixed: values, say: func() string { return enumMessage(values, v.value) }}}
	}
	fixed := keep(forms, func(f finding) bool { return f.fixed != nil && (f.at == v.at || f.at.within == v.at) })
	if len(fixed) > 0 {
		forms = fixed
	}
	if len(forms) == 1 {
		return forms[0]
	}
	return []finding{{at: v.at, say: func() string { return choice(forms, len(v.at.path())) }}}
}

// keep leaves out the forms that have a finding of the sort.
func keep(forms [][]finding, out func(finding) bool) [][]finding {
	return slices.DeleteFunc(slices.Clone(forms), func(fs []finding) bool { return slices.ContainsFunc(fs, out) })
}

// merged joins forms that are nothing but fixed values; nil when one is more than that.
func (v *visit) merged(forms [][]finding) []any {
	var values []any
	for _, fs := range forms {
		if len(fs) != 1 || fs[0].at != v.at || fs[0].fixed == nil {
			return nil
		}
		values = append(values, fs[0].fixed...)
	}
	return values
}

const (
	choices     = 4   // forms that a message describes
	choiceBytes = 200 // of each of them
)

func choice(forms [][]finding, depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "fits none of the %d allowed forms", len(forms))
	for i, fs := range forms[:min(len(forms), choices)] {
		if len(fs) == 0 {
			continue
		}
		first := slices.MinFunc(fs, func(a, b finding) int { return slices.CompareFunc(a.at.path(), b.at.path(), compareNames) })
		path := first.at.path()
		fmt.Fprintf(&b, "; form %d: %s", i+1, Fault{Path: path[min(depth, len(path)):], Message: cut(first.say(), choiceBytes)})
	}
	return b.String()
}
