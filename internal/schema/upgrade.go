package schema

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Upgrade says in draft 2020-12 what a schema says that names an older one: endpoints of models take no other. Any other schema
// comes back as it is. The error is that of Compile.
func Upgrade(raw json.RawMessage) (json.RawMessage, error) {
	var head map[string]any
	if json.Unmarshal(raw, &head) != nil || head["$schema"] == nil {
		return raw, nil
	}
	name, _ := head["$schema"].(string)
	d, known := draftOf(name)
	if known && d == latest {
		return raw, nil
	}
	if _, err := Compile(raw); err != nil { // which bounds what follows, too
		return nil, err
	}
	doc, err := decode(raw)
	if err != nil {
		return nil, err
	}
	whole := doc.(map[string]any)
	u := &upgrade{moved: map[string]string{}}
	u.schema(whole, d, spot{})
	u.follow()
	return json.Marshal(whole)
}

// upgrade is a schema on its way to the latest draft. Places are JSON pointers.
type upgrade struct {
	moved map[string]string // where schemas were → where they are
	refs  []reference
}

// reference is a schema that refers to a place of its resource.
type reference struct {
	schema map[string]any
	from   spot
}

// spot is a place, and the resource that it belongs to.
type spot struct{ was, is, rootWas, rootIs string }

// schema rewrites a schema of draft d, and all schemas in it.
func (u *upgrade) schema(value any, d draft, at spot) {
	u.moved[at.was] = at.is
	schema, ok := value.(map[string]any)
	if !ok {
		return
	}
	d = d.of(schema)
	if address, _ := d.id(schema); address != "" {
		at.rootWas, at.rootIs = at.was, at.is
	}
	delete(schema, "$schema")
	d.leaveOut(schema)
	d.rename(schema)
	was := d.tuples(schema)
	if ref, ok := schema["$ref"].(string); ok && strings.HasPrefix(ref, "#/") {
		u.refs = append(u.refs, reference{schema, at})
	}
	for keyword, value := range schema {
		old, ok := was[keyword]
		if !ok {
			old = keyword
		}
		u.parts(value, latest.form(keyword), d, spot{at.was + step(old), at.is + step(keyword), at.rootWas, at.rootIs})
	}
}

// parts rewrites what the value of a keyword holds.
func (u *upgrade) parts(value any, f form, d draft, at spot) {
	below := func(name string, value any) {
		u.schema(value, d, spot{at.was + step(name), at.is + step(name), at.rootWas, at.rootIs})
	}
	switch f {
	case aSchema:
		u.schema(value, d, at)
	case schemaList, schemaMap, patternMap, dependencies:
		switch value := value.(type) {
		case []any:
			for i, item := range value {
				below(strconv.Itoa(i), item)
			}
		case map[string]any:
			for name, item := range value {
				below(name, item)
			}
		}
	}
}

// follow has references lead to where their schemas are.
func (u *upgrade) follow() {
	for _, r := range u.refs {
		pointer := strings.TrimPrefix(r.schema["$ref"].(string), "#")
		if is, ok := u.moved[r.from.rootWas+pointer]; ok {
			r.schema["$ref"] = "#" + strings.TrimPrefix(is, r.from.rootIs)
		}
	}
}

// leaveOut drops what does not count in draft d and would in the latest: keywords that came later, and those beside a $ref.
// Schemas that are only stored count where a reference leads to them.
func (d draft) leaveOut(schema map[string]any) {
	_, refers := schema["$ref"].(string)
	for keyword := range schema {
		switch keyword {
		case "$ref", "$defs", "definitions", "title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly":
			continue
		}
		late := d.form(keyword) == anything && latest.form(keyword) != anything || keyword == "const" && d < 6
		if late || refers && d < 2019 && keyword != "default" {
			delete(schema, keyword)
		}
	}
}

// rename gives keywords the names and the forms of the latest draft.
func (d draft) rename(schema map[string]any) {
	if address, anchor := d.id(schema); d < 2019 && address+anchor != "" {
		delete(schema, d.idKeyword())
		if address != "" {
			schema["$id"] = address
		}
		if anchor != "" {
			schema["$anchor"] = anchor
		}
	}
	for limit, exclusive := range map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"} {
		switch schema[exclusive] {
		case true:
			schema[exclusive] = schema[limit]
			delete(schema, limit)
		case false:
			delete(schema, exclusive)
		}
	}
}

// tuples writes a list of items as prefixItems, and what comes after them as items; it gives the old names of the new keywords.
func (d draft) tuples(schema map[string]any) (was map[string]string) {
	if d >= 2020 {
		return nil
	}
	rest, closed := schema["additionalItems"]
	delete(schema, "additionalItems")
	list, ok := schema["items"].([]any)
	if !ok {
		return nil
	}
	delete(schema, "items")
	schema["prefixItems"] = list
	if closed {
		schema["items"] = rest
	}
	return map[string]string{"prefixItems": "items", "items": "additionalItems"}
}
