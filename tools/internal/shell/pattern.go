package shell

import (
	"path"
	"slices"
	"strings"
)

// safeNames are variables that change how a program shows things, never what it runs.
var safeNames = []string{"LANG", "LANGUAGE", "TZ", "TERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "LINES", "CI", "DEBIAN_FRONTEND", "PYTHONUNBUFFERED"}

// maxSuffixes bounds the places in a command at which another one may begin.
const maxSuffixes = 100

// Match is how far a pattern fits a command.
type Match int

// The matches. May means that the shell could make it fit.
const (
	Miss Match = iota
	May
	Hits
)

// Covered tells whether a pattern describes the command whatever the shell makes of it: the meaning of a rule that allows.
// A pattern with a wildcard does not cover a command that runs its arguments or sets variables which change what runs.
func (c Command) Covered(pattern string) bool {
	if pattern == "" || pattern == "*" {
		return true
	}
	pattern = colon(pattern)
	exact := !strings.Contains(pattern, "*")
	if !c.safeSets() || !exact && c.Runs != "" {
		return false
	}
	if len(c.Words) == 0 {
		return true
	}
	if covers(pattern, join(c.Words)) || exact && len(c.outer) > 0 && covers(pattern, join(c.outer[0])) {
		return true
	}
	// As written: a rule with quotes in it. The source of a wrapped command begins with the wrapper.
	return (exact || len(c.outer) == 0) && covers(pattern, c.Source)
}

// Hit tells whether a pattern describes the command, or could: the meaning of a rule that forbids or asks. It also looks
// behind wrappers, paths to programs, and words that run their arguments.
func (c Command) Hit(pattern string) Match {
	if pattern == "" || pattern == "*" {
		return Hits
	}
	pattern = colon(pattern)
	best := meets(pattern, c.Source)
	for _, words := range append(slices.Clip(c.outer), c.Words) {
		best = max(best, hit(pattern, words))
	}
	if c.Runs == "" || best == Hits {
		return best
	}
	if len(c.Words) > maxSuffixes {
		return May
	}
	for i := 1; i < len(c.Words); i++ {
		best = max(best, hit(pattern, c.Words[i:]))
	}
	return best
}

func hit(pattern string, words []string) Match {
	if len(words) == 0 {
		return Miss
	}
	m := meets(pattern, join(words))
	if strings.Contains(words[0], "/") {
		m = max(m, meets(pattern, join(append([]string{path.Base(words[0])}, words[1:]...))))
	}
	return m
}

// safeSets tells whether the assignments cannot change what runs.
func (c Command) safeSets() bool {
	for _, name := range c.Sets {
		if !safeName(name) && !(len(c.Words) == 0 && scriptName(name)) {
			return false
		}
	}
	return true
}

// safeName tells whether no program runs something else because of the variable.
func safeName(name string) bool {
	return strings.HasPrefix(name, "LC_") || slices.Contains(safeNames, name)
}

// scriptName tells whether a variable is the script's own: it has a lower-case letter and is none of those that programs
// read from the environment all the same.
func scriptName(name string) bool {
	return strings.ToUpper(name) != name && !strings.HasSuffix(name, "_proxy")
}

// colon turns the older spelling git:* into git *.
func colon(pattern string) string {
	if p, ok := strings.CutSuffix(pattern, ":*"); ok {
		return p + " *"
	}
	return pattern
}

func join(words []string) string { return strings.Join(words, " ") }

// covers tells whether every text that t can become fits the pattern. "p *" fits p alone too.
func covers(pattern, t string) bool {
	if p, ok := strings.CutSuffix(pattern, " *"); ok && wild([]rune(p), []rune(t)) {
		return true
	}
	return wild([]rune(pattern), []rune(t))
}

// wild matches with * for any text. Only * takes what is unknown: what it takes may be anything.
func wild(p, t []rune) bool {
	i, j, star, back := 0, 0, -1, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, back = i, j
			i++
		case i < len(p) && p[i] == t[j] && !unknown(t[j]):
			i++
			j++
		case star >= 0:
			back++
			i, j = star+1, back
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// meets tells whether a text that t can become fits the pattern, or all of them do.
func meets(pattern, t string) Match {
	m := meet([]rune(pattern), []rune(t))
	if p, ok := strings.CutSuffix(pattern, " *"); ok {
		m = max(m, meet([]rune(p), []rune(t)))
	}
	return m
}

// meet follows all ways through the pattern at once. State i means: p[:i] fits what was read.
func meet(p, t []rune) Match {
	if wild(p, unblank(t)) {
		return Hits
	}
	if !slices.ContainsFunc(t, unknown) {
		return Miss
	}
	at := make([]bool, len(p)+1)
	next := make([]bool, len(p)+1)
	at[0] = true
	skip(p, at)
	for _, r := range t {
		clear(next)
		for i, on := range at {
			switch {
			case !on:
			case unknown(r): // any text: every later state
				for k := i; k <= len(p); k++ {
					next[k] = true
				}
			case i < len(p) && p[i] == '*':
				next[i] = true
			case i < len(p) && (p[i] == r || p[i] == ' ' && r == Blank):
				next[i+1] = true
			}
			if on && unknown(r) {
				break
			}
		}
		skip(p, next)
		at, next = next, at
	}
	if at[len(p)] {
		return May
	}
	return Miss
}

// skip lets each * stand for nothing.
func skip(p []rune, at []bool) {
	for i := range p {
		if at[i] && p[i] == '*' {
			at[i+1] = true
		}
	}
}

func unblank(t []rune) []rune {
	t = slices.Clone(t)
	for i, r := range t {
		if r == Blank {
			t[i] = ' '
		}
	}
	return t
}
