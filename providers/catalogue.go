package providers

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

//go:generate go test ./internal/gen -run ^TestCatalogue$ -update

// catalogue is the table of known models; its form is documented at gen.Table. It is searched as it is, so that a start
// costs nothing and there is nothing to keep.
//
//go:embed catalogue.tsv
var catalogue string

// Lookup tells what is known of a provider's model: window, prices, abilities. A date at the end of the name may be
// missing or be one that the table does not have ("claude-sonnet-4-5" finds the newest dated one), and so may "-latest".
// Settings outrank the answer.
func Lookup(provider, model string) (Capabilities, bool) {
	if fields := find(block(provider), model); fields != nil {
		return capabilities(fields), true
	}
	return Capabilities{}, false
}

// Covers reports whether the table lists the provider's models, so that a name it lacks is worth a warning. It does not
// where people name models themselves, as Azure's deployments.
func Covers(provider string) bool {
	return provider != "azure" && block(provider) != ""
}

// Models are the names that the table lists for a provider, sorted; nil where it has none.
func Models(provider string) []string {
	var names []string
	for l := range strings.Lines(block(provider)) {
		name, _, _ := strings.Cut(l, "\t")
		names = append(names, name)
	}
	return names
}

// Current is Anthropic's newest model of a line: sonnet, opus, haiku and every other that the table has.
func Current(line string) (model string, ok bool) {
	if strings.Trim(line, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", false
	}
	var newest release
	for _, name := range Models("anthropic") {
		rest, found := strings.CutPrefix(name, "claude-"+line+"-")
		if !found {
			continue
		}
		if r, valid := parseRelease(rest); valid && slices.Compare(r[:], newest[:]) > 0 {
			model, newest = name, r
		}
	}
	return model, model != ""
}

// release is major, minor, date.
type release [3]int

// parseRelease reads "5", "4-6" or "4-5-20250929".
func parseRelease(s string) (r release, ok bool) {
	next := 0
	for part := range strings.SplitSeq(s, "-") {
		n, err := strconv.Atoi(part)
		switch {
		case err != nil:
			return r, false
		case len(part) == len("20250929"):
			r[2] = n
		case next < 2:
			r[next] = n
			next++
		default:
			return r, false
		}
	}
	return r, true
}

// block is the lines of a provider, "" where the table has none.
func block(provider string) string {
	if provider == "gemini" {
		provider = "google"
	}
	_, rest, found := strings.Cut(catalogue, "\n@"+provider+"\n")
	if !found {
		return ""
	}
	if lines, _, more := strings.Cut(rest, "\n@"); more {
		return lines + "\n"
	}
	return rest
}

var dated = lazy.MustCompile(`-(\d{8}|\d{4}-\d\d-\d\d|latest)$`)

// find takes the exact name, else the name with its newest date, else the name without its own.
func find(block, model string) []string {
	if f := exact(block, model); f != nil {
		return f
	}
	plain := dated.Get().ReplaceAllString(model, "")
	var found string
	if plain == model || strings.HasSuffix(model, "-latest") {
		for l := range strings.Lines(block) {
			name, _, _ := strings.Cut(l, "\t")
			if dated.Get().ReplaceAllString(name, "") == plain && name > found {
				found = name
			}
		}
	}
	if found == "" {
		found = plain
	}
	return exact(block, found)
}

func exact(block, model string) []string {
	for l := range strings.Lines(block) {
		if name, rest, _ := strings.Cut(l, "\t"); name == model {
			return strings.Split(strings.TrimSuffix(rest, "\n"), "\t")
		}
	}
	return nil
}

// capabilities reads the fields after the name. The table is written and compared by gen's test, so that what does not
// parse cannot be there.
func capabilities(fields []string) Capabilities {
	c := Capabilities{
		ContextWindow: int(number(fields[0])),
		MaxOutput:     int(number(fields[1])),
		Images:        strings.Contains(fields[6], "i"),
		Thinking:      strings.Contains(fields[6], "t"),
	}
	if fields[2] != "" {
		c.Price = &Price{
			Input: number(fields[2]), Output: number(fields[3]), CachedInput: number(fields[4]), CacheWrite: number(fields[5]),
		}
	}
	return c
}

func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64)
	return n
}
