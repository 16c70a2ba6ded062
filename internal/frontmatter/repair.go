package frontmatter

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// row is one line of metadata, perhaps repaired, and the line of the file that it begins in.
type row struct {
	text string
	line int
}

// repair is one change: the lines from first to last become text, and the value begins at column.
type repair struct {
	first, last, column int
	text                string
	folded              bool
	lost                string // what a fold took away, as a sentence
}

func (r repair) diagnostic(s *source) diag.Diagnostic {
	fix := &diag.Fix{Line: r.first, EndLine: r.last, Text: r.text}
	var d diag.Diagnostic
	if r.folded {
		key, _, _ := keyOf(r.text)
		d = diag.New("W-YAML-FOLDED", s.from(r.first, r.column), "the value of %q runs on over lines that YAML does not take as part of it; read as one text", key).
			Explain("Lines %d to %d became one quoted value.%s", r.first, r.last, r.lost)
	} else {
		d = diag.New("W-YAML-QUOTED", s.from(r.first, r.column), "the value is not valid YAML without quotes; read as text")
	}
	d = d.Suggest("write %s (swarmrun fmt does it)", short(r.text))
	d.Fix = fix
	return d
}

// short cuts a line for a message.
func short(text string) string {
	const limit = 120
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return text[:len(text)-len(skip(text, limit))] + "…"
}

// quoteLines is repair A: it quotes each one-line value of a known key that does not parse alone.
func quoteLines(rows []row, known Keys) ([]row, []repair) {
	out := make([]row, len(rows))
	var rs []repair
	for i, r := range rows {
		out[i] = r
		if q, ok := quoteKey(r); ok {
			out[i].text = q.text
			rs = append(rs, q)
			continue
		}
		if i+1 < len(rows) && isIndented(rows[i+1].text) {
			continue
		}
		if q, ok := quoteLine(r, known); ok {
			out[i].text = q.text
			rs = append(rs, q)
		}
	}
	return out, rs
}

// starKey is an indented key that begins with a star, which YAML takes for an alias.
var starKey = lazy.MustCompile(`^([ ]+)(\*[^\s:"'\\]*):([ \t]|$)`)

// quoteKey quotes the key of a line such as "  *: ask", which is how people write a pattern that matches everything.
func quoteKey(r row) (repair, bool) {
	m := starKey.Get().FindStringSubmatchIndex(r.text)
	if m == nil {
		return repair{}, false
	}
	return repair{
		first: r.line, last: r.line, column: 1 + m[3],
		text: r.text[:m[3]] + quote(r.text[m[4]:m[5]]) + r.text[m[5]:],
	}, true
}

func quoteLine(r row, known Keys) (repair, bool) {
	key, at, ok := keyOf(r.text)
	value := strings.TrimRight(r.text[at:], " \t")
	if !ok || !known.Has(key) || value == "" || value[0] == '|' || value[0] == '>' {
		return repair{}, false
	}
	if (value[0] == '"' || value[0] == '\'') && !hasTail(value) {
		return repair{}, false
	}
	if isPlain(value) || parses("k: "+value+"\n") {
		return repair{}, false
	}
	return repair{
		first: r.line, last: r.line, column: 1 + utf8.RuneCountInString(r.text[:at]),
		text: r.text[:at] + quote(value),
	}, true
}

// isPlain tells of a value that needs no parser to know that it parses: printable ASCII that begins with a letter or digit
// and has nothing in it that could be a colon or a comment.
func isPlain(value string) bool {
	for i := range len(value) {
		c := value[i]
		word := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !word && (i == 0 || c < ' ' || c > '~' || c == ':' || c == '#') {
			return false
		}
	}
	return true
}

// hasTail tells whether text follows the closing quote of a value that begins with a quote.
func hasTail(value string) bool {
	end := closingQuote(value)
	return end > 0 && strings.TrimSpace(value[end:]) != ""
}

// closingQuote is the offset behind the quote that closes the one at the start of text, or 0.
func closingQuote(text string) int {
	q := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case q == '"' && text[i] == '\\':
			i++
		case text[i] != q:
		case q == '\'' && i+1 < len(text) && text[i+1] == q:
			i++
		default:
			return i + 1
		}
	}
	return 0
}

// foldLines is repair B: a known key with a plain value swallows all lines up to the next known key; other lines get
// repair A. A value of several lines that parses alone keeps the meaning it has in YAML.
func foldLines(rows []row, known Keys) ([]row, []repair) {
	var out []row
	var rs []repair
	for i := 0; i < len(rows); {
		end := i + 1
		key, at, ok := keyOf(rows[i].text)
		if ok && known.Has(key) && foldable(rows[i].text[at:]) {
			for end < len(rows) && !startsKnown(rows[end].text, known) {
				end++
			}
		}
		last := end
		for last > i+1 && isBlank(rows[last-1].text) {
			last--
		}
		switch {
		case last > i+1 && !parsesAsOne(rows[i:last]):
			r := repair{
				first: rows[i].line, last: rows[last-1].line, column: 1 + utf8.RuneCountInString(rows[i].text[:at]),
				text: rows[i].text[:at] + quote(joined(rows[i:last], at)), folded: true, lost: swallowed(rows[i+1:last], known),
			}
			out = append(out, row{r.text, r.first})
			rs = append(rs, r)
		case last > i+1:
			out = append(out, rows[i:last]...)
		default:
			r := rows[i]
			if q, ok := quoteLine(r, known); ok && (end >= len(rows) || !isIndented(rows[end].text)) {
				r.text = q.text
				rs = append(rs, q)
			}
			out = append(out, r)
		}
		out = append(out, rows[last:end]...)
		i = end
	}
	return out, rs
}

func foldable(value string) bool {
	return strings.TrimSpace(value) != "" && !strings.ContainsRune(`"'|>`, rune(value[0]))
}

func startsKnown(line string, known Keys) bool {
	key, _, ok := keyOf(line)
	return ok && known.Has(key)
}

// swallowed names the first known key that stands indented in rows: as part of the text before it, it no longer counts.
func swallowed(rows []row, known Keys) string {
	for _, r := range rows {
		if key, _, ok := keyOf(strings.TrimLeft(r.text, " \t")); ok && known.Has(key) {
			return fmt.Sprintf(" The key %q in line %d is text now; take its indentation away to make it count.", key, r.line)
		}
	}
	return ""
}

// parsesAsOne tells whether rows are one entry of a mapping.
func parsesAsOne(rows []row) bool {
	n, err := parse(textOf(rows))
	return err == nil && n != nil && n.Kind == yaml.MappingNode && len(n.Content) == 2
}

func joined(rows []row, at int) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(rows[0].text[at:], " \t"))
	for _, r := range rows[1:] {
		b.WriteByte('\n')
		b.WriteString(strings.TrimRight(r.text, " \t"))
	}
	return b.String()
}

// quote writes text as a double-quoted scalar with JSON escapes, on one line and with nothing in it that YAML refuses.
func quote(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2)
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
