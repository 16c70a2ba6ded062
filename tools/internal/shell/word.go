package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Stand-ins within a word. They are Unicode noncharacters; a line that holds them is opaque.
const (
	// Unknown stands for any text that is not known before the shell runs. It may end the word and begin others.
	Unknown = '\U0010FFFE'
	// Piece stands for unknown text within a word: of a glob, or of an expansion in double quotes. The word may become
	// several, which all begin alike.
	Piece = '\U000FFFFE'
	// Blank stands for a blank that is part of a word, where a blank in a pattern stands between words.
	Blank = '\U0010FFFF'
)

// word is the text of a word after quote removal.
func word(w *syntax.Word) string {
	var b strings.Builder
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if braces(p.Value) {
				return string(Unknown) // may become any number of words
			}
			unquoted(&b, p.Value, i == 0)
		case *syntax.SglQuoted:
			if p.Dollar && strings.Contains(p.Value, `\`) {
				b.WriteRune(Piece)
				continue
			}
			quoted(&b, p.Value)
		case *syntax.DblQuoted:
			doubleQuoted(&b, p)
		case *syntax.ExtGlob, *syntax.ProcSubst:
			b.WriteRune(Piece)
		default:
			b.WriteRune(Unknown)
		}
	}
	return b.String()
}

// braces tells whether an unquoted text may be a brace expansion. {} alone is none.
func braces(lit string) bool {
	for i := 0; i < len(lit); i++ {
		switch lit[i] {
		case '\\':
			i++
		case '{':
			if i+1 == len(lit) || lit[i+1] != '}' {
				return true
			}
		}
	}
	return false
}

func unquoted(b *strings.Builder, lit string, first bool) {
	escaped := false
	for i, r := range lit {
		switch {
		case escaped:
			escaped = false
			if r != '\n' {
				literal(b, r)
			}
		case r == '\\':
			escaped = true
		case r == '*' || r == '?' || r == '[', r == '~' && first && i == 0:
			b.WriteRune(Piece)
		default:
			literal(b, r)
		}
	}
	if escaped { // at the end of the line
		b.WriteByte('\\')
	}
}

func quoted(b *strings.Builder, text string) {
	for _, r := range text {
		literal(b, r)
	}
}

func doubleQuoted(b *strings.Builder, q *syntax.DblQuoted) {
	if q.Dollar {
		b.WriteRune(Piece) // translated by the locale
		return
	}
	for _, p := range q.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			b.WriteRune(inQuotes(p))
			continue
		}
		escaped := false
		for _, r := range lit.Value {
			switch {
			case escaped:
				escaped = false
				if r == '\n' {
					continue
				}
				if !strings.ContainsRune("$`\"\\", r) {
					b.WriteByte('\\')
				}
				literal(b, r)
			case r == '\\':
				escaped = true
			default:
				literal(b, r)
			}
		}
	}
}

// inQuotes: "$@" and "${a[@]}" become several words, everything else is one.
func inQuotes(p syntax.WordPart) rune {
	e, ok := p.(*syntax.ParamExp)
	switch {
	case !ok:
		return Piece
	case e.Param != nil && e.Param.Value == "@", e.Names != 0:
		return Unknown
	}
	if w, ok := e.Index.(*syntax.Word); ok && w.Lit() == "@" {
		return Unknown
	}
	return Piece
}

func literal(b *strings.Builder, r rune) {
	switch r {
	case ' ', '\t', '\n':
		r = Blank
	}
	b.WriteRune(r)
}

// Known tells whether the shell can make nothing else of a word.
func Known(word string) bool { return !strings.ContainsFunc(word, unknown) }

func unknown(r rune) bool { return r == Unknown || r == Piece }

// Plain is a word as a person would read it: blanks are blanks, and … stands for what is unknown.
func Plain(word string) string {
	return strings.NewReplacer(string(Blank), " ", string(Unknown), "…", string(Piece), "…").Replace(word)
}
