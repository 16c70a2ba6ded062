package schema

// object adds the rules for objects.
func (p *part) object() {
	p.sizes("property", "minProperties", "maxProperties", properties)
	if names := texts(p.schema["required"]); len(names) > 0 {
		p.rules = append(p.rules, requiredRule(names))
	}
	needed, _ := p.schema["dependencies"].(map[string]any)
	for _, name := range sortedKeys(needed) {
		if names, ok := needed[name].([]any); ok {
			p.rules = append(p.rules, needsRule(name, texts(names)))
		} else {
			p.rules = append(p.rules, besideRule(name, p.under(step("dependencies")+step(name), needed[name])))
		}
	}
	p.members()
	if n := p.child("propertyNames"); n != nil {
		p.rules = append(p.rules, namesRule(n))
	}
	beside := p.byName("dependentSchemas")
	for _, name := range sortedKeys(beside) {
		p.rules = append(p.rules, besideRule(name, beside[name]))
	}
	needed, _ = p.value("dependentRequired").(map[string]any)
	for _, name := range sortedKeys(needed) {
		p.rules = append(p.rules, needsRule(name, texts(needed[name])))
	}
}

func (p *part) members() {
	named := p.byName("properties")
	m := &members{named: named, known: sortedKeys(named)}
	patterns := p.byName("patternProperties")
	for _, text := range sortedKeys(patterns) {
		if compiled, ok := p.pattern(text, step("patternProperties")+step(text)); ok {
			m.patterns = append(m.patterns, patternNode{compiled, patterns[text]})
		}
	}
	if m.closed = p.schema["additionalProperties"] == false; !m.closed {
		m.rest = p.child("additionalProperties")
	}
	if len(m.named)+len(m.patterns) > 0 || m.closed || m.rest != nil {
		p.rules = append(p.rules, m.rule)
	}
}

// array adds the rules for lists.
func (p *part) array() {
	p.sizes("item", "minItems", "maxItems", items)
	if p.schema["uniqueItems"] == true {
		p.rules = append(p.rules, uniqueRule)
	}
	_, isList := p.schema["items"].([]any)
	switch {
	case p.resource.draft >= 2020:
		p.items(p.list("prefixItems"), p.child("items"), false)
	case !isList:
		p.items(nil, p.child("items"), false)
	case p.schema["additionalItems"] == false:
		p.items(p.list("items"), nil, true)
	default:
		p.items(p.list("items"), p.child("additionalItems"), false)
	}
	n := p.child("contains")
	if n != nil {
		p.rules = append(p.rules, containsRule(n, p.count("minContains"), p.count("maxContains"), p.resource.draft >= 2020))
	}
}

func (p *part) items(first []*node, rest *node, closed bool) {
	if len(first) > 0 || rest != nil || closed {
		p.rules = append(p.rules, itemsRule(first, rest, closed))
	}
}

// combinations adds the rules that join schemas.
func (p *part) combinations() {
	if n := p.child("not"); n != nil {
		p.rules = append(p.rules, notRule(n))
	}
	for _, c := range []struct {
		keyword string
		rule    func([]*node) rule
	}{{"allOf", allRule}, {"anyOf", anyRule}, {"oneOf", oneRule}} {
		if nodes := p.list(c.keyword); len(nodes) > 0 {
			p.rules = append(p.rules, c.rule(nodes))
		}
	}
	if n := p.child("if"); n != nil {
		var then, otherwise *node
		if p.schema["if"] != false {
			then = p.child("then")
		}
		if p.schema["if"] != true {
			otherwise = p.child("else")
		}
		p.rules = append(p.rules, ifRule(n, then, otherwise))
	}
}

// texts are the texts of a list.
func texts(v any) []string {
	values, _ := v.([]any)
	var out []string
	for _, value := range values {
		if s, ok := value.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
