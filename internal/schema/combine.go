package schema

import "fmt"

// refRule follows a reference.
func refRule(n *node) rule {
	return func(v *visit) { v.adopt(v.same(n, false)) }
}

// dynamicRule follows $dynamicRef: to the outermost schema on the way here that has the anchor.
func dynamicRule(initial *node, anchor string) rule {
	return func(v *visit) {
		target := initial
		if anchor != "" && initial.dynamic == anchor {
			for w := v; w != nil; w = w.above {
				v.spend(1)
				if w.node.resource == nil {
					continue
				}
				if n, ok := w.node.resource.dynamic[anchor]; ok {
					target = n
				}
			}
		}
		v.adopt(v.same(target, false))
	}
}

// recursiveRule follows $recursiveRef of draft 2019-09: to the outermost resource on the way here that is marked.
func recursiveRule(initial *node) rule {
	return func(v *visit) {
		target := initial
		if r := initial.resource; r != nil && r.recursive && initial == r.node {
			for w := v; w != nil; w = w.above {
				v.spend(1)
				if r := w.node.resource; r != nil && r.recursive {
					target = r.node
				}
			}
		}
		v.adopt(v.same(target, false))
	}
}

func notRule(n *node) rule {
	return func(v *visit) {
		if w := v.same(n, true); !w.failed {
			v.fault(func() string { return "has a form that is not allowed" })
		}
	}
}

func allRule(nodes []*node) rule {
	return func(v *visit) {
		for _, n := range nodes {
			if v.over() {
				return
			}
			v.adopt(v.same(n, false))
		}
	}
}

func anyRule(nodes []*node) rule {
	return func(v *visit) {
		var forms []*visit
		fits := false
		for _, n := range nodes {
			if fits && !v.marks || v.broken != "" {
				break
			}
			w := v.same(n, fits)
			if w.failed {
				forms = append(forms, w)
				continue
			}
			fits = true
			v.share(w)
		}
		if !fits {
			v.noForm(forms)
		}
	}
}

func oneRule(nodes []*node) rule {
	return func(v *visit) {
		var forms []*visit
		fits := -1
		for i, n := range nodes {
			if v.broken != "" {
				return
			}
			w := v.same(n, fits >= 0)
			switch {
			case w.failed:
				forms = append(forms, w)
			case fits >= 0:
				v.share(w)
				v.fault(func() string {
					return fmt.Sprintf("fits allowed forms %d and %d, and must fit exactly one", fits+1, i+1)
				})
				return
			default:
				fits = i
				v.share(w)
			}
		}
		if fits < 0 {
			v.noForm(forms)
		}
	}
}

// ifRule has nil for what is missing.
func ifRule(condition, then, otherwise *node) rule {
	return func(v *visit) {
		w, next := v.same(condition, true), otherwise
		if !w.failed {
			v.share(w)
			next = then
		}
		if next != nil {
			v.adopt(v.same(next, false))
		}
	}
}
