package schema

// A check ends with one fault when it takes more than this. Schemas can be written so that a check of a few bytes would
// take longer than anybody waits; those that are meant take a step or two for each value.
const (
	maxSteps = 5_000_000
	maxDepth = 10_000 // visits within each other
	perFault = 50     // steps that a finding counts as, since it takes memory

	rulesPerStep = 8 // most rules see at once that a value is none of theirs
)

// node is a compiled schema: rules that are held against a value one after the other.
type node struct {
	first    []rule // where one of them fails, the others are not asked
	rules    []rule
	target   bool      // something refers to it
	asks     bool      // a rule asks what the others looked at
	at       string    // JSON pointer
	resource *resource // nil for the forms of keywords
	dynamic  string    // its $dynamicAnchor
}

// rule is one keyword, or several that only have a meaning together.
type rule func(v *visit)

// budget is what a check may still use up.
type budget struct {
	steps, depth int
	broken       string // why the check was given up
}

func (b *budget) spend(steps int) {
	if b.steps -= steps; b.steps < 0 && b.broken == "" {
		b.broken = "checking this takes too many steps"
	}
}

// visit is one node held against one value.
type visit struct {
	*budget
	node   *node
	value  any
	at     *place
	above  *visit // what led here
	inside bool   // the value is part of the one above, not the same
	quiet  bool   // only whether it fits is asked
	marks  bool   // somebody asks what was looked at
	failed bool
	found  []finding
	seen   seen
}

// seen is what the rules of a value looked at: properties or items.
type seen struct {
	all   bool
	names map[string]bool
	items map[int]bool
}

// check holds a value against a schema.
func check(n *node, value any) []Fault {
	b := &budget{steps: maxSteps}
	v := &visit{budget: b, node: n, value: value, marks: n.asks}
	v.run()
	if b.broken != "" {
		return []Fault{{Message: b.broken}}
	}
	return faults(v.found)
}

func (v *visit) run() {
	v.spend(1 + (len(v.node.first)+len(v.node.rules))/rulesPerStep)
	if v.depth++; v.depth > maxDepth && v.broken == "" {
		v.broken = "this is nested too deeply to be checked"
	}
	defer func() { v.depth-- }()
	if v.circle() {
		v.fault(func() string { return "the schema leads in a circle and says nothing: " + display("#"+v.node.at) })
		return
	}
	for _, r := range v.node.first {
		if r(v); v.failed || v.broken != "" {
			return
		}
	}
	for _, r := range v.node.rules {
		if r(v); v.failed && v.quiet || v.broken != "" {
			return
		}
	}
}

// circle tells whether the same schema is being held against the same value already. Only a reference leads back.
func (v *visit) circle() bool {
	if !v.node.target {
		return false
	}
	for w := v; w.above != nil && !w.inside; w = w.above {
		v.spend(1)
		if w.above.node == v.node {
			return true
		}
	}
	return false
}

// over tells that nothing which is still to come changes the answer.
func (v *visit) over() bool { return v.failed && v.quiet || v.broken != "" }

// same holds the value against another schema.
func (v *visit) same(n *node, quiet bool) *visit {
	w := &visit{budget: v.budget, node: n, value: v.value, at: v.at, above: v, quiet: v.quiet || quiet, marks: v.marks || n.asks}
	w.run()
	return w
}

// part holds a part of the value against a schema.
func (v *visit) part(n *node, value any, at *place) *visit {
	w := &visit{budget: v.budget, node: n, value: value, at: at, above: v, inside: true, quiet: v.quiet, marks: n.asks}
	w.run()
	return w
}

// adopt takes over what another visit found, and from one of the same value what it looked at.
func (v *visit) adopt(w *visit) {
	v.failed = v.failed || w.failed
	v.spend(len(w.found))
	v.found = append(v.found, w.found...)
	if !w.inside {
		v.share(w)
	}
}

func (v *visit) share(w *visit) {
	if !v.marks {
		return
	}
	v.seen.all = v.seen.all || w.seen.all
	for name := range w.seen.names {
		v.saw(name)
	}
	for i := range w.seen.items {
		v.sawItem(i)
	}
	v.spend(len(w.seen.names) + len(w.seen.items))
}

func (v *visit) saw(name string) {
	if !v.marks {
		return
	}
	if v.seen.names == nil {
		v.seen.names = map[string]bool{}
	}
	v.seen.names[name] = true
}

func (v *visit) sawItem(i int) {
	if !v.marks {
		return
	}
	if v.seen.items == nil {
		v.seen.items = map[int]bool{}
	}
	v.seen.items[i] = true
}

// fault says that the value does not fit.
func (v *visit) fault(say func() string) { v.add(finding{at: v.at, say: say}) }

func (v *visit) add(f finding) {
	v.failed = true
	if !v.quiet {
		v.spend(perFault + v.depth) // its path is as long
		v.found = append(v.found, f)
	}
}

// named is the place of a property.
func (v *visit) named(name string) *place { return &place{v.at, name, true} }
