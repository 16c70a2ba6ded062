package schema

// members are the schemas of properties.
type members struct {
	named    map[string]*node
	patterns []patternNode
	rest     *node // of the properties that have no other
	closed   bool  // there may be no other
	known    []string
}

type patternNode struct {
	pattern
	*node
}

func (m *members) rule(v *visit) {
	object, ok := v.value.(map[string]any)
	if !ok {
		return
	}
	v.spend(len(object))
	for name, value := range object {
		if v.over() {
			return
		}
		at, known := v.named(name), false
		if n, ok := m.named[name]; ok {
			known = true
			v.adopt(v.part(n, value, at))
		}
		for _, p := range m.patterns {
			if p.pattern.match(v, name) {
				known = true
				v.adopt(v.part(p.node, value, at))
			}
		}
		switch {
		case known:
		case m.closed:
			v.add(finding{at: at, key: true, say: func() string { return unknownProperty(name, m.known) }})
		case m.rest != nil:
			v.adopt(v.part(m.rest, value, at))
		default:
			continue
		}
		v.saw(name)
	}
}

func requiredRule(names []string) rule {
	return func(v *visit) {
		object, ok := v.value.(map[string]any)
		if !ok {
			return
		}
		for _, name := range missing(v, object, names) {
			v.fault(func() string { return "missing property " + display(name) })
		}
	}
}

func missing(v *visit, object map[string]any, names []string) []string {
	v.spend(len(names))
	var out []string
	for _, name := range names {
		if _, ok := object[name]; !ok {
			out = append(out, name)
		}
	}
	return out
}

// needsRule asks for other properties beside one.
func needsRule(given string, names []string) rule {
	return func(v *visit) {
		object, ok := v.value.(map[string]any)
		if _, has := object[given]; !ok || !has {
			return
		}
		if lacks := missing(v, object, names); len(lacks) > 0 {
			v.fault(func() string { return needs(given, lacks) })
		}
	}
}

// besideRule holds the object against a schema where it has a property.
func besideRule(given string, n *node) rule {
	return func(v *visit) {
		object, ok := v.value.(map[string]any)
		if _, has := object[given]; ok && has {
			v.adopt(v.same(n, false))
		}
	}
}

func namesRule(n *node) rule {
	return func(v *visit) {
		object, ok := v.value.(map[string]any)
		if !ok {
			return
		}
		for name := range object {
			if v.over() {
				return
			}
			w := v.part(n, name, nil)
			if !w.failed {
				continue
			}
			v.add(finding{at: v.named(name), key: true, say: func() string { return "the name " + w.found[0].say() }})
		}
	}
}

// unseenNamesRule is unevaluatedProperties: it comes after all other rules.
func unseenNamesRule(n *node) rule {
	return func(v *visit) {
		object, ok := v.value.(map[string]any)
		if !ok || v.seen.all {
			return
		}
		v.spend(len(object))
		for name, value := range object {
			if !v.seen.names[name] && !v.over() {
				v.adopt(v.part(n, value, v.named(name)))
			}
		}
		v.seen.all = true
	}
}
