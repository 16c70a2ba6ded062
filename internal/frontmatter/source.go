package frontmatter

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/config/diag"
)

// bom is the UTF-8 byte order mark. It is no character of the text: the first column is the one behind it.
const bom = "\xef\xbb\xbf"

// source is a file as text with LF line ends, and the index of its lines.
type source struct {
	file   string
	text   string
	starts []int // offsets of the lines seen so far
	whole  bool  // all lines have been seen
	// last is the place that offset was asked for last, with its offset: places come in the order of the file, and a line may
	// be as long as the file.
	last   diag.Pos
	lastAt int
}

// readSource applies R1 and R2: it drops a byte order mark, refuses what is not UTF-8, and turns CRLF and CR into LF. Lines
// keep their numbers by that, and characters their columns.
func readSource(src []byte, file string) (*source, *diag.Diagnostic) {
	src = bytes.TrimPrefix(src, []byte(bom))
	if name := foreignEncoding(src); name != "" {
		d := diag.New("E-ENCODING", diag.At(file, 1, 1, 0), "the file is %s, not UTF-8", name).Suggest("save the file as UTF-8")
		return nil, &d
	}
	if at := invalidUTF8(src); at >= 0 {
		p := posOf(string(bytes.ToValidUTF8(src[:at], nil)))
		d := diag.New("E-ENCODING", diag.At(file, int(p.Line), int(p.Column), 1), "byte %d of the file (0x%02x) is not UTF-8", at+1, src[at]).
			Suggest("save the file as UTF-8")
		return nil, &d
	}
	text := string(src)
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	return &source{file: file, text: text}, nil
}

// foreignEncoding names an encoding that shows itself by its mark, or by the zero bytes around the first character.
func foreignEncoding(src []byte) string {
	for _, e := range []struct{ mark, name string }{
		{"\xff\xfe\x00\x00", "UTF-32 (little endian)"},
		{"\x00\x00\xfe\xff", "UTF-32 (big endian)"},
		{"\xff\xfe", "UTF-16 (little endian)"},
		{"\xfe\xff", "UTF-16 (big endian)"},
		{"-\x00\x00\x00-\x00\x00\x00", "UTF-32 (little endian)"},
		{"\x00\x00\x00-\x00\x00\x00-", "UTF-32 (big endian)"},
		{"-\x00-\x00", "UTF-16 (little endian)"},
		{"\x00-\x00-", "UTF-16 (big endian)"},
	} {
		if bytes.HasPrefix(src, []byte(e.mark)) {
			return e.name
		}
	}
	return ""
}

// invalidUTF8 is the offset of the first byte that is no part of a character, or -1.
func invalidUTF8(src []byte) int {
	if utf8.Valid(src) {
		return -1
	}
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// posOf is the place behind a text whose line ends may be of any kind.
func posOf(before string) diag.Pos {
	before = strings.ReplaceAll(strings.ReplaceAll(before, "\r\n", "\n"), "\r", "\n")
	return advance(diag.Pos{Line: 1, Column: 1}, before)
}

// advance is the place that text leads to when it begins at p.
func advance(p diag.Pos, text string) diag.Pos {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.Line += int32(strings.Count(text, "\n"))
		p.Column, text = 1, text[i+1:]
	}
	p.Column += int32(utf8.RuneCountInString(text))
	return p
}

// has tells whether the file has a line n, and indexes as far as that: bodies are never looked at line by line.
func (s *source) has(n int) bool {
	for len(s.starts) < n && !s.whole {
		from := 0
		if len(s.starts) > 0 {
			from = s.starts[len(s.starts)-1]
			i := strings.IndexByte(s.text[from:], '\n')
			if s.whole = i < 0; s.whole {
				break
			}
			from += i + 1
		}
		s.starts = append(s.starts, from)
	}
	return n >= 1 && n <= len(s.starts)
}

// line is the text of a line without its end; lines outside are empty.
func (s *source) line(n int) string {
	if !s.has(n) {
		return ""
	}
	return s.text[s.starts[n-1]:s.end(n)]
}

// end is the offset of the end of a line.
func (s *source) end(n int) int {
	if s.has(n + 1) {
		return s.starts[n] - 1
	}
	return len(s.text)
}

// offset is where a place lies in the text; places behind the end of a line are the end.
func (s *source) offset(p diag.Pos) int {
	line := int(p.Line)
	if !s.has(line) {
		return len(s.text)
	}
	if s.last.Line != p.Line || s.last.Column > p.Column {
		s.last, s.lastAt = diag.Place(line, 1), s.starts[line-1]
	}
	rest := s.text[s.lastAt:s.end(line)]
	s.lastAt += len(rest) - len(skip(rest, int(p.Column-s.last.Column)))
	s.last = p
	return s.lastAt
}

// rest is the line from a place on.
func (s *source) rest(p diag.Pos) string {
	if !s.has(int(p.Line)) {
		return ""
	}
	return s.text[s.offset(p):s.end(int(p.Line))]
}

// skip drops the first n characters.
func skip(text string, n int) string {
	for ; n > 0 && text != ""; n-- {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text
}

// at is a range of n characters in the file.
func (s *source) at(line, column, n int) diag.Range { return diag.At(s.file, line, column, n) }

// from is the rest of a line, from a column on and without trailing blanks.
func (s *source) from(line, column int) diag.Range {
	return s.at(line, column, utf8.RuneCountInString(strings.TrimRight(s.rest(diag.Place(line, column)), " \t")))
}
