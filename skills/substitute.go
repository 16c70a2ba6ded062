package skills

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// filler puts the arguments of one use in the place of placeholders.
type filler struct {
	all       string // the arguments as typed
	words     []string
	names     []string // of the first arguments
	variables func(name string) (string, bool)
	used      bool // an argument was put somewhere
}

// found is a placeholder of a text.
type found struct {
	length   int
	words    []string // what it stands for
	text     string   // the same as one text
	present  bool     // false: it stays as it is
	argument bool
}

var (
	variable   = lazy.MustCompile(`^\$\{([A-Z][A-Z0-9_]*)\}`)
	byNumber   = lazy.MustCompile(`^\$([0-9]+)`)
	everything = lazy.MustCompile(`^\$ARGUMENTS(\[([0-9]+)\])?`)
	byName     = lazy.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_-]*)`)
)

// at finds the placeholder that a text begins with; false when it begins with none.
func (f *filler) at(text string) (found, bool) {
	if m := variable.Get().FindStringSubmatch(text); m != nil {
		v, ok := f.variables(m[1])
		return found{length: len(m[0]), words: []string{v}, text: v, present: ok}, ok
	}
	if m := byNumber.Get().FindStringSubmatch(text); m != nil {
		return f.numbered(m[0], m[1]), true
	}
	if m := everything.Get().FindStringSubmatch(text); m != nil && m[2] != "" {
		return f.numbered(m[0], m[2]), true
	} else if m != nil && !wordGoesOn(text[len(m[0]):]) {
		return found{length: len(m[0]), words: f.words, text: f.all, present: true, argument: true}, true
	}
	m := byName.Get().FindStringSubmatch(text)
	if m == nil {
		return found{}, false
	}
	for name := m[1]; name != ""; { // $since-tag is $since where no argument is named since-tag
		if i := slices.Index(f.names, name); i >= 0 {
			out := found{length: 1 + len(name), present: true, argument: true, words: []string{""}}
			if i < len(f.words) {
				out.words, out.text = f.words[i:i+1], f.words[i]
			}
			return out, true
		}
		cut := strings.LastIndexByte(name, '-')
		if cut < 0 {
			break
		}
		name = name[:cut]
	}
	return found{}, false
}

func wordGoesOn(rest string) bool {
	return rest != "" && (rest[0] == '_' || rest[0] >= '0' && rest[0] <= '9' || rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z')
}

// numbered is the argument of a number, counted from 0.
func (f *filler) numbered(text, number string) found {
	out := found{length: len(text), argument: true}
	if i, err := strconv.Atoi(number); err == nil && i < len(f.words) {
		out.words, out.text, out.present = f.words[i:i+1], f.words[i], true
	}
	return out
}

// fill replaces the placeholders of a text. A backslash before one goes and keeps it as it is.
func (f *filler) fill(text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == '\\' && i+1 < len(text) && text[i+1] == '$' {
			if p, ok := f.at(text[i+1:]); ok {
				b.WriteString(text[i+1 : i+1+p.length])
				i += 1 + p.length
				continue
			}
		}
		if text[i] == '$' {
			if p, ok := f.at(text[i:]); ok {
				b.WriteString(f.put(p, text[i:i+p.length], p.text))
				i += p.length
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

func (f *filler) put(p found, placeholder, value string) string {
	if !p.present {
		return placeholder
	}
	f.used = f.used || p.argument
	return value
}

// command fills in a command line. An argument stays one word of it whatever characters it holds: it never becomes a command
// of its own.
func (f *filler) command(line string) (string, error) {
	var b strings.Builder
	var quote byte // the shell's state: 0, ' or "
	for i := 0; i < len(line); {
		c := line[i]
		if c == '\\' && i+1 < len(line) && quote != '\'' || c == '\\' && i+1 < len(line) && line[i+1] == '$' {
			if p, ok := f.at(line[i+1:]); ok {
				b.WriteString(line[i+1 : i+1+p.length])
				i += 1 + p.length
				continue
			}
			b.WriteString(line[i : i+2])
			i += 2
			continue
		}
		if c == '$' {
			if p, ok := f.at(line[i:]); ok {
				value, err := shellWords(line, p, quote)
				if err != nil {
					return "", err
				}
				b.WriteString(f.put(p, line[i:i+p.length], value))
				i += p.length
				continue
			}
		}
		switch {
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		}
		b.WriteByte(c)
		i++
	}
	return b.String(), nil
}

var (
	plain    = lazy.MustCompile(`^[A-Za-z0-9_./:@%+=,-]*$`)
	involved = lazy.MustCompile("[`#]" + `|\$\(|\$'|\$"|<<|[<>]\(|\\|\beval\b|\s-[a-z]*c\b`)
)

var errInvolved = errors.New("holds characters that a shell acts on, and the command is too involved to keep them one word of it")

// shellWords is what stands in a command line for a placeholder.
func shellWords(line string, p found, quote byte) (string, error) {
	out := make([]string, len(p.words))
	for i, w := range p.words {
		if plain.Get().MatchString(w) {
			if out[i] = w; w == "" && quote == 0 {
				out[i] = "''"
			}
			continue
		}
		if strings.ContainsRune(w, 0) {
			return "", errors.New("an argument holds a NUL character")
		}
		if involved.Get().MatchString(line) {
			return "", fmt.Errorf("the argument %q %w", w, errInvolved)
		}
		switch quote {
		case 0:
			out[i] = singleQuoted(w)
		case '\'':
			out[i] = strings.ReplaceAll(w, "'", `'\''`)
		default:
			out[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(w)
		}
	}
	return strings.Join(out, " "), nil
}
