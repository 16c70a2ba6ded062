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

// listed is how many values a message names.
const listed = 20

// list names values, and says how many more there are.
func list[T any](values []T) string {
	shown := make([]string, 0, listed)
	for _, v := range values[:min(len(values), listed)] {
		shown = append(shown, display(v))
	}
	text := strings.Join(shown, ", ")
	if more := len(values) - listed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func needs(given string, missing []string) string {
	return fmt.Sprintf("with property %s also %s must be given", display(given), list(missing))
}

func enumMessage(want []any, got any) string {
	if len(want) == 0 {
		return "no value is allowed"
	}
	allowed := list(want)
	if len(want) > 1 {
		allowed = "one of " + allowed
	}
	text := fmt.Sprintf("must be %s, not %s", allowed, display(got))
	if s, ok := got.(string); ok {
		if near, ok := diag.Closest(s, texts(want)); ok {
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
	return text + "; known: " + list(known)
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

// How much of a value and of a pattern a message repeats.
const (
	displayBytes = 80
	patternBytes = 300
)

// display is a value as JSON, cut when long.
func display(v any) string {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(v))
	}
	return cut(string(text), displayBytes)
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// decimal writes a fraction as people do.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return cut(r.Num().String(), displayBytes)
	}
	return cut(strings.TrimRight(r.FloatString(20), "0"), displayBytes)
}
