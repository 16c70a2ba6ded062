package schema

import "strings"

// draft is an edition of JSON Schema, by its number or year.
type draft int

const latest draft = 2020

// draftOf tells which edition an URL of $schema means.
func draftOf(url string) (draft, bool) {
	name, ok := strings.CutPrefix(strings.TrimSuffix(url, "#"), "http://json-schema.org/")
	if !ok {
		name, ok = strings.CutPrefix(strings.TrimSuffix(url, "#"), "https://json-schema.org/")
	}
	if !ok {
		return 0, false
	}
	switch name {
	case "draft-04/schema":
		return 4, true
	case "draft-06/schema":
		return 6, true
	case "draft-07/schema":
		return 7, true
	case "draft/2019-09/schema":
		return 2019, true
	case "draft/2020-12/schema", "schema":
		return 2020, true
	default:
		return 0, false
	}
}

// idKeyword is what a schema names itself with.
func (d draft) idKeyword() string {
	if d == 4 {
		return "id"
	}
	return "$id"
}

// id is the address that a schema gives itself, and the anchor that old drafts write behind it. In those nothing counts
// beside a $ref.
func (d draft) id(schema map[string]any) (address, anchor string) {
	if _, ok := schema["$ref"]; ok && d < 2019 {
		return "", ""
	}
	id, _ := schema[d.idKeyword()].(string)
	address, anchor, _ = strings.Cut(id, "#")
	return address, anchor
}

// of is the draft of a schema inside one of draft d: its own where it has an address of its own.
func (d draft) of(schema map[string]any) draft {
	name, _ := schema["$schema"].(string)
	if own, ok := draftOf(name); ok {
		if address, _ := own.id(schema); address != "" {
			return own
		}
	}
	return d
}

// form is what the value of a keyword must look like.
type form int

const (
	anything form = iota
	aSchema
	schemaList      // at least one
	schemaMap       // by name
	patternMap      // by pattern
	schemaOrList    // items of old drafts
	schemaOrBoolean // draft 4, which has no true and false
	dependencies    // by name: a schema, or names
	aText
	aBoolean
	aNumber
	aCount
	aDivisor // a number above 0
	aList
	aPattern
	aReference
	aDialect
	anID
	anAnchor
	typeNames
	enumeration
	uniqueNames
	nameLists // by name
	vocabularies
)

// form is that of a keyword in a draft; anything for what is no keyword of it.
func (d draft) form(keyword string) form {
	since := func(first draft, f form) form {
		if d < first {
			return anything
		}
		return f
	}
	switch keyword {
	case "allOf", "anyOf", "oneOf":
		return schemaList
	case "not":
		return aSchema
	case "properties", "definitions":
		return schemaMap
	case "patternProperties":
		return patternMap
	case "additionalProperties":
		if d == 4 {
			return schemaOrBoolean
		}
		return aSchema
	case "additionalItems":
		switch {
		case d == 4:
			return schemaOrBoolean
		case d < 2020:
			return aSchema
		}
		return anything
	case "items":
		if d < 2020 {
			return schemaOrList
		}
		return aSchema
	case "dependencies":
		return dependencies
	case "contains", "propertyNames":
		return since(6, aSchema)
	case "if", "then", "else":
		return since(7, aSchema)
	case "$defs", "dependentSchemas":
		return since(2019, schemaMap)
	case "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return since(2019, aSchema)
	case "prefixItems":
		return since(2020, schemaList)
	default:
		return d.plainForm(keyword, since)
	}
}

// plainForm is form for keywords that hold no schemas.
func (d draft) plainForm(keyword string, since func(draft, form) form) form {
	switch keyword {
	case "title", "description", "format":
		return aText
	case "$comment", "contentMediaType", "contentEncoding":
		return since(7, aText)
	case "type":
		return typeNames
	case "enum":
		if d < 2019 {
			return enumeration
		}
		return aList
	case "examples":
		return since(7, aList)
	case "minimum", "maximum":
		return aNumber
	case "exclusiveMinimum", "exclusiveMaximum":
		if d == 4 {
			return aBoolean
		}
		return aNumber
	case "multipleOf":
		return aDivisor
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return aCount
	case "minContains", "maxContains":
		return since(2019, aCount)
	case "uniqueItems":
		return aBoolean
	case "readOnly", "writeOnly":
		return since(7, aBoolean)
	case "deprecated":
		return since(2019, aBoolean)
	case "pattern":
		return aPattern
	case "required":
		return uniqueNames
	case "dependentRequired":
		return since(2019, nameLists)
	default:
		return d.coreForm(keyword, since)
	}
}

// coreForm is form for keywords that name schemas and lead to them.
func (d draft) coreForm(keyword string, since func(draft, form) form) form {
	switch keyword {
	case "$schema":
		return aDialect
	case "id":
		if d == 4 {
			return aText
		}
		return anything
	case "$id":
		if d < 2019 {
			return since(6, aReference)
		}
		return anID
	case "$ref":
		if d == 4 {
			return aText
		}
		return aReference
	case "$recursiveRef":
		return since(2019, aReference)
	case "$dynamicRef":
		return since(2020, aReference)
	case "$recursiveAnchor":
		if d == 2019 {
			return aBoolean
		}
		return since(2020, anAnchor)
	case "$anchor":
		return since(2019, anAnchor)
	case "$dynamicAnchor":
		return since(2020, anAnchor)
	case "$vocabulary":
		return since(2019, vocabularies)
	default:
		return anything
	}
}
