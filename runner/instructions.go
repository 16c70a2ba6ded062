package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/tools"
)

// Bounds of what instruction files may bring, so that hostile ones cannot make a prompt endless.
const (
	maxInstructions = 4 << 20 // bytes of one file, and of all; a longer one is passed over
	maxImports      = 4       // levels of @path
	maxInstructed   = 500     // files
	maxComplaints   = 20      // warnings
)

// found is the text of instruction files and what was wrong with them.
type found struct {
	text     string
	warnings []string
}

// reader collects instruction files. Each real file stands in the text once.
type reader struct {
	found
	parts    []string
	seen     []fs.FileInfo
	left     int                    // bytes that may still be read
	excluded func(path string) bool // by absolute path; nil = none
	home     string                 // while a file of the person is read: its imports may lie anywhere
}

// ground is where an instruction file is looked for.
type ground struct {
	root *os.Root
	base string // the path of root
}

// instructions reads the files that tell agents of a workspace how to work: the person's own, then from the workspace's root
// down to the working directory CLAUDE.md or .claude/CLAUDE.md, CLAUDE.local.md and AGENTS.md of each folder. Files of the
// workspace are read through its root: a link or an import that leads outside is refused.
func instructions(at tools.Roots, home string, excluded func(string) bool) found {
	r := reader{left: maxInstructions, excluded: excluded}
	if home != "" {
		r.home = home
		r.folder(home, "", []string{".claude/CLAUDE.md"})
		r.home = ""
	}
	root, dirs := chain(at)
	for _, dir := range dirs {
		r.all(root, dir)
	}
	r.text = strings.Join(r.parts, "\n\n")
	return r.found
}

// all adds the instruction files of one folder.
func (r *reader) all(root, dir string) {
	r.folder(root, dir, []string{"CLAUDE.md", ".claude/CLAUDE.md"})
	r.folder(root, dir, []string{"CLAUDE.local.md"})
	r.folder(root, dir, []string{"AGENTS.md"})
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
		if r.excluded != nil && r.excluded(filepath.Join(base, file)) {
			continue
		}
		text, ok := r.read(ground{root, base}, file, 0)
		if !ok {
			continue
		}
		if text = strings.TrimSpace(text); text != "" {
			r.parts = append(r.parts, titled(file, text))
		}
		return
	}
}

// read is the text of a file with its imports; false when there is no such file.
func (r *reader) read(at ground, file string, depth int) (string, bool) {
	if is, err := at.root.Stat(file); err == nil && !is.Mode().IsRegular() {
		return "", false // a pipe would not even open
	}
	f, err := at.root.Open(file)
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
	if len(r.seen) == maxInstructed {
		r.warn("%s is not read: there are more than %d files of instructions", file, maxInstructed)
		return "", true
	}
	r.seen = append(r.seen, info)
	if info.Size() > int64(r.left) {
		r.warn("%s is not read: it is larger than %d MiB, or all files together are", file, maxInstructions>>20)
		return "", true
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(r.left)))
	if err != nil {
		r.warn("%s is not read: %s", file, reason(err))
		return "", true
	}
	r.left -= len(text)
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return r.expand(at, filepath.Dir(file), legible(string(text)), depth), true
}

// legible is a text without control characters, which a terminal that shows it would obey, and with line ends as LF.
func legible(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || 0x7f <= c && c < 0xa0 {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// warn notes what is not read. Names are written so that a terminal does not obey them.
func (r *reader) warn(format string, args ...any) {
	if len(r.warnings) < maxComplaints {
		r.warnings = append(r.warnings, strings.ReplaceAll(legible(fmt.Sprintf(format, args...)), "\n", " "))
	}
}

// reason is an error without the path that stands in front of it already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
