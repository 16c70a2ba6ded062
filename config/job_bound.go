package config

import (
	"math"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

var boundForm = lazy.MustCompile(`^(>=|<=|>|<|==?)?\s*([^\s.<>=]\S*?|\.\d\S*?)(?:\s*\.\.\s*(\S+))?$`)

// bound is an interval of numbers that number reads.
func bound(words string, number func(string) (float64, bool)) shape[Bound] {
	return shape[Bound]{
		words: words,
		schema: func() schema {
			return schema{"anyOf": []schema{{"type": "number"}, {"type": "string", "pattern": `^(>=|<=|>|<|==?)?\s*[^\s<>=]+(\s*\.\.\s*\S+)?$`}}}
		},
		read: func(d *decoder, n *yaml.Node) (Bound, bool) {
			s, _ := scalar(n)
			b, ok := parseBound(strings.TrimSpace(s), number)
			if !ok {
				d.wrong(n, words)
			}
			return b, ok
		},
	}
}

func parseBound(s string, number func(string) (float64, bool)) (Bound, bool) {
	m := boundForm.Get().FindStringSubmatch(s)
	if m == nil || m[1] != "" && m[3] != "" {
		return Bound{}, false
	}
	v, ok := number(m[2])
	b := Bound{Low: math.Inf(-1), High: math.Inf(1), Text: s}
	switch m[1] {
	case ">=", ">":
		b.Low, b.LowOpen = v, m[1] == ">"
	case "<=", "<":
		b.High, b.HighOpen = v, m[1] == "<"
	default:
		b.Low, b.High = v, v
	}
	if m[3] != "" {
		high, fine := number(m[3])
		b.High, ok = high, ok && fine && high >= v
	}
	return b, ok
}

// times is how often something happens.
func times() shape[Bound] {
	return bound(`a number, ">= 1", "<= 3" or "2..4"`, func(s string) (float64, bool) {
		v, err := strconv.Atoi(s)
		return float64(v), err == nil && v >= 0
	})
}

// amount is any number that is not negative.
func amount() shape[Bound] {
	return bound(`a number, "<= 0.05" or "0.1..2"`, func(s string) (float64, bool) {
		v, err := strconv.ParseFloat(s, 64)
		return v, err == nil && v >= 0 && !math.IsInf(v, 0)
	})
}

// delay is a duration, in seconds.
func delay() shape[Bound] {
	return bound(`a duration, "<= 5s" or "1s..1m"`, func(s string) (float64, bool) {
		v, _, ok := parseSpan(s)
		return v.Seconds(), ok && v >= 0
	})
}
