package schema

import (
	"encoding/json"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// compiler makes nodes of the schemas that can be reached from the root; the others need only have the right form.
type compiler struct {
	doc       any
	known     map[string]bool      // places that register has seen
	addresses map[string]*resource // by URL
	roots     map[string]*resource // by place
	nodes     map[string]*node     // by place
	metas     map[draft]*node
	open      []*part
	room      int // what the text of places may still take up, in bytes
	states    int // of all patterns
	faults    CompileErrors
}

// The text of places may take this. A long name is part of the place of each schema under it, so that a short schema could
// fill the memory.
const (
	minRoom     = 1 << 20
	roomPerByte = 64
)

// part is a schema whose rules are still to be made.
type part struct {
	*compiler
	*node
	schema map[string]any
}

func build(doc any, room int) (*node, CompileErrors) {
	c := &compiler{
		doc: doc, known: map[string]bool{}, addresses: map[string]*resource{}, roots: map[string]*resource{},
		nodes: map[string]*node{}, metas: map[draft]*node{}, room: room,
	}
	d := latest
	if schema, ok := doc.(map[string]any); ok {
		if name, ok := schema["$schema"].(string); ok {
			if d, ok = draftOf(name); !ok {
				return nil, CompileErrors{{"/$schema", noDialect}}
			}
		}
	}
	base, err := url.Parse(location)
	if err != nil {
		return nil, CompileErrors{{Message: err.Error()}}
	}
	whole := c.add(&resource{draft: d, base: base})
	c.admit(doc, "", whole)
	c.addresses[location] = c.roots[""]
	root := c.at("", doc, whole)
	root.target = true
	for len(c.open) > 0 && c.room >= 0 && len(c.faults) < maxFaults {
		next := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		next.compile()
	}
	slices.SortFunc(c.faults, func(a, b *CompileError) int { return strings.Compare(a.Path, b.Path) })
	return root, c.faults
}

// at is the node of a place in resource r, or in one of its own. It is compiled later when it is new.
func (c *compiler) at(place string, value any, r *resource) *node {
	if n, ok := c.nodes[place]; ok {
		return n
	}
	if own, ok := c.roots[place]; ok {
		r = own
	}
	n := &node{at: place, resource: r}
	c.nodes[place] = n
	switch value := value.(type) {
	case bool:
		if !value {
			n.first = []rule{never}
		}
	case map[string]any:
		c.open = append(c.open, &part{c, n, value})
	}
	if r.dynamic == nil {
		r.dynamic = map[string]*node{}
		r.node = c.place(r.at)
		for _, name := range r.moving {
			r.dynamic[name] = c.place(r.anchors[name])
		}
	}
	return n
}

// place is the node of a place that is known to be one.
func (c *compiler) place(at string) *node {
	n, ok := c.nodes[at]
	if !ok {
		value, _ := find(c.doc, steps(at))
		n = c.at(at, value, c.enclosing(at))
	}
	n.target = true
	return n
}

// compile makes the rules. Their order is that in which faults of a form are weighed: what the value is comes first.
func (p *part) compile() {
	if _, ok := p.schema["$ref"].(string); ok && p.resource.draft < 2019 { // nothing counts beside it
		p.schema = map[string]any{"$ref": p.schema["$ref"]}
	}
	p.dynamic, _ = p.value("$dynamicAnchor").(string)
	p.values()
	p.refers("$ref", func(n *node, _ string) rule { return refRule(n) })
	p.object()
	p.array()
	p.text()
	p.number()
	p.refers("$recursiveRef", func(n *node, _ string) rule { return recursiveRule(n) })
	p.refers("$dynamicRef", dynamicRule)
	p.combinations()
	if n := p.child("unevaluatedProperties"); n != nil {
		p.rules, p.asks = append(p.rules, unseenNamesRule(n)), true
	}
	if n := p.child("unevaluatedItems"); n != nil {
		p.rules, p.asks = append(p.rules, unseenItemsRule(n)), true
	}
}

// value is that of a keyword of the draft; nil where there is none.
func (p *part) value(keyword string) any {
	if p.resource.draft.form(keyword) == anything {
		return nil
	}
	return p.schema[keyword]
}

// refers adds the rule for a reference.
func (p *part) refers(keyword string, by func(n *node, anchor string) rule) {
	ref, ok := p.value(keyword).(string)
	if !ok {
		return
	}
	at, anchor, meta, err := p.follow(ref, p.resource)
	switch {
	case err != nil:
		p.refuse(p.node.at+step(keyword), err.Error())
	case meta != 0:
		if p.metas[meta] == nil {
			p.metas[meta] = formsOf(meta)
		}
		p.rules = append(p.rules, by(p.metas[meta], ""))
	default:
		p.rules = append(p.rules, by(p.place(at), anchor))
	}
}

// refuse notes what is wrong at a place; what is said of it later would be the same in other words.
func (c *compiler) refuse(at, message string) {
	if !slices.ContainsFunc(c.faults, func(f *CompileError) bool { return f.Path == at }) {
		c.faults = append(c.faults, &CompileError{at, message})
	}
}

// values adds the rules for what the value is.
func (p *part) values() {
	switch t := p.value("type").(type) {
	case string:
		p.first = append(p.first, typeRule(typesOf(t)))
	case []any:
		p.first = append(p.first, typeRule(typesOf(t...)))
	}
	if want, ok := p.schema["const"]; ok && p.resource.draft >= 6 {
		p.first = append(p.first, fixedRule([]any{want}, true))
	}
	if want, ok := p.value("enum").([]any); ok {
		p.first = append(p.first, fixedRule(want, false))
	}
	name, _ := p.value("format").(string)
	if name == "regex" {
		p.first = append(p.first, regexRule)
	} else if valid := formatOf(name); valid != nil {
		p.first = append(p.first, formatRule(name, valid))
	}
}

func (p *part) text() {
	p.sizes("character", "minLength", "maxLength", characters)
	if pattern, ok := p.value("pattern").(string); ok {
		if compiled, ok := p.pattern(pattern, step("pattern")); ok {
			p.rules = append(p.rules, patternRule(compiled))
		}
	}
}

func (p *part) sizes(what, least, most string, measure func(any) (int, bool)) {
	l, m := p.count(least), p.count(most)
	if l != nil || m != nil {
		p.rules = append(p.rules, sizeRule(what, measure, l, m))
	}
}

func (p *part) number() {
	limit := func(keyword, words string, fits func(order int) bool) {
		if n, ok := p.value(keyword).(json.Number); ok {
			p.rules = append(p.rules, numberRule(exact(n), words, fits))
		}
	}
	more, less := func(order int) bool { return order > 0 }, func(order int) bool { return order < 0 }
	if p.schema["exclusiveMinimum"] == true {
		limit("minimum", "more than", more)
	} else {
		limit("minimum", "at least", func(order int) bool { return order >= 0 })
		limit("exclusiveMinimum", "more than", more)
	}
	if p.schema["exclusiveMaximum"] == true {
		limit("maximum", "less than", less)
	} else {
		limit("maximum", "at most", func(order int) bool { return order <= 0 })
		limit("exclusiveMaximum", "less than", less)
	}
	if of, ok := p.schema["multipleOf"].(json.Number); ok {
		p.rules = append(p.rules, multipleRule(exact(of)))
	}
}

// count is a keyword that counts; nil where there is none.
func (p *part) count(keyword string) *int {
	n, ok := p.value(keyword).(json.Number)
	if !ok {
		return nil
	}
	limit := math.MaxInt
	if r := exact(n); r.Cmp(new(big.Rat).SetInt64(math.MaxInt)) < 0 {
		limit = int(r.Num().Int64())
	}
	return &limit
}

// under is the node of a schema inside this one.
func (p *part) under(steps string, value any) *node {
	return p.compiler.at(p.node.at+steps, value, p.resource)
}

// child is the node of a keyword; nil where there is none.
func (p *part) child(keyword string) *node {
	value := p.value(keyword)
	if value == nil {
		return nil
	}
	return p.under(step(keyword), value)
}

func (p *part) list(keyword string) []*node {
	values, _ := p.value(keyword).([]any)
	nodes := make([]*node, len(values))
	for i, value := range values {
		nodes[i] = p.under(step(keyword)+"/"+strconv.Itoa(i), value)
	}
	return nodes
}

func (p *part) byName(keyword string) map[string]*node {
	values, _ := p.value(keyword).(map[string]any)
	nodes := make(map[string]*node, len(values))
	for name, value := range values {
		nodes[name] = p.under(step(keyword)+step(name), value)
	}
	return nodes
}
