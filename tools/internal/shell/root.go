package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// rawRoot finds the deletion of the root in a line that does not parse.
var rawRoot = lazy.MustCompile(`\brm\b[^;&|\n]*\s["']?/[/.*]*["']?(\s|$|[;&|)])`)

// narrowing are find's tests after which it no longer means everything.
var narrowing = []string{"-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-newer", "-mtime", "-mmin", "-user", "-size", "-empty", "-inum", "-samefile"}

// DeletesRoot tells whether the line, run in dir, would delete everything: rm -rf / in any spelling and order of options,
// behind wrappers, in scripts it hands to a shell, after cd /, and as a glob or a variable below the root.
func DeletesRoot(line, dir string) bool {
	s := Parse(line)
	if s.Opaque != "" && rawRoot.Get().MatchString(line) {
		return true
	}
	dirs := []string{dir}
	for _, c := range s.Commands {
		if len(c.Words) > 1 && c.Words[0] == "cd" && isRoot(c.Words[len(c.Words)-1], dir) {
			dirs = append(dirs, "/")
		}
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return slices.ContainsFunc(s.Commands, func(c Command) bool { return c.deletesRoot(dir) })
	})
}

func (c Command) deletesRoot(dir string) bool {
	for i, w := range c.Words {
		if i > 0 && c.Runs == "" {
			return false
		}
		switch path.Base(w) {
		case "rm":
			if rmRoot(c.Words[i+1:], dir) {
				return true
			}
		case "find":
			if findRoot(c.Words[i+1:], dir) {
				return true
			}
		}
	}
	return false
}

func rmRoot(args []string, dir string) bool {
	recursive, operands := false, false
	for _, a := range args {
		switch {
		case operands || !strings.HasPrefix(a, "-") || a == "-":
		case a == "--":
			operands = true
		case a == "--no-preserve-root":
			return true
		case strings.HasPrefix(a, "--"):
			recursive = recursive || strings.HasPrefix("--recursive", a)
		default:
			recursive = recursive || strings.ContainsAny(a, "rR")
		}
	}
	return recursive && slices.ContainsFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") && isRoot(a, dir) })
}

func findRoot(args []string, dir string) bool {
	deletes := slices.Contains(args, "-delete") || slices.ContainsFunc(args, func(a string) bool { return path.Base(a) == "rm" })
	narrow := slices.ContainsFunc(args, func(a string) bool { return slices.Contains(narrowing, a) })
	return deletes && !narrow && len(args) > 0 && isRoot(args[0], dir)
}

// isRoot tells whether a word may name the root, or everything in it.
func isRoot(word, dir string) bool {
	known := word
	if i := strings.IndexFunc(word, unknown); i >= 0 {
		known = word[:i]
		if strings.Trim(word[i:], string(Unknown)+string(Piece)+"/.") != "" {
			return false // more text follows: a folder below the root
		}
		if known != "" && !strings.HasSuffix(known, "/") && !strings.HasSuffix(known, "/.") {
			return false
		}
	}
	if !strings.HasPrefix(known, "/") {
		if known == word && known == "" {
			return false
		}
		known = path.Join(dir, known)
	}
	return path.Clean(known) == "/"
}
