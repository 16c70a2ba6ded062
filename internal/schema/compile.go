package schema

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// newCompileError puts the library's error at its node, in words that name the fault.
func newCompileError(err error, doc any) *CompileError {
	var (
		invalid  *jsonschema.SchemaValidationError
		mismatch *jsonschema.ValidationError
		pattern  *jsonschema.InvalidRegexError
		load     *jsonschema.LoadURLError
		dialect  *jsonschema.InvalidMetaSchemaURLError
		draft    *jsonschema.UnsupportedDraftError
		node     *jsonschema.JSONPointerNotFoundError
		anchor   *jsonschema.AnchorNotFoundError
		id       *jsonschema.ParseIDError
	)
	switch {
	case errors.As(err, &invalid) && errors.As(invalid.Err, &mismatch):
		at := fragment(invalid.URL)
		if fs := faults(mismatch, lookup(doc, at), nil); len(fs) > 0 {
			return &CompileError{pointer(append(at, fs[0].Path...)), fs[0].Message}
		}
	case errors.As(err, &pattern):
		return &CompileError{pointer(fragment(pattern.URL)),
			patternMessage(display(pattern.Regex), pattern.Err)}
	case errors.As(err, &dialect), errors.As(err, &draft), errors.As(err, &load) && load.URL == lookup(doc, []string{"$schema"}):
		return &CompileError{"/$schema", "no such JSON Schema dialect"}
	case errors.As(err, &load):
		return &CompileError{pointer(findRef(doc, load.URL)), fmt.Sprintf("%q cannot be used: %v", load.URL, errRefused)}
	case errors.As(err, &node):
		return &CompileError{pointer(findRef(doc, "#"+fragmentText(node.URL))),
			fmt.Sprintf("the reference leads to nothing: %q", "#"+fragmentText(node.URL))}
	case errors.As(err, &anchor):
		return &CompileError{pointer(findRef(doc, anchor.Reference)),
			fmt.Sprintf("the reference leads to nothing: %q", anchor.Reference)}
	case errors.As(err, &id):
		return &CompileError{pointer(fragment(id.URL)), "the $id is no URL"}
	}
	return &CompileError{Message: strings.ReplaceAll(err.Error(), location, "")}
}

// fragment is the path that a location of the library ends with.
func fragment(location string) []string {
	text := fragmentText(location)
	if text == "" || text == "/" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(text, "/"), "/")
	for i, t := range tokens {
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
	}
	return tokens
}

func fragmentText(location string) string {
	_, text, _ := strings.Cut(location, "#")
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// pointer writes a path as an RFC 6901 JSON pointer.
func pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}

// findRef finds the first $ref that names a target; the library's error does not say where it stood. The target may be
// the reference as written or what it resolves to.
func findRef(doc any, target string) []string {
	var found []string
	var walk func(v any, at []string) bool
	walk = func(v any, at []string) bool {
		switch v := v.(type) {
		case []any:
			for i, item := range v {
				if walk(item, append(at, fmt.Sprint(i))) {
					return true
				}
			}
		case map[string]any:
			for _, name := range sortedKeys(v) {
				if ref, ok := v[name].(string); ok && strings.HasSuffix(strings.ToLower(name), "ref") && refersTo(ref, target) {
					found = slices.Clone(append(at, name))
					return true
				}
				if walk(v[name], append(at, name)) {
					return true
				}
			}
		}
		return false
	}
	walk(doc, nil)
	return found
}

func refersTo(ref, target string) bool {
	if ref == target {
		return true
	}
	if plain, err := url.PathUnescape(ref); err == nil && plain == target {
		return true
	}
	base, _ := url.Parse(location)
	u, err := url.Parse(ref)
	if err != nil || base == nil {
		return false
	}
	u.Fragment = ""
	return u.String() != "" && base.ResolveReference(u).String() == target
}
