package config

import (
	"encoding/json"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/expression"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// maxCases is how many cases a job may become.
const maxCases = 10_000

var axisName = lazy.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// combinations are the sets of values of the matrix for so many cases, the first axis changing slowest; one empty set without a
// matrix, or where nothing of it can be used.
func (r *jobReader) combinations(cases int) [][]JobAxis {
	var out [][]JobAxis
	n, before := r.file.matrix, len(r.ds)
	switch {
	case n == nil && !r.fits(cases, diag.Range{}):
		return nil
	case n == nil:
	case n.Kind != yaml.MappingNode:
		r.wrong(n, "a map of lists")
	default:
		out = r.combined(n, cases)
	}
	if r.blind = r.failed(before); len(out) == 0 {
		return [][]JobAxis{nil}
	}
	return out
}

func (r *jobReader) combined(n *yaml.Node, cases int) [][]JobAxis {
	before, out := len(r.ds), [][]JobAxis{{}}
	var include, exclude *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch k.Value {
		case "include":
			include = v
			continue
		case "exclude":
			exclude = v
			continue
		}
		axis := r.axis(k, v)
		if len(axis) == 0 {
			continue
		}
		if !r.fits(len(out)*len(axis)*cases, r.at(n)) {
			return nil
		}
		var next [][]JobAxis
		for _, c := range out {
			for _, a := range axis {
				next = append(next, joined(c, []JobAxis{a}))
			}
		}
		out = next
	}
	drop, more := r.listed(exclude), r.listed(include)
	sound := !r.failed(before) // else what is missing may be what could not be read
	if sound && len(out[0]) == 0 && include == nil {
		r.add(diag.New("E-KEY-MISSING", r.at(n), "the matrix has no values").Suggest("write matrix: {model: [smart, fast]}, or remove it"))
		return nil
	}
	if len(out[0]) == 0 {
		out = nil
	}
	for _, e := range drop {
		before := len(out)
		out = slices.DeleteFunc(out, func(c []JobAxis) bool { return matches(c, e.axes) })
		if sound && len(out) == before {
			r.add(diag.New("W-KEY-ALONE", r.at(e.node), "no combination of the matrix fits this").Suggest("correct the values, or remove the entry"))
		}
	}
	for _, e := range more {
		out = included(out, e.axes)
	}
	if sound && len(out) == 0 {
		r.add(diag.New("E-KEY-MISSING", r.at(n), "exclude leaves no combination").Suggest("remove an entry of exclude"))
	}
	if !r.fits(len(out)*cases, r.at(n)) {
		return nil
	}
	return out
}

// fits refuses a job that becomes too many cases.
func (r *jobReader) fits(cases int, at diag.Range) bool {
	if cases <= maxCases {
		return true
	}
	if at.IsZero() {
		at = r.at(r.file.cases)
	}
	r.add(diag.New("E-VALUE-RANGE", at, "the job becomes %d cases or more", cases).
		Suggest("allowed: %d cases of a job; leave values or combinations out, or make several jobs of it", maxCases))
	return false
}

// axis is the values of an axis that can be used.
func (r *jobReader) axis(k, v *yaml.Node) []JobAxis {
	r.checkAxis(k)
	if v.Kind != yaml.SequenceNode || len(v.Content) == 0 {
		r.wrong(v, "a list of values")
		return nil
	}
	var out []JobAxis
	for _, c := range v.Content {
		if raw, ok := r.toJSON(c); ok {
			out = append(out, JobAxis{Name: k.Value, Value: raw, At: r.at(c)})
		}
	}
	return out
}

func (r *jobReader) checkAxis(k *yaml.Node) {
	if !axisName.Get().MatchString(k.Value) {
		r.add(diag.New("E-NAME", r.at(k), "%s cannot be the name of an axis", shown(k.Value)).Suggest("use letters, digits and _, and begin with a letter"))
	}
}

// entry is a combination of include or exclude.
type entry struct {
	node *yaml.Node
	axes []JobAxis
}

func (r *jobReader) listed(n *yaml.Node) []entry {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.wrong(n, "a list of maps")
		return nil
	}
	var out []entry
	for _, c := range n.Content {
		if c.Kind != yaml.MappingNode || len(c.Content) == 0 {
			r.wrong(c, "a map of values")
			continue
		}
		e := entry{node: c}
		for i := 0; i+1 < len(c.Content); i += 2 {
			k, v := c.Content[i], c.Content[i+1]
			r.checkAxis(k)
			if raw, ok := r.toJSON(v); ok {
				e.axes = append(e.axes, JobAxis{Name: k.Value, Value: raw, At: r.at(v)})
			}
		}
		out = append(out, e)
	}
	return out
}

// matches tells whether a combination has all values of some axes.
func matches(c, some []JobAxis) bool {
	for _, a := range some {
		if !slices.ContainsFunc(c, func(b JobAxis) bool { return b.Name == a.Name && string(b.Value) == string(a.Value) }) {
			return false
		}
	}
	return true
}

// included adds the values of an entry to the combinations that have nothing else on its axes; where there are none it is a
// combination of its own.
func included(all [][]JobAxis, more []JobAxis) [][]JobAxis {
	fitted := false
	for i, c := range all {
		var old, fresh []JobAxis
		for _, a := range more {
			if slices.ContainsFunc(c, func(b JobAxis) bool { return b.Name == a.Name }) {
				old = append(old, a)
			} else {
				fresh = append(fresh, a)
			}
		}
		if len(fresh) > 0 && matches(c, old) {
			all[i], fitted = joined(c, fresh), true
		}
	}
	if !fitted && !slices.ContainsFunc(all, func(c []JobAxis) bool { return matches(c, more) }) {
		all = append(all, more)
	}
	return all
}

// text is the value as it stands in a text.
func (a JobAxis) text() string {
	var s string
	if json.Unmarshal(a.Value, &s) == nil {
		return s
	}
	return string(a.Value)
}

// values are axes as an expression sees them.
func values(axes []JobAxis) map[string]any {
	out := map[string]any{}
	for _, a := range axes {
		out[a.Name] = expression.Value(a.Value)
	}
	return out
}
