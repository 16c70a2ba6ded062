package ignore

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// pattern is one line. The usual ones, a name and a name that ends in something, are compared as text; the others are
// regular expressions, whose time is linear whatever the pattern.
type pattern struct {
	keep, dirOnly bool
	anchored      bool   // holds for the whole path, not for the name alone
	literal       string // the text to equal or, with suffix, to end in; used when re is nil
	suffix        bool
	re            *regexp.Regexp
}

func (p *pattern) fits(rel, base string) bool {
	s := base
	if p.anchored {
		s = rel
	}
	switch {
	case p.re != nil:
		return p.re.MatchString(s)
	case p.suffix:
		return strings.HasSuffix(s, p.literal)
	}
	return s == p.literal
}

// maxPattern is the longest pattern in bytes; no path is longer.
const maxPattern = 4096

func parse(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") || len(line) > maxPattern {
		return p, false
	}
	line = trimBlanks(line)
	line, p.keep = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	const special = `*?[\`
	if !strings.ContainsAny(line, special) {
		p.literal = line
		return p, true
	}
	if rest, ok := strings.CutPrefix(line, "*"); ok && !p.anchored && !strings.ContainsAny(rest, special) {
		p.literal, p.suffix = rest, true
		return p, true
	}
	expr, ok := translate(line)
	if !ok {
		return p, false
	}
	re, err := regexp.Compile(expr)
	p.re = re
	return p, err == nil
}

// trimBlanks drops the blanks at the end that no backslash protects.
func trimBlanks(s string) string {
	end := len(s)
	for end > 0 && s[end-1] == ' ' {
		if slashes := end - 1 - len(strings.TrimRight(s[:end-1], `\`)); slashes%2 == 1 {
			break
		}
		end--
	}
	return s[:end]
}

// translate turns a pattern into a regular expression for the whole text.
func translate(glob string) (expr string, ok bool) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(glob); {
		switch c := glob[i]; c {
		case '*':
			n := len(glob[i:]) - len(strings.TrimLeft(glob[i:], "*"))
			i += stars(&b, glob, i, n)
		case '?':
			b.WriteString("[^/]")
			i++
		case '[':
			class, n, ok := bracket(glob[i:])
			if !ok {
				return "", false
			}
			b.WriteString(class)
			i += n
		case '\\':
			if i++; i == len(glob) {
				return "", false
			}
			fallthrough
		default:
			_, n := utf8.DecodeRuneInString(glob[i:])
			b.WriteString(regexp.QuoteMeta(glob[i : i+n]))
			i += n
		}
	}
	b.WriteString(`\z`)
	return b.String(), true
}

// stars writes the n stars at glob[i:] and returns how much of glob that was. Two that fill a segment cross slashes.
func stars(b *strings.Builder, glob string, i, n int) int {
	start := i == 0 || glob[i-1] == '/'
	switch end := i + n; {
	case n == 2 && start && end == len(glob): // a/**: everything below a, not a itself
		b.WriteString(".+")
		return n
	case n == 2 && start && glob[end] == '/': // **/a and a/**/b: any number of folders
		b.WriteString("(?:.*/)?")
		return n + 1
	}
	b.WriteString("[^/]*")
	return n
}

// bracket translates the class at the start of s and returns its length. A class never fits a slash.
func bracket(s string) (class string, n int, ok bool) {
	i, negated := 1, false
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		negated = true
		i++
	}
	var b strings.Builder
	for first := true; ; first = false {
		switch {
		case i >= len(s):
			return "", 0, false
		case s[i] == ']' && !first:
			return finish(b.String(), negated), i + 1, true
		case strings.HasPrefix(s[i:], "[:"):
			end := strings.Index(s[i:], ":]")
			if end < 0 {
				return "", 0, false
			}
			b.WriteString(s[i : i+end+2]) // an unknown name makes the expression, and so the pattern, invalid
			i += end + 2
			continue
		}
		lo, size, ok := member(s[i:])
		if !ok {
			return "", 0, false
		}
		i += size
		hi := lo
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			if hi, size, ok = member(s[i+1:]); !ok {
				return "", 0, false
			}
			i += 1 + size
		}
		span(&b, lo, hi)
	}
}

func finish(members string, negated bool) string {
	if negated {
		return "[^/" + members + "]"
	}
	if members == "" {
		return `[^\x00-\x{10FFFF}]`
	}
	return "[" + members + "]"
}

// member reads one character of a class.
func member(s string) (r rune, size int, ok bool) {
	if rest, escaped := strings.CutPrefix(s, `\`); escaped {
		r, size = utf8.DecodeRuneInString(rest)
		return r, size + 1, size > 0
	}
	r, size = utf8.DecodeRuneInString(s)
	return r, size, size > 0
}

// span writes the range lo to hi without the slash. An empty range fits nothing.
func span(b *strings.Builder, lo, hi rune) {
	if lo <= '/' && '/' <= hi {
		span(b, lo, '/'-1)
		lo = '/' + 1
	}
	if lo <= hi {
		fmt.Fprintf(b, `\x{%X}-\x{%X}`, lo, hi)
	}
}
