package frontmatter

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// syntaxErrors finds the top-level entries that do not parse and says of each what is wrong with it, and where.
func (s *source) syntaxErrors(rows []row, whole error) diag.List {
	var ds diag.List
	for _, entry := range entriesOf(rows) {
		if _, err := parse(textOf(entry)); err != nil {
			ds.Add(s.explain(entry, err))
		}
	}
	if len(ds) == 0 {
		ds.Add(s.explain(rows, whole))
	}
	return ds
}

// entriesOf cuts metadata at the lines that start a key at column 0.
func entriesOf(rows []row) [][]row {
	var entries [][]row
	start := 0
	for i := 1; i < len(rows); i++ {
		if _, _, ok := anyKey(rows[i].text); ok {
			entries = append(entries, rows[start:i])
			start = i
		}
	}
	return append(entries, rows[start:])
}

// anyKey also takes keys that are quoted or hold blanks: a colon with a blank or the line's end behind it.
func anyKey(line string) (string, int, bool) {
	if key, at, ok := keyOf(line); ok {
		return key, at, true
	}
	if line == "" || strings.ContainsRune(" \t#-<>|", rune(line[0])) {
		return "", 0, false
	}
	key, rest, ok := strings.Cut(line, ": ")
	if !ok {
		key, ok = strings.CutSuffix(strings.TrimRight(line, " \t"), ":")
	}
	if !ok || strings.Contains(key, " ") {
		return "", 0, false
	}
	return key, len(line) - len(strings.TrimLeft(rest, " ")), true
}

var yamlLine = lazy.MustCompile(`line (\d+)`)

// lineOf is the row that a YAML error names; the library names none when it is the first.
func lineOf(err error, rows []row) int {
	m := yamlLine.Get().FindStringSubmatch(err.Error())
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return min(max(n-1, 0), len(rows)-1)
}

// explain makes one finding out of rows that do not parse.
func (s *source) explain(rows []row, err error) diag.Diagnostic {
	for _, look := range []func([]row, error) *fault{
		lookControl, lookTab, lookDocument, lookOpen, lookAlias, lookColonless, lookIndicator, lookColon, lookIndent, lookStray,
	} {
		if f := look(rows, err); f != nil {
			return diag.New("E-YAML", s.from(f.line, f.column), "%s", f.summary).Suggest("%s", f.hint)
		}
	}
	r := rows[lineOf(err, rows)]
	message := strings.TrimPrefix(yamlLine.Get().ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), ""), ": ")
	return diag.New("E-YAML", s.from(r.line, 1+len(r.text)-len(strings.TrimLeft(r.text, " \t"))), "not valid YAML: %s", message).
		Suggest("indent the lines of one list or map alike, or put the value in quotes")
}

// fault is a cause found by an own look.
type fault struct {
	line, column  int
	summary, hint string
}

func faultAt(r row, offset int, summary, hint string) *fault {
	return &fault{r.line, 1 + utf8.RuneCountInString(r.text[:offset]), summary, hint}
}

func lookControl(rows []row, err error) *fault {
	if !strings.Contains(err.Error(), "control characters") {
		return nil
	}
	for _, r := range rows {
		for i, c := range r.text {
			if c < ' ' && c != '\t' || 0x7f <= c && c < 0xa0 && c != 0x85 || c == 0xfffe || c == 0xffff {
				return faultAt(r, i, "control character "+strconv.QuoteRune(c), "remove the character")
			}
		}
	}
	return nil
}

// lookTab finds a tab in the indentation.
func lookTab(rows []row, _ error) *fault {
	for _, r := range rows {
		blank := r.text[:len(r.text)-len(strings.TrimLeft(r.text, " \t"))]
		if i := strings.IndexByte(blank, '\t'); i >= 0 && len(blank) < len(r.text) {
			return faultAt(r, i, "a tab indents this line", "indent with blanks; YAML does not take tabs")
		}
	}
	return nil
}

func lookDocument(rows []row, err error) *fault {
	if e, ok := errors.AsType[errDocument](err); ok {
		return faultAt(rows[e.line-1], 0, "a second document starts inside the metadata", "indent the line, or remove it")
	}
	return nil
}

// valueOf is where the value of an entry's line begins: behind dashes and "key: ".
func valueOf(text string) int {
	i := len(text) - len(strings.TrimLeft(text, " "))
	for strings.HasPrefix(text[i:], "- ") {
		i += 2
		i += len(text[i:]) - len(strings.TrimLeft(text[i:], " "))
	}
	if key, rest, ok := strings.Cut(text[i:], ": "); ok && !strings.ContainsAny(key, " \"'[{") {
		return len(text) - len(strings.TrimLeft(rest, " "))
	}
	return i
}

// lookOpen finds a quote or a bracket that opens a value and is not closed, and text behind a closing quote. A value may run
// over several rows; those are passed over.
func lookOpen(rows []row, _ error) *fault {
	text, next := textOf(rows), 0
	for n, end := 0, 0; n < len(rows); n++ {
		r, start := rows[n], next
		next += len(r.text) + 1
		at := valueOf(r.text)
		if start < end || at >= len(r.text) {
			continue
		}
		switch c := r.text[at]; c {
		case '"', '\'':
			length := closingQuote(text[start+at:])
			if length == 0 {
				return faultAt(r, at, "the quote "+string(c)+" is not closed", "close the quote at the end of the value")
			}
			if end = start + at + length; end < next {
				if f := tailFault(r, end-start); f != nil {
					return f
				}
			}
		case '[', '{':
			length := closingBracket(text[start+at:])
			if length == 0 {
				closer := map[byte]string{'[': "]", '{': "}"}[c]
				return faultAt(r, at, "the bracket "+string(c)+" is not closed", "close it with "+closer+", or put the value in quotes")
			}
			end = start + at + length
		}
	}
	return nil
}

// tailFault is the fault of text behind the quote that ends at an offset of the row.
func tailFault(r row, end int) *fault {
	tail := strings.TrimLeft(r.text[end:], " \t")
	if tail == "" || strings.ContainsRune("#,:]}", rune(tail[0])) {
		return nil
	}
	return faultAt(r, len(r.text)-len(tail), "text behind the closing quote", `put the whole value in quotes, with \" for quotes inside`)
}

var glued = lazy.MustCompile(`^\s*(?:- +)*[A-Za-z_][\w-]*(:)[^\s:/]`)

// lookColonless finds a key whose colon has no blank behind it.
func lookColonless(rows []row, _ error) *fault {
	for _, r := range rows {
		if _, _, ok := anyKey(r.text); ok {
			continue
		}
		if m := glued.Get().FindStringSubmatchIndex(r.text); m != nil {
			return faultAt(r, m[2], "no blank after the colon", `write a blank after the colon, as in "key: value"`)
		}
	}
	return nil
}

// lookIndicator finds a value that begins with a character that means something else to YAML.
func lookIndicator(rows []row, _ error) *fault {
	for _, r := range rows {
		at := valueOf(r.text)
		if at >= len(r.text) || !strings.ContainsRune("@`%*&!", rune(r.text[at])) {
			continue
		}
		if !parses("k: " + r.text[at:] + "\n") {
			return faultAt(r, at, "a value cannot begin with "+r.text[at:at+1], "put the value in quotes")
		}
	}
	return nil
}

var unknownAlias = lazy.MustCompile(`unknown anchor '(.*)' referenced`)

// lookAlias finds the star of a name that no anchor has.
func lookAlias(rows []row, err error) *fault {
	m := unknownAlias.Get().FindStringSubmatch(err.Error())
	if m == nil {
		return nil
	}
	for _, r := range rows {
		if i := strings.Index(r.text, "*"+m[1]); i >= 0 {
			return faultAt(r, i, "a value that begins with * refers to an anchor, and there is none of this name", "put the value in quotes")
		}
	}
	return nil
}

// lookIndent finds a line that goes back to an indentation that no line above it has.
func lookIndent(rows []row, _ error) *fault {
	stack := []int{0}
	block := -1 // indentation of the key whose block scalar is being passed
	for _, r := range rows {
		text := strings.TrimLeft(r.text, " ")
		n := len(r.text) - len(text)
		if text == "" || text[0] == '#' || block >= 0 && n > block {
			continue
		}
		block = -1
		if at := valueOf(r.text); at < len(r.text) && (r.text[at] == '|' || r.text[at] == '>') {
			block = n
		}
		back := false
		for len(stack) > 1 && stack[len(stack)-1] > n {
			stack, back = stack[:len(stack)-1], true
		}
		switch top := stack[len(stack)-1]; {
		case top == n:
		case back:
			return faultAt(r, n, "this line is indented like none above it", "indent the lines of one list or map alike")
		default:
			stack = append(stack, n)
		}
	}
	return nil
}

// lookColon finds a second colon in a plain value.
func lookColon(rows []row, err error) *fault {
	if !strings.Contains(err.Error(), "mapping values are not allowed") {
		return nil
	}
	for _, r := range rows {
		at := valueOf(r.text)
		if at == 0 || at >= len(r.text) || strings.ContainsRune(`"'[{|>#`, rune(r.text[at])) {
			continue
		}
		if i := strings.Index(r.text[at:]+" ", ": "); i >= 0 {
			return faultAt(r, at+i, "a colon and a blank inside a plain value", "put the value in quotes")
		}
	}
	return nil
}

// lookStray finds a line at column 0 that belongs to no key.
func lookStray(rows []row, _ error) *fault {
	for _, r := range rows {
		if strings.HasPrefix(r.text, "- ") {
			return faultAt(r, 0, "an item of a list stands where keys are expected", "write the key of the list above it")
		}
		if _, _, ok := anyKey(r.text); ok {
			break
		}
	}
	for _, r := range rows {
		if r.text == "" || strings.ContainsRune(" \t#-]}", rune(r.text[0])) {
			continue
		}
		if _, _, ok := anyKey(r.text); !ok {
			return faultAt(r, 0, "this line is no \"key: value\"", "indent it if it belongs to the value above, or put that value in quotes on one line")
		}
	}
	return nil
}
