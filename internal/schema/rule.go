package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"unicode/utf8"
)

func typeRule(want types) rule {
	return func(v *visit) {
		if !want.allow(v.value) {
			v.add(finding{at: v.at, types: want, say: func() string {
				return fmt.Sprintf("must be %s, not %s", orTypes(want.names()), given(v.value))
			}})
		}
	}
}

// fixedRule is const, where exact is set, and enum.
func fixedRule(want []any, isConst bool) rule {
	return func(v *visit) {
		for _, w := range want {
			v.spend(size(w))
			if equal(v.value, w) {
				return
			}
		}
		if !v.quiet {
			v.spend(size(v.value)) // it is shown
		}
		v.add(finding{at: v.at, fixed: want, say: func() string {
			if isConst {
				return fmt.Sprintf("must be %s, not %s", display(want[0]), display(v.value))
			}
			return enumMessage(want, v.value)
		}})
	}
}

func never(v *visit) {
	if v.at == nil || !v.at.member {
		v.fault(func() string { return "has a form that is not allowed" })
		return
	}
	v.add(finding{at: v.at, key: true, say: func() string { return "property " + display(v.at.name) + " is not allowed here" }})
}

func formatRule(name string, valid func(string) bool) rule {
	return textRule(valid, func(s string) string { return fmt.Sprintf("must be a valid %s, and %s is not", name, display(s)) })
}

func textRule(valid func(string) bool, words func(string) string) rule {
	return func(v *visit) {
		s, ok := v.value.(string)
		if !ok {
			return
		}
		v.spend(len(s) / 8)
		if !valid(s) {
			v.fault(func() string { return words(s) })
		}
	}
}

// sizeRule bounds how many characters, items or properties there are; least and most may be nil.
func sizeRule(what string, measure func(any) (int, bool), least, most *int) rule {
	return func(v *visit) {
		if s, ok := v.value.(string); ok {
			v.spend(len(s) / 8)
		}
		n, ok := measure(v.value)
		if ok && least != nil && n < *least {
			v.fault(func() string { return fmt.Sprintf("must have at least %s, has %d", count(*least, what), n) })
		}
		if ok && most != nil && n > *most {
			v.fault(func() string { return fmt.Sprintf("must have at most %s, has %d", count(*most, what), n) })
		}
	}
}

func characters(v any) (int, bool) {
	s, ok := v.(string)
	return utf8.RuneCountInString(s), ok
}

func items(v any) (int, bool) {
	a, ok := v.([]any)
	return len(a), ok
}

func properties(v any) (int, bool) {
	o, ok := v.(map[string]any)
	return len(o), ok
}

// numberRule compares with a limit: words such as "at least", and which outcomes of Cmp fit.
func numberRule(limit *big.Rat, words string, fits func(order int) bool) rule {
	return func(v *visit) {
		n, ok := v.value.(json.Number)
		v.spend(size(v.value))
		if ok && !fits(exact(n).Cmp(limit)) {
			v.fault(func() string {
				return fmt.Sprintf("must be %s %s, not %s", words, decimal(limit), decimal(exact(n)))
			})
		}
	}
}

func multipleRule(of *big.Rat) rule {
	return func(v *visit) {
		n, ok := v.value.(json.Number)
		v.spend(size(v.value))
		if ok && !new(big.Rat).Quo(exact(n), of).IsInt() {
			v.fault(func() string {
				return fmt.Sprintf("must be a multiple of %s, not %s", decimal(of), decimal(exact(n)))
			})
		}
	}
}
