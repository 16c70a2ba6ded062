package frontmatter

import "strings"

// Keys is a set of keys of some mapping.
type Keys map[string]bool

// Has tells whether a key is known; case matters.
func (k Keys) Has(key string) bool { return k[key] }

// keyOf reads a line as "key: value" at column 0. The value's offset is that of its first character, or the end of the line
// when there is none.
func keyOf(line string) (key string, value int, ok bool) {
	i := 0
	for i < len(line) && isKeyByte(line[i], i == 0) {
		i++
	}
	if i == 0 || i >= len(line) || line[i] != ':' {
		return "", 0, false
	}
	rest := line[i+1:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", 0, false
	}
	return line[:i], len(line) - len(strings.TrimLeft(rest, " \t")), true
}

func isKeyByte(c byte, first bool) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
		return true
	default:
		return !first && ('0' <= c && c <= '9' || c == '-' || c == '.')
	}
}

func isIndented(line string) bool {
	return line != "" && (line[0] == ' ' || line[0] == '\t') && !isBlank(line)
}
