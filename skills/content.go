package skills

import (
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of the list of a skill's files.
const (
	maxFiles   = 50
	maxLooked  = 2000 // files and folders
	maxNesting = 6
)

const (
	contentHead = `<skill_content name="`
	contentEnd  = "</skill_content>"
)

// Content is what a model is given of a skill: its text, filled in, where it lies and which files it brings. The files are
// not read.
func (k *Skill) Content(text string) string {
	var b strings.Builder
	b.WriteString(contentHead + attribute(k.Name) + "\">\n")
	b.WriteString(strings.TrimSpace(inert(text)))
	b.WriteString("\n")
	if k.Folder != "" {
		fmt.Fprintf(&b, "\nFolder of the skill: %s\nRelative paths in this text start there. Its files can be read while the skill is active.\n", attribute(filepath.ToSlash(k.Folder)))
		if files, more := k.Files(); len(files) > 0 {
			b.WriteString("<skill_resources>\n")
			for _, f := range files {
				fmt.Fprintf(&b, "<file>%s</file>\n", attribute(f))
			}
			if more {
				fmt.Fprintf(&b, "The list ends here; there are more files.\n")
			}
			b.WriteString("</skill_resources>\n")
		}
	}
	b.WriteString(contentEnd)
	return b.String()
}

// NameOf is the name of the skill whose Content a text begins with.
func NameOf(content string) (string, bool) {
	rest, ok := strings.CutPrefix(content, contentHead)
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(rest, `">`)
	return html.UnescapeString(name), ok
}

// Contents cuts a text of several Contents, one after the other, apart.
func Contents(text string) []string {
	var out []string
	for strings.HasPrefix(text, contentHead) {
		i := strings.Index(text, contentEnd)
		if i < 0 {
			break
		}
		i += len(contentEnd)
		out = append(out, text[:i])
		text = strings.TrimLeft(text[i:], "\n")
	}
	return out
}

// Files are the files of the skill's folder, relative to it, in order; more tells that there are others. A link that leads
// out of the folder is left out.
func (k *Skill) Files() (files []string, more bool) {
	if k.Folder == "" {
		return nil, false
	}
	looked := 0
	_ = filepath.WalkDir(k.Folder, func(path string, e fs.DirEntry, err error) error { // what cannot be read has no files
		rel, relErr := filepath.Rel(k.Folder, path)
		if err != nil || relErr != nil || rel == "." {
			return nil
		}
		if looked++; looked > maxLooked || len(files) > maxFiles {
			return fs.SkipAll
		}
		name := e.Name()
		switch {
		case strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__":
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir():
			if strings.Count(rel, string(filepath.Separator)) >= maxNesting-1 {
				more = true
				return fs.SkipDir
			}
		case rel == "SKILL.md" || !k.holds(path, e):
		default:
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if len(files) > maxFiles {
		files, more = files[:maxFiles], true
	}
	slices.Sort(files)
	return files, more || looked > maxLooked
}

// holds tells whether a file is a plain one that lies in the folder.
func (k *Skill) holds(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(k.Folder, real)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	info, err := os.Stat(real)
	return err == nil && info.Mode().IsRegular()
}
