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
func (c *compiler) register(value any, at string, r *resource) {
	schema, ok := value.(map[string]any)
	if c.room -= len(at) * (1 + len(schema)); c.room < 0 {
		c.refuse("", "the names in the schema are too long")
		return
	}
	if _, isBool := value.(bool); c.known[at] || !ok {
		c.known[at] = c.known[at] || isBool
		return
	}
	c.known[at] = true
	d := r.draft.of(schema)
	address, anchor := d.id(schema)
	if address != "" {
		r = c.addressed(r, &resource{draft: d, at: at}, address)
	}
	r.recursive = r.recursive || r.at == at && schema["$recursiveAnchor"] == true
	c.anchor(r, schema, at, anchor)
	for _, keyword := range sortedKeys(schema) {
		c.registerParts(schema[keyword], at+step(keyword), d.form(keyword), r)
	}
}

// addressed is own, a resource inside r, once it has its address; r itself where it cannot have that.
func (c *compiler) addressed(r, own *resource, address string) *resource {
	at := own.at + step(own.draft.idKeyword())
	base, err := url.Parse(address)
	if err != nil {
		c.refuse(at, "the $id is no URL")
		return r
	}
	own.base = join(r.base, base)
	if other, ok := c.addresses[own.base.String()]; ok && other.at != own.at {
		c.refuse(at, fmt.Sprintf("the schema at %q has the same $id", "#"+other.at))
		return r
	}
	return c.add(own)
}

func (c *compiler) add(r *resource) *resource {
	r.anchors = map[string]string{}
	c.addresses[r.base.String()], c.roots[r.at] = r, r
	return r
}

// registerParts lists what the value of a keyword holds.
func (c *compiler) registerParts(value any, at string, f form, r *resource) {
	switch f {
	case aSchema, schemaOrBoolean:
		c.register(value, at, r)
		return
	case schemaList, schemaMap, patternMap, schemaOrList, dependencies:
	default:
		return
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			c.register(item, at+"/"+strconv.Itoa(i), r)
		}
	case map[string]any:
		if f == schemaOrList {
			c.register(value, at, r)
			return
		}
		for _, name := range sortedKeys(value) {
			c.register(value[name], at+step(name), r)
		}
	}
}

// anchor lists the names that a schema gives itself inside its resource.
func (c *compiler) anchor(r *resource, schema map[string]any, at, old string) {
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
			c.refuse(at+step(keyword), fmt.Sprintf("the schema at %q has the same name", "#"+other))
		} else if name != "" {
			r.anchors[name] = at
		}
	}
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
	} else if !c.known[at] {
		c.admit(value, at, c.enclosing(at))
	}
	return at, "", 0, nil
}

// admit takes in a schema that stands where none is looked for.
func (c *compiler) admit(value any, at string, r *resource) {
	for _, f := range check(formsOf(r.draft), value) {
		c.refuse(at+pointer(f.Path), f.Message)
	}
	c.register(value, at, r)
}

// join resolves an address. Those without slashes, such as URNs, have no parts to resolve.
func join(base, ref *url.URL) *url.URL {
	if !ref.IsAbs() && base.Opaque != "" {
		joined := *base
		return &joined
	}
	return base.ResolveReference(ref)
}
