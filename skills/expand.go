package skills

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// Shell runs one command of a body under the caller's rules and gives its output.
type Shell func(ctx context.Context, command string) (string, error)

// Attach reads a file that a body names as @path. ErrNoFile: the text means no file.
type Attach func(path string) (string, error)

// ErrNoFile is why an @path is left as it is.
var ErrNoFile = errors.New("there is no such file")

// maxAttached is how many files one use attaches.
const maxAttached = 20

// Use is one use of a skill. The zero Use is a look at it: nothing is run, nothing is attached.
type Use struct {
	Arguments string            // as typed
	Variables map[string]string // ${CLAUDE_…} of the run
	Shell     Shell             // nil = commands stay as they are written
	Attach    Attach            // nil = no files
}

// Expand is the text of a skill for one use: its commands run, its arguments filled in, files attached. Everything is looked
// at once: neither the output of a command nor an attached file is filled in, and no argument is run.
func (k *Skill) Expand(ctx context.Context, u Use) (string, error) {
	f := &filler{all: strings.TrimSpace(u.Arguments), words: Words(u.Arguments), names: k.Arguments}
	f.variables = func(name string) (string, bool) {
		if v, ok := k.Variables[name]; ok {
			return v, true
		}
		v, ok := u.Variables[name]
		return v, ok
	}
	var b strings.Builder
	var attached []string
	if k.Verbatim {
		b.WriteString(k.Text)
	} else {
		for _, p := range pieces(k.Text) {
			if p.command == "" || u.Shell == nil {
				text := f.fill(p.text)
				attached = append(attached, mentions(text)...)
				b.WriteString(text)
				continue
			}
			out, err := k.run(ctx, f, u.Shell, p.command)
			if err != nil {
				return "", err
			}
			b.WriteString(p.before + out)
		}
	}
	if f.all != "" && !f.used {
		text := strings.TrimRight(b.String(), "\n")
		b.Reset()
		b.WriteString(text + "\n\nARGUMENTS: " + f.all + "\n")
		attached = append(attached, mentions(f.all)...)
	}
	if u.Attach != nil {
		attach(&b, u.Attach, attached)
	}
	return b.String(), nil
}

// run runs one command.
func (k *Skill) run(ctx context.Context, f *filler, sh Shell, command string) (string, error) {
	if k.NoShell {
		return "", fmt.Errorf("the command !`%s` is not run: settings switch commands of skills off", command)
	}
	line, err := f.command(command)
	if err != nil {
		return "", fmt.Errorf("the command !`%s` is not run: %w", command, err)
	}
	out, err := sh(ctx, line)
	if err != nil {
		return "", fmt.Errorf("the command !`%s`: %w", line, err)
	}
	return strings.TrimRight(out, "\n"), nil
}

// piece is a stretch of a body: a text, or a command with the text before it that belongs to it.
type piece struct{ text, before, command string }

var (
	inline = lazy.MustCompile("(?m)(^|[ \t])!`([^`\n]+)`")
	block  = lazy.MustCompile("(?ms)^[ \t]{0,3}```![ \t]*\n(.*?)\n?^[ \t]{0,3}```[ \t]*$")
)

// pieces takes a body apart. Blocks come before what stands in a line.
func pieces(body string) []piece {
	var out []piece
	from := 0
	for _, m := range block.Get().FindAllStringSubmatchIndex(body, -1) {
		out = append(out, lines(body[from:m[0]])...)
		if command := strings.TrimSpace(body[m[2]:m[3]]); command == "" {
			out = append(out, piece{text: body[m[0]:m[1]]})
		} else {
			out = append(out, piece{text: body[m[0]:m[1]], command: command})
		}
		from = m[1]
	}
	return append(out, lines(body[from:])...)
}

func lines(text string) []piece {
	var out []piece
	from := 0
	for _, m := range inline.Get().FindAllStringSubmatchIndex(text, -1) {
		if strings.TrimSpace(text[m[4]:m[5]]) == "" {
			continue
		}
		out = append(out, piece{text: text[from:m[0]]}, piece{text: text[m[0]:m[1]], before: text[m[2]:m[3]], command: text[m[4]:m[5]]})
		from = m[1]
	}
	return append(out, piece{text: text[from:]})
}

var mention = lazy.MustCompile("(?m)(?:^|[\\s(\"'])@([A-Za-z0-9_./~-][^\\s`,;:!?)\"'<>]*)")

// mentions are the paths that a text names as @path.
func mentions(text string) []string {
	if !strings.Contains(text, "@") {
		return nil
	}
	var out []string
	for _, m := range mention.Get().FindAllStringSubmatch(text, -1) {
		if path := strings.TrimRight(m[1], "."); path != "" {
			out = append(out, path)
		}
	}
	return out
}

// attach adds files behind a text, each once.
func attach(b *strings.Builder, read Attach, paths []string) {
	seen := map[string]bool{}
	n := 0
	for _, path := range paths {
		if seen[path] {
			continue
		}
		seen[path] = true
		text, err := read(path)
		switch {
		case errors.Is(err, ErrNoFile):
			continue
		case n == maxAttached:
			fmt.Fprintf(b, "\n[@%s is not attached: there are %d files already.]\n", clean(path), maxAttached)
			return
		case err != nil:
			fmt.Fprintf(b, "\n[@%s is not attached: %v.]\n", clean(path), err)
			continue
		}
		n++
		fmt.Fprintf(b, "\n<file path=\"%s\">\n%s\n</file>\n", attribute(path), strings.TrimRight(attachment(text), "\n"))
	}
}
