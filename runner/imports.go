package runner

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// An import is @path at the beginning of a line or after a blank.
var importForm = lazy.MustCompile(`(^|[ \t])@([A-Za-z0-9_./~-][^\s` + "`" + `,;:!?]*)`)

// expand drops block comments and puts imported files in the place of their @path, both outside code only.
func (r *reader) expand(at ground, dir, text string, depth int) string {
	var b strings.Builder
	fence, comment := "", false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t")
		if fence == "" && (comment || strings.HasPrefix(trimmed, "<!--")) {
			_, rest, closed := strings.Cut(trimmed, "-->")
			if comment = !closed; comment || strings.TrimSpace(rest) == "" {
				continue
			}
			line, trimmed = rest, strings.TrimLeft(rest, " \t")
		}
		switch {
		case fence != "":
			if rest, ok := strings.CutPrefix(trimmed, fence); ok && strings.Trim(rest, fence[:1]+" \t\n") == "" {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
		default:
			line = r.imports(at, dir, line, depth)
		}
		b.WriteString(line)
	}
	return b.String()
}

// imports replaces the @paths of one line, but for those in `code`. What is no file stays as it is.
func (r *reader) imports(at ground, dir, line string, depth int) string {
	if !strings.Contains(line, "@") {
		return line
	}
	spans := strings.SplitAfter(line, "`")
	for i := range spans {
		if i%2 == 1 && i < len(spans)-1 {
			continue
		}
		spans[i] = importForm.Get().ReplaceAllStringFunc(spans[i], func(m string) string {
			start := strings.IndexByte(m, '@')
			text, ok := r.imported(at, dir, strings.TrimRight(m[start+1:], "."), depth)
			if !ok {
				return m
			}
			return m[:start] + text
		})
	}
	return strings.Join(spans, "")
}

// imported is the text of an import. One that lies outside the workspace is refused, unless a file of the person names it.
func (r *reader) imported(at ground, dir, path string, depth int) (string, bool) {
	file := filepath.Join(dir, filepath.FromSlash(path))
	if strings.HasPrefix(path, "~") || filepath.IsAbs(path) || !filepath.IsLocal(file) {
		if r.home == "" {
			r.warn("@%s is not read: it lies outside the workspace", path)
			return "", false
		}
		file = r.elsewhere(at, path, file)
		root, err := os.OpenRoot(filepath.Dir(file))
		if err != nil {
			return "", false
		}
		defer root.Close()
		at, file = ground{root, filepath.Dir(file)}, filepath.Base(file)
	}
	if depth == maxImports {
		r.warn("@%s is not read: imports go %d levels deep", path, maxImports)
		return "", false
	}
	if r.excluded != nil && r.excluded(filepath.Join(at.base, file)) {
		return "", true
	}
	return r.read(at, file, depth+1)
}

// elsewhere is the absolute path of an import of the person's own file.
func (r *reader) elsewhere(at ground, path, file string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(r.home, filepath.FromSlash(rest))
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(at.base, file)
}
