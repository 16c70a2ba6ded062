package config

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// Include is a line of a body that is nothing but @path: the file at path belongs in its place.
type Include struct {
	Path       string // as written, without the @
	Start, End int    // the line in the body, its line break included
	Line       int    // of the body, from 0
	Column     int    // of the @, from 1, in characters
}

// Includes finds the lines of a Markdown text that include a file: an @ at the start of a line, indented at most by three
// blanks, and a path without blanks that has a dot or a slash. Lines in code, fenced or indented, are none.
func Includes(body string) []Include {
	if !strings.Contains(body, "@") {
		return nil
	}
	var out []Include
	offset, n := 0, 0
	for line := range strings.Lines(body) {
		trimmed := strings.TrimRight(line, " \t\n")
		text := strings.TrimLeft(trimmed, " ")
		if path, ok := strings.CutPrefix(text, "@"); ok && isPath(path) && len(trimmed)-len(text) < 4 {
			column := 1 + utf8.RuneCountInString(trimmed[:len(trimmed)-len(text)])
			out = append(out, Include{Path: path, Start: offset, End: offset + len(line), Line: n, Column: column})
		}
		offset += len(line)
		n++
	}
	if len(out) == 0 {
		return nil
	}
	return outsideCode(body, out)
}

// isPath tells a path from a mention or a word such as @media.
func isPath(path string) bool {
	return path != "" && path[0] != '@' && !strings.ContainsAny(path, " \t`") && strings.ContainsAny(path, "./")
}

// outsideCode leaves out the lines that lie in code blocks, or in a code span that runs over several lines.
func outsideCode(body string, found []Include) []Include {
	src := []byte(body)
	code := map[int]bool{} // offsets of lines that are code
	_ = ast.Walk(markdown(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				code[startOfLine(src, n.Lines().At(i).Start)] = true
			}
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					code[startOfLine(src, t.Segment.Start)] = true
				}
			}
		}
		return ast.WalkContinue, nil
	})
	out := found[:0]
	for _, i := range found {
		if !code[i.Start] {
			out = append(out, i)
		}
	}
	return out
}
