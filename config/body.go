package config

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	goldtext "github.com/yuin/goldmark/text"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// block is a fenced block of a body, from the start of its opening fence to the end of its closing one.
type block struct {
	start, end int
	language   string
	text       string
}

// firstBlock finds the first fenced block that stands in no list and no quote.
func firstBlock(body string) (block, bool) {
	if !mayHoldCode(body) {
		return block{}, false
	}
	src := []byte(body)
	for n := markdown(src).FirstChild(); n != nil; n = n.NextSibling() {
		if f, ok := n.(*ast.FencedCodeBlock); ok {
			return blockOf(f, src), true
		}
	}
	return block{}, false
}

func markdown(src []byte) ast.Node { return commonMark.Get().Parse(goldtext.NewReader(src)) }

// commonMark is the parser that goldmark.DefaultParser makes. The package goldmark itself brings the renderer of HTML along.
var commonMark = lazy.Value[parser.Parser]{New: func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
}}

// mayHoldCode spares texts the parser that cannot have a fenced block.
func mayHoldCode(body string) bool {
	return strings.Contains(body, "```") || strings.Contains(body, "~~~")
}

func blockOf(f *ast.FencedCodeBlock, src []byte) block {
	b := block{language: strings.ToLower(string(f.Language(src)))}
	b.start = startOfLine(src, f.Pos())
	end := f.Pos()
	var content strings.Builder
	for i := range f.Lines().Len() {
		segment := f.Lines().At(i)
		content.Write(segment.Value(src))
		end = segment.Stop
	}
	if f.Lines().Len() == 0 {
		end = endOfLine(src, end)
	}
	b.text, b.end = content.String(), endOfLine(src, end)
	return b
}

// startOfLine is the offset of the line that holds offset i.
func startOfLine(src []byte, i int) int {
	for i > 0 && src[i-1] != '\n' {
		i--
	}
	return i
}

// endOfLine is the offset behind the line that holds offset i.
func endOfLine(src []byte, i int) int {
	for i < len(src) && src[i] != '\n' {
		i++
	}
	return min(i+1, len(src))
}
