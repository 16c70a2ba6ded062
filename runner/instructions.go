package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/swarmrun/swarmrun/tools"
)

const (
	maxInstructions = 4 << 20 // bytes of one file; a longer one is passed over
	maxImports      = 4       // levels of @path
)

// found is the text of instruction files and what was wrong with them.
type found struct {
	text     string
	warnings []string
}

// reader collects instruction files. Each real file stands in the text once.
type reader struct {
	found
	parts []string
	seen  []fs.FileInfo
}

// instructions reads the files that tell agents of a workspace how to work: the person's own, then from the workspace's root
// down to the working directory CLAUDE.md or .claude/CLAUDE.md, CLAUDE.local.md and AGENTS.md of each folder. Files of the
// workspace are read through its root: a link or an import that leads outside is refused.
func instructions(at tools.Roots, home string) found {
	var r reader
	if home != "" {
		r.folder(home, "", []string{".claude/CLAUDE.md"})
	}
	root, dirs := chain(at)
	for _, dir := range dirs {
		r.folder(root, dir, []string{"CLAUDE.md", ".claude/CLAUDE.md"})
		r.folder(root, dir, []string{"CLAUDE.local.md"})
		r.folder(root, dir, []string{"AGENTS.md"})
	}
	r.text = strings.Join(r.parts, "\n\n")
	return r.found
}

// chain is the folders from the workspace's root to the working directory, relative to the root; a directory outside the
// workspace is a root of its own.
func chain(at tools.Roots) (root string, dirs []string) {
	rel, err := filepath.Rel(at.Workspace, at.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return at.Dir, []string{"."}
	}
	dirs = []string{"."}
	if rel == "." {
		return at.Workspace, dirs
	}
	path := ""
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		path = filepath.Join(path, part)
		dirs = append(dirs, path)
	}
	return at.Workspace, dirs
}

// folder adds the first of the names that exists in a folder.
func (r *reader) folder(base, dir string, names []string) {
	root, err := os.OpenRoot(base)
	if err != nil {
		return // no such folder, no files
	}
	defer root.Close()
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		text, ok := r.read(root, file, 0)
		if !ok {
			continue
		}
		if text = strings.TrimSpace(text); text != "" {
			r.parts = append(r.parts, fmt.Sprintf("# Instructions from %s\n\n%s", filepath.ToSlash(file), text))
		}
		return
	}
}

// read is the text of a file with its imports; false when there is no such file.
func (r *reader) read(root *os.Root, file string, depth int) (string, bool) {
	f, err := root.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	if err != nil {
		r.warn("%s is not read: %s", file, reason(err))
		return "", false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	for _, s := range r.seen {
		if os.SameFile(s, info) {
			return "", true
		}
	}
	r.seen = append(r.seen, info)
	if info.Size() > maxInstructions {
		r.warn("%s is not read: it is larger than 4 MiB", file)
		return "", true
	}
	text, err := io.ReadAll(io.LimitReader(f, maxInstructions))
	if err != nil {
		r.warn("%s is not read: %s", file, reason(err))
		return "", true
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return r.expand(root, filepath.Dir(file), string(text), depth), true
}

// An import is @path at the beginning of a line or after a blank.
var importForm = regexp.MustCompile(`(^|[ \t])@([A-Za-z0-9_./~-][^\s` + "`" + `,;:!?]*)`)

// expand drops block comments and puts imported files in the place of their @path, both outside code only.
func (r *reader) expand(root *os.Root, dir, text string, depth int) string {
	var b strings.Builder
	fence, comment := "", false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case comment:
			comment = !strings.Contains(line, "-->")
			continue
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case strings.HasPrefix(trimmed, "<!--"):
			comment = !strings.Contains(line, "-->")
			continue
		default:
			line = r.imports(root, dir, line, depth)
		}
		b.WriteString(line)
	}
	return b.String()
}

// imports replaces the @paths of one line, but for those in `code`. What is no file stays as it is.
func (r *reader) imports(root *os.Root, dir, line string, depth int) string {
	if !strings.Contains(line, "@") {
		return line
	}
	spans := strings.SplitAfter(line, "`")
	for i := range spans {
		if i%2 == 1 && i < len(spans)-1 {
			continue
		}
		spans[i] = importForm.ReplaceAllStringFunc(spans[i], func(m string) string {
			at := strings.IndexByte(m, '@')
			text, ok := r.imported(root, dir, strings.TrimRight(m[at+1:], "."), depth)
			if !ok {
				return m
			}
			return m[:at] + text
		})
	}
	return strings.Join(spans, "")
}

func (r *reader) imported(root *os.Root, dir, path string, depth int) (string, bool) {
	outside := strings.HasPrefix(path, "~") || filepath.IsAbs(path)
	file := filepath.Join(dir, filepath.FromSlash(path))
	if outside || !filepath.IsLocal(file) {
		r.warn("@%s is not read: it lies outside the workspace", path)
		return "", false
	}
	if depth == maxImports {
		r.warn("@%s is not read: imports go %d levels deep", path, maxImports)
		return "", false
	}
	return r.read(root, file, depth+1)
}

func (r *reader) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// reason is an error without the path that stands in front of it already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
