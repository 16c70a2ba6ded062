package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// message says what a finding means to whoever wrote the value.
func (r *report) message(f finding) string {
	switch k := f.kind.(type) {
	case *kind.Type:
		return fmt.Sprintf("must be %s, not %s", orTypes(k.Want), r.given(f.path, k.Got))
	case *kind.Enum:
		return enumMessage(k.Want, k.Got)
	case *kind.Const:
		return fmt.Sprintf("must be %s, not %s", display(k.Want), display(k.Got))
	case *kind.Format:
		if k.Want == "regex" {
			return patternMessage(display(k.Got), k.Err)
		}
		return fmt.Sprintf("must be a valid %s, and %s is not", k.Want, display(k.Got))
	case *kind.Pattern:
		return fmt.Sprintf("must match the pattern %s, and %s does not", k.Want, display(k.Got))
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s, has %d", count(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s, has %d", count(k.Want, "character"), k.Got)
	case *kind.Minimum:
		return fmt.Sprintf("must be at least %s, not %s", number(k.Want), number(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("must be at most %s, not %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("must be more than %s, not %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %s, not %s", number(k.Want), number(k.Got))
	case *kind.MultipleOf:
		return fmt.Sprintf("must be a multiple of %s, not %s", number(k.Want), number(k.Got))
	default:
		return collectionMessage(f)
	}
}

// collectionMessage is message for objects and lists, and for how schemas are put together.
func collectionMessage(f finding) string {
	switch k := f.kind.(type) {
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, has %d", count(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, has %d", count(k.Want, "item"), k.Got)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %s too many", count(k.Count, "item"))
	case *kind.UniqueItems:
		return fmt.Sprintf("equals item %d, and no two may be equal", k.Duplicates[0])
	case *kind.Contains:
		return "has no item of the form that one must have"
	case *kind.MinContains:
		return fmt.Sprintf("must have at least %s of the required form, has %d", count(k.Want, "item"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("must have at most %s of the limited form, has %d", count(k.Want, "item"), len(k.Got))
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, has %d", properties(k.Want), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, has %d", properties(k.Want), k.Got)
	case *kind.Dependency:
		return needs(k.Prop, k.Missing)
	case *kind.DependentRequired:
		return needs(k.Prop, k.Missing)
	case *kind.OneOf:
		return fmt.Sprintf("fits allowed forms %d and %d, and must fit exactly one", k.Subschemas[0]+1, k.Subschemas[1]+1)
	case *kind.Not, *kind.FalseSchema:
		return "has a form that is not allowed"
	default:
		return f.kind.LocalizedString(message.NewPrinter(language.English))
	}
}

func needs(given string, missing []string) string {
	names := make([]string, len(missing))
	for i, m := range missing {
		names[i] = display(m)
	}
	return fmt.Sprintf("with property %s also %s must be given", display(given), strings.Join(names, ", "))
}

// patternMessage gives the reason alone: the library repeats the pattern in it.
func patternMessage(pattern string, err error) string {
	reason := err.Error()
	if _, after, ok := strings.Cut(reason, "error parsing regexp: "); ok {
		reason = after
	}
	return fmt.Sprintf("the pattern %s is not RE2: %s", pattern, reason)
}

// enumValues is how many allowed values a message lists.
const enumValues = 20

func enumMessage(want []any, got any) string {
	if len(want) == 0 {
		return "no value is allowed"
	}
	shown := make([]string, 0, enumValues)
	var names []string
	for i, w := range want {
		if i < enumValues {
			shown = append(shown, display(w))
		}
		if s, ok := w.(string); ok {
			names = append(names, s)
		}
	}
	list := strings.Join(shown, ", ")
	if more := len(want) - enumValues; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	if len(want) > 1 {
		list = "one of " + list
	}
	text := fmt.Sprintf("must be %s, not %s", list, display(got))
	if s, ok := got.(string); ok {
		if near, ok := diag.Closest(s, names); ok {
			text += fmt.Sprintf("; did you mean %s?", display(near))
		}
	}
	return text
}

// unknownProperty names what was probably meant, else what there is.
func (r *report) unknownProperty(schema, name string) string {
	text := "unknown property " + display(name)
	node, _ := lookup(r.doc, fragment(schema)).(map[string]any)
	object, _ := node["properties"].(map[string]any)
	known := sortedKeys(object)
	if near, ok := diag.Closest(name, known); ok {
		return text + fmt.Sprintf("; did you mean %s?", display(near))
	}
	if len(known) == 0 {
		return text
	}
	shown := make([]string, 0, enumValues)
	for _, k := range known[:min(len(known), enumValues)] {
		shown = append(shown, display(k))
	}
	if more := len(known) - enumValues; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return text + "; known: " + strings.Join(shown, ", ")
}

// given describes a value of the wrong type: a short scalar with what it is.
func (r *report) given(path []string, kindOf string) string {
	switch v := lookup(r.instance, path).(type) {
	case string, json.Number, bool:
		return fmt.Sprintf("the %s %s", kindOf, display(v))
	default:
		return article(kindOf)
	}
}

func orTypes(types []string) string {
	named := make([]string, len(types))
	for i, t := range types {
		named[i] = article(t)
	}
	return strings.Join(named, " or ")
}

func article(t string) string {
	switch t {
	case "null":
		return t
	case "array", "object", "integer":
		return "an " + t
	default:
		return "a " + t
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func properties(n int) string {
	if n == 1 {
		return "1 property"
	}
	return fmt.Sprintf("%d properties", n)
}

// displayBytes bounds how much of a value a message repeats.
const displayBytes = 80

// display is a value as JSON, cut when long.
func display(v any) string {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(v))
	}
	return shorten(string(text))
}

func shorten(text string) string {
	if len(text) <= displayBytes {
		return text
	}
	cut := displayBytes
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// number writes a fraction as people do.
func number(r *big.Rat) string {
	if r.IsInt() {
		return shorten(r.Num().String())
	}
	return shorten(strings.TrimRight(r.FloatString(20), "0"))
}
