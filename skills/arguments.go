package skills

import "strings"

// Words cuts a line at blanks the way a shell does: quotes and backslashes keep blanks in a word. A quote that is never
// closed is a plain character.
func Words(line string) []string {
	var out []string
	var word strings.Builder
	in := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if in {
				out = append(out, word.String())
				word.Reset()
			}
			in = false
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			in = true
		case c == '\'' || c == '"':
			n, text := quoted(line[i:])
			word.WriteString(text)
			i += n - 1
			in = true
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		out = append(out, word.String())
	}
	return out
}

// quoted reads what a quote at the start of text holds, and tells how much of it that is.
func quoted(text string) (n int, value string) {
	quote := text[0]
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return i + 1, b.String()
		case c == '\\' && quote == '"' && i+1 < len(text) && strings.IndexByte("\"\\$`", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return 1, text[:1]
}

// Join is Words backwards: a line that Words cuts into these words.
func Join(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.ContainsAny(w, " \t\n\r'\"\\") {
			out[i] = singleQuoted(w)
		}
	}
	return strings.Join(out, " ")
}

func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
