package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/jsontext"
)

func needs(given string, missing []string) string {
	names := make([]string, len(missing))
	for i, m := range missing {
		names[i] = display(m)
	}
	return fmt.Sprintf("with property %s also %s must be given", display(given), strings.Join(names, ", "))
}

// patternMessage gives the reason alone: the library repeats the pattern in it.
func patternMessage(pattern string, err error) string {
	reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	return fmt.Sprintf("the pattern %s is not RE2: %s", display(pattern), reason)
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
func unknownProperty(name string, known []string) string {
	text := "unknown property " + display(name)
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
func given(v any) string {
	kind := typeOf(v).names()[0]
	switch v.(type) {
	case string, json.Number, bool:
		return fmt.Sprintf("the %s %s", kind, display(v))
	default:
		return article(kind)
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
	switch {
	case n == 1:
		return "1 " + what
	case what == "property":
		return fmt.Sprintf("%d properties", n)
	default:
		return fmt.Sprintf("%d %ss", n, what)
	}
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

// decimal writes a fraction as people do.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return shorten(r.Num().String())
	}
	return shorten(strings.TrimRight(r.FloatString(20), "0"))
}
