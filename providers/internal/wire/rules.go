package wire

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
	"github.com/swarmrun/swarmrun/providers"
)

//go:embed data/rules.txt
var rulesText string

//go:embed data/never_overflow.txt
var neverOverflowText string

//go:embed data/inband.txt
var inBandText string

// rule is one row of data/rules.txt.
type rule struct {
	kind      providers.Kind
	noRepeat  bool
	providers []string // nil = all
	statuses  []string // nil = all
	field     string
	pattern   []string // parts between the stars
	example   string
	line      int
}

var (
	loadRules         = lazy.Value[[]rule]{New: func() []rule { return must(parseRules(rulesText)) }}
	loadNeverOverflow = lazy.Value[[][]string]{New: func() [][]string { return parsePhrases(neverOverflowText) }}
	loadInBand        = lazy.Value[map[string]int]{New: func() map[string]int { return must(parseInBand(inBandText)) }}
)

// must is for the embedded tables, which a test parses: a fault in one cannot reach a build.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func parseRules(text string) ([]rule, error) {
	var out []rule
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		cols := strings.Split(line, "|")
		if len(cols) != 6 {
			return nil, fmt.Errorf("rules line %d: %d columns, want 6", i+1, len(cols))
		}
		for c := range cols {
			cols[c] = strings.TrimSpace(cols[c])
		}
		kind, noRepeat := strings.CutSuffix(cols[0], "!")
		r := rule{
			kind: providers.Kind(kind), noRepeat: noRepeat, providers: list(cols[1]), statuses: list(cols[2]),
			field: cols[3], pattern: strings.Split(strings.ToLower(cols[4]), "*"), example: cols[5], line: i + 1,
		}
		if !slices.Contains(providers.Kinds(), r.kind) || !slices.Contains([]string{"word", "text", "-"}, r.field) {
			return nil, fmt.Errorf("rules line %d: kind %q, field %q", i+1, kind, r.field)
		}
		out = append(out, r)
	}
	return out, nil
}

func list(col string) []string {
	if col == "*" {
		return nil
	}
	return strings.Split(col, ",")
}

func parsePhrases(text string) [][]string {
	var out [][]string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, strings.Split(line, "*"))
		}
	}
	return out
}

func parseInBand(text string) (map[string]int, error) {
	out := map[string]int{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		status, err := strconv.Atoi(f[len(f)-1])
		if err != nil || len(f) != 2 {
			return nil, fmt.Errorf("inband: %q", line)
		}
		out[f[0]] = status
	}
	return out, nil
}

// holds tells whether the row decides this failure.
func (r *rule) holds(provider string, status int, f *facts) bool {
	if r.providers != nil && !slices.Contains(r.providers, provider) || !r.covers(status) {
		return false
	}
	switch r.field {
	case "word":
		return slices.ContainsFunc(f.words, func(w string) bool { return matchWhole(r.pattern, w) })
	case "text":
		return f.text != "" && matchPart(r.pattern, f.text)
	}
	return true
}

func (r *rule) covers(status int) bool {
	if r.statuses == nil {
		return true
	}
	text := strconv.Itoa(status)
	for _, s := range r.statuses {
		if s == text || len(text) == 3 && s == text[:1]+"xx" {
			return true
		}
	}
	return false
}

// matchPart finds the parts in s in order, with anything between them.
func matchPart(parts []string, s string) bool {
	for _, p := range parts {
		i := strings.Index(s, strings.TrimSpace(p))
		if i < 0 {
			return false
		}
		s = s[i+len(strings.TrimSpace(p)):]
	}
	return true
}

// matchWhole matches all of s: what is before the first part and after the last counts.
func matchWhole(parts []string, s string) bool {
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return s == first
	}
	return strings.HasPrefix(s, first) && strings.HasSuffix(s, last) && matchPart(parts, s)
}
