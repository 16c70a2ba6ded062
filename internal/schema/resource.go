package schema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// location is the address of a schema that gives itself none. The host cannot exist (RFC 2606), so no reference can mean it.
const location = "https://schema.invalid/schema.json"

const (
	noDialect = "must name draft 4, 6, 7, 2019-09 or 2020-12 of JSON Schema"
	refused   = "a schema can refer to itself only"
)

// resource is a schema with an address of its own and what belongs to it: the whole, and each part that has an $id.
type resource struct {
	draft     draft
	at        string // JSON pointer to its root
	base      *url.URL
	anchors   map[string]string // JSON pointers
	moving    []string          // anchors that are dynamic ones
	recursive bool              // $recursiveAnchor

	node    *node            // of its root, once something of it is compiled
	dynamic map[string]*node // what moving leads to
}

// register lists the resources and anchors of a schema and of all schemas in it.
func (c *compiler) register(value any, at string, r *resource) *CompileError {
	schema, ok := value.(map[string]any)
	if c.room -= len(at) * (1 + len(schema)); c.room < 0 {
		return &CompileError{Message: "the names in the schema are too long"}
	}
	if _, isBool := value.(bool); c.known[at] || !ok {
		c.known[at] = c.known[at] || isBool
		return nil
	}
	c.known[at] = true
	d := r.draft.of(schema)
	address, anchor := d.id(schema)
	if address != "" {
		base, err := url.Parse(address)
		if err != nil {
			return &CompileError{at + step(d.idKeyword()), "the $id is no URL"}
		}
		base = join(r.base, base)
		if other, ok := c.addresses[base.String()]; ok && other.at != at {
			return &CompileError{at + step(d.idKeyword()), fmt.Sprintf("the schema at %q has the same $id", "#"+other.at)}
		}
		r = c.add(&resource{draft: d, at: at, base: base})
	}
	r.recursive = r.recursive || r.at == at && schema["$recursiveAnchor"] == true
	if fault := r.anchor(schema, at, anchor); fault != nil {
		return fault
	}
	for _, keyword := range sortedKeys(schema) {
		if fault := c.registerParts(schema[keyword], at+step(keyword), d.form(keyword), r); fault != nil {
			return fault
		}
	}
	return nil
}

func (c *compiler) add(r *resource) *resource {
	r.anchors = map[string]string{}
	c.addresses[r.base.String()], c.roots[r.at] = r, r
	return r
}

// registerParts lists what the value of a keyword holds.
func (c *compiler) registerParts(value any, at string, f form, r *resource) *CompileError {
	switch f {
	case aSchema, schemaOrBoolean:
		return c.register(value, at, r)
	case schemaList, schemaMap, patternMap, schemaOrList, dependencies:
	default:
		return nil
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			if fault := c.register(item, at+"/"+strconv.Itoa(i), r); fault != nil {
				return fault
			}
		}
	case map[string]any:
		if f == schemaOrList {
			return c.register(value, at, r)
		}
		for _, name := range sortedKeys(value) {
			if fault := c.register(value[name], at+step(name), r); fault != nil {
				return fault
			}
		}
	}
	return nil
}

// anchor lists the names that a schema gives itself inside its resource.
func (r *resource) anchor(schema map[string]any, at, old string) *CompileError {
	names := map[string]string{}
	if r.draft < 2019 {
		if name, err := url.PathUnescape(old); err == nil && !strings.HasPrefix(name, "/") {
			names[r.draft.idKeyword()] = name
		}
	} else {
		names["$anchor"], _ = schema["$anchor"].(string)
	}
	if moving, _ := schema["$dynamicAnchor"].(string); moving != "" && r.draft >= 2020 {
		names["$dynamicAnchor"] = moving
		r.moving = append(r.moving, moving)
	}
	for keyword, name := range names {
		if other, ok := r.anchors[name]; ok && other != at {
			return &CompileError{at + step(keyword), fmt.Sprintf("the schema at %q has the same name", "#"+other)}
		}
		if name != "" {
			r.anchors[name] = at
		}
	}
	return nil
}

// enclosing is the resource that a place belongs to.
func (c *compiler) enclosing(at string) *resource {
	for {
		if r, ok := c.roots[at]; ok {
			return r
		}
		at = at[:strings.LastIndexByte(at, '/')]
	}
}

// follow finds what a reference in resource r leads to: a place in the schema, or a draft whose meta-schema is meant. The
// anchor is set where it goes by a name. The error is in words.
func (c *compiler) follow(ref string, r *resource) (at, anchor string, meta draft, err error) {
	address, fragment, _ := strings.Cut(ref, "#")
	u, err := url.Parse(address)
	if err == nil {
		fragment, err = url.PathUnescape(fragment)
	}
	if err != nil {
		return "", "", 0, fmt.Errorf("%s is no URL", display(ref))
	}
	target := join(r.base, u).String()
	to, ok := c.addresses[target]
	if d, isMeta := draftOf(target); !ok && isMeta && fragment == "" {
		return "", "", d, nil
	}
	if !ok {
		return "", "", 0, fmt.Errorf("%q cannot be used: %s", target, refused)
	}
	nothing := fmt.Errorf("the reference leads to nothing: %q", ref)
	if fragment != "" && fragment[0] != '/' {
		if at, ok = to.anchors[fragment]; !ok {
			return "", "", 0, nothing
		}
		return at, fragment, 0, nil
	}
	at = to.at + fragment
	if value, ok := find(c.doc, steps(at)); !ok {
		return "", "", 0, nothing
	} else if c.known[at] {
		return at, "", 0, nil
	} else if fault := c.admit(value, at, c.enclosing(at)); fault != nil {
		return "", "", 0, fault
	}
	return at, "", 0, nil
}

// admit takes in a schema that stands where none is looked for.
func (c *compiler) admit(value any, at string, r *resource) *CompileError {
	if found := check(formsOf(r.draft), value); len(found) > 0 {
		return &CompileError{at + pointer(found[0].Path), found[0].Message}
	}
	return c.register(value, at, r)
}

// join resolves an address. Those without slashes, such as URNs, have no parts to resolve.
func join(base, ref *url.URL) *url.URL {
	if !ref.IsAbs() && base.Opaque != "" {
		joined := *base
		return &joined
	}
	return base.ResolveReference(ref)
}
