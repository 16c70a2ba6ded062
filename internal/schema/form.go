package schema

import (
	"math/big"
	"strings"
)

// formsOf makes the node that a schema of a draft must fit: what a meta-schema says, held against schemas by the same rules
// as they are held against values.
func formsOf(d draft) *node {
	self := &node{at: "(a schema)"}
	f := keywordForms(d, self)
	self.first = []rule{typeRule(boolean | object)}
	self.rules = []rule{func(v *visit) { holdForms(v, d, f) }}
	if d == 4 {
		self.first[0] = typeRule(object)
		self.rules = append(self.rules, needsRule("exclusiveMaximum", []string{"maximum"}), needsRule("exclusiveMinimum", []string{"minimum"}))
	}
	return self
}

// holdForms checks each keyword of a schema that is an object. One that names itself may be of another draft.
func holdForms(v *visit, d draft, forms map[form]*node) {
	schema, ok := v.value.(map[string]any)
	if !ok {
		return
	}
	if own := d.of(schema); own != d {
		v.spend(len(forms))
		v.adopt(v.same(formsOf(own), false))
		return
	}
	for keyword, value := range schema {
		if n := forms[d.form(keyword)]; n != nil && !v.over() {
			v.adopt(v.part(n, value, v.named(keyword)))
		}
	}
}

// keywordForms are the nodes for the forms of a draft, whose schemas must fit self.
func keywordForms(d draft, self *node) map[form]*node {
	only := func(t types, rules ...rule) *node { return &node{first: []rule{typeRule(t)}, rules: rules} }
	either := func(nodes ...*node) *node { return &node{rules: []rule{anyRule(nodes)}} }
	each := func(n *node) rule { return (&members{rest: n}).rule }
	list := func(n *node, least int, rules ...rule) *node {
		return only(array, append(rules, itemsRule(nil, n, false), sizeRule("item", items, &least, nil))...)
	}
	some := 0
	if d == 4 {
		some = 1
	}
	plain := only(text)
	names := list(plain, some, uniqueRule)
	schemas := list(self, 1)
	typeName := &node{first: []rule{fixedRule([]any{"array", "boolean", "integer", "null", "number", "object", "string"}, false)}}
	return map[form]*node{
		aSchema:         self,
		schemaList:      schemas,
		schemaMap:       only(object, each(self)),
		patternMap:      only(object, each(self), patternNamesRule),
		schemaOrList:    either(self, schemas),
		schemaOrBoolean: either(only(boolean), self),
		dependencies:    only(object, each(either(self, names))),
		aText:           plain,
		aBoolean:        only(boolean),
		aNumber:         only(numeric),
		aCount:          only(integer, numberRule(new(big.Rat), "at least", func(order int) bool { return order >= 0 })),
		aDivisor:        only(numeric, numberRule(new(big.Rat), "more than", func(order int) bool { return order > 0 })),
		aList:           only(array),
		aPattern:        only(text, regexRule),
		aReference:      only(text, formatRule("uri-reference", isReference)),
		aDialect:        only(text, textRule(isDialect, func(string) string { return noDialect })),
		anID:            only(text, formatRule("uri-reference", isReference), textRule(isPlainID, mustMatch("^[^#]*#?$"))),
		anAnchor:        only(text, anchorRule(d)),
		typeNames:       either(typeName, list(typeName, 1, uniqueRule)),
		enumeration:     only(array, uniqueRule, sizeRule("item", items, new(1), nil)),
		uniqueNames:     names,
		nameLists:       only(object, each(names)),
		vocabularies:    only(object, each(only(boolean)), namesRule(only(text, formatRule("uri", isURI)))),
	}
}

func isDialect(url string) bool {
	_, ok := draftOf(url)
	return ok
}

// patternNamesRule tells names that are no patterns.
func patternNamesRule(v *visit) {
	schemas, _ := v.value.(map[string]any)
	for name := range schemas {
		if err := isPattern(name); err != nil {
			v.add(finding{at: v.named(name), key: true, say: func() string { return patternMessage(name, err) }})
		}
	}
}

// isPlainID allows an empty fragment at most.
func isPlainID(id string) bool {
	_, fragment, _ := strings.Cut(id, "#")
	return fragment == ""
}

// anchorRule says which names an anchor may have.
func anchorRule(d draft) rule {
	pattern, first, more := "^[A-Za-z_][-A-Za-z0-9._]*$", "_", "-._"
	if d == 2019 {
		pattern, first, more = "^[A-Za-z][-A-Za-z0-9.:_]*$", "", "-.:_"
	}
	return textRule(func(s string) bool {
		for i, r := range s {
			letter := r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
			if i == 0 && !letter && !strings.ContainsRune(first, r) {
				return false
			}
			if !letter && (r < '0' || r > '9') && !strings.ContainsRune(more, r) {
				return false
			}
		}
		return s != ""
	}, mustMatch(pattern))
}
