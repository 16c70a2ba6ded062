package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// text is any scalar, exactly as it is written; in Markdown a list or a map is taken as the text it is written with (R9).
func text() shape[string] {
	return shape[string]{
		words:  "text",
		schema: func() schema { return schema{"type": []string{"string", "number", "boolean"}} },
		read: func(d *decoder, n *yaml.Node) (string, bool) {
			if hasForeignTag(n) || d.strict && n.Kind != yaml.ScalarNode {
				d.wrong(n, "text")
				return "", false
			}
			return d.written(n), true
		},
	}
}

const commandLine = "write one command line, in quotes where it begins with [ or {"

// one is a scalar that the program goes by. In Markdown too a list or a map is not taken as the text it is written with.
func one(help string) shape[string] {
	s := text()
	written := s.read
	s.read = func(d *decoder, n *yaml.Node) (string, bool) {
		if n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode {
			d.wrongly(n, "text", help)
			return "", false
		}
		return written(d, n)
	}
	return s
}

// word is one of a few words. Other spellings of a word are keys of same.
func word(same map[string]string, words ...string) shape[string] {
	return shape[string]{
		words: strings.Join(words, ", "),
		schema: func() schema {
			all := slices.Clone(words)
			for other := range same {
				all = append(all, other)
			}
			slices.Sort(all[len(words):])
			return schema{"enum": all}
		},
		read: func(d *decoder, n *yaml.Node) (string, bool) {
			s, ok := scalar(n)
			if native, known := same[s]; known && ok {
				return native, true
			}
			if !ok || !slices.Contains(words, s) {
				want := "one of " + strings.Join(words, ", ")
				help := "write " + want
				if near, found := diag.Closest(s, words); ok && found {
					help = fmt.Sprintf("did you mean %q?", near)
				}
				d.wrongly(n, want, help)
				return "", false
			}
			return s, true
		},
	}
}

// boolean is true or false in any of the spellings people use.
func boolean() shape[bool] {
	return shape[bool]{
		words: "true or false",
		schema: func() schema {
			return schema{"anyOf": []schema{
				{"enum": []any{true, false, "yes", "no", "on", "off", 1, 0}}, // what an editor offers
				{"type": "string", "pattern": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|[01])$"},
			}}
		},
		read: func(d *decoder, n *yaml.Node) (bool, bool) {
			s, _ := scalar(n)
			v, ok := parseFlag(s)
			if !ok {
				d.wrong(n, "true or false")
			}
			return v, ok
		},
	}
}

func parseFlag(s string) (v, ok bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

// count is a whole number between low and high, both included; high 0 means no upper end.
func count(low, high int) shape[int] {
	allowed := interval(strconv.Itoa(low), strconv.Itoa(high), high == 0)
	return shape[int]{
		words: "whole number, " + allowed,
		schema: func() schema {
			s := schema{"type": "integer", "minimum": low}
			if high > 0 {
				s["maximum"] = high
			}
			return s
		},
		read: func(d *decoder, n *yaml.Node) (int, bool) {
			s, _ := scalar(n)
			v, err := strconv.Atoi(strings.ReplaceAll(s, "_", ""))
			if err != nil {
				d.wrong(n, "a whole number")
				return 0, false
			}
			if v < low || high > 0 && v > high {
				d.outside(n, allowed)
				return 0, false
			}
			return v, true
		},
	}
}

func interval(low, high string, open bool) string {
	if open {
		return low + " or more"
	}
	return low + " to " + high
}

// number is a finite number between low and high, both included; an infinite high means no upper end.
func number(low, high float64) shape[float64] {
	form := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	allowed := interval(form(low), form(high), math.IsInf(high, 1))
	return shape[float64]{
		words: "number, " + allowed,
		schema: func() schema {
			s := schema{"type": "number", "minimum": low}
			if !math.IsInf(high, 1) {
				s["maximum"] = high
			}
			return s
		},
		read: func(d *decoder, n *yaml.Node) (float64, bool) {
			s, _ := scalar(n)
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				d.wrong(n, "a number")
				return 0, false
			}
			if v < low || v > high {
				d.outside(n, allowed)
				return 0, false
			}
			return v, true
		},
	}
}

// share is a number above 0 and at most 1.
func share() shape[float64] {
	allowed, n := "more than 0, at most 1", number(0, 1)
	s := checked(n, "number, "+allowed, func(d *decoder, n *yaml.Node, v float64) bool {
		if v == 0 {
			d.outside(n, allowed)
		}
		return v > 0
	})
	s.schema = func() schema { return schema{"type": "number", "exclusiveMinimum": 0, "maximum": 1} }
	return s
}

// limits of durations that a bare number or a Go duration may state.
type bounds struct {
	low, high time.Duration // both included; high 0 = no upper end
	above     bool          // low itself is refused
}

func (b bounds) allowed() string {
	switch {
	case b.above:
		return "more than " + b.low.String()
	case b.high == 0:
		return b.low.String() + " or more"
	default:
		return seconds(b.low) + " to " + seconds(b.high)
	}
}

func (b bounds) hold(v time.Duration) bool {
	return v >= b.low && (!b.above || v > b.low) && (b.high == 0 || v <= b.high)
}

// seconds writes a limit the way people write it: 90s, not 1m30s.
func seconds(v time.Duration) string {
	return strconv.FormatFloat(v.Seconds(), 'f', -1, 64) + "s"
}

// span is a duration: a bare number of seconds, or a Go duration.
func span(b bounds) shape[time.Duration] {
	return shape[time.Duration]{
		words: "duration (30s, 2m; a bare number is seconds), " + b.allowed(),
		schema: func() schema {
			return schema{"anyOf": []schema{
				{"type": "number", "minimum": 0},
				{"type": "string", "pattern": `^[0-9.]+$|^([0-9.]+(ns|us|µs|ms|s|m|h))+$`},
			}}
		},
		read: func(d *decoder, n *yaml.Node) (time.Duration, bool) {
			s, _ := scalar(n)
			v, bare, ok := parseSpan(s)
			if !ok {
				d.wrong(n, "a duration such as 30s")
				return 0, false
			}
			if !b.hold(v) {
				d.outside(n, b.allowed())
				return 0, false
			}
			if bare && v >= 1000*time.Second {
				x := diag.New("W-TIMEOUT-MS", d.at(n), "%s looks like milliseconds; a bare number is seconds", shown(s)).
					Suggest("write %q or %q", s+"s", s+"ms")
				if d.foreign {
					x = x.Suggest("write the seconds that are meant: %s ms are %s", s, strconv.FormatFloat(v.Seconds()/1000, 'f', -1, 64))
				}
				d.add(x)
			}
			return v, true
		},
	}
}

// parseSpan reads a duration; bare tells that it had no unit. What is not finite, or longer than 290 years, is none.
func parseSpan(s string) (v time.Duration, bare, ok bool) {
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		if math.IsNaN(f) || math.Abs(f) > 9e9 {
			return 0, true, false
		}
		return time.Duration(f * float64(time.Second)), true, true
	}
	v, err := time.ParseDuration(s)
	return v, false, err == nil
}
