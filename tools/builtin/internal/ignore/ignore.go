package ignore

import (
	"bytes"
	"strings"
)

// Limits on one file, so that a hostile one costs little. What lies beyond them is not read.
const (
	MaxSize     = 256 << 10 // bytes
	maxPatterns = 10_000
)

// Verdict is what a file of patterns says about a path.
type Verdict int

// The verdicts.
const (
	Silent  Verdict = iota // no pattern fits
	Ignored                // left out
	Kept                   // brought back by a pattern with !
)

// File is one parsed .gitignore. It is immutable.
type File struct{ patterns []pattern }

// Parse reads the text of a .gitignore. Patterns that git could not match either are dropped.
func Parse(text []byte) *File {
	text = bytes.TrimPrefix(text[:min(len(text), MaxSize)], []byte("\ufeff"))
	f := &File{}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if p, ok := parse(string(line)); ok {
			f.patterns = append(f.patterns, p)
		}
		if len(f.patterns) == maxPatterns {
			break
		}
	}
	return f
}

// Match judges the path rel, slash-separated and relative to the folder of the file. The last pattern that fits decides.
// That a folder above is ignored is for the caller to know: a walk does not enter it.
func (f *File) Match(rel string, dir bool) Verdict {
	base := rel[strings.LastIndexByte(rel, '/')+1:]
	for i := len(f.patterns) - 1; i >= 0; i-- {
		p := &f.patterns[i]
		if p.dirOnly && !dir || !p.fits(rel, base) {
			continue
		}
		if p.keep {
			return Kept
		}
		return Ignored
	}
	return Silent
}

// Scope is the files that count in one folder, those of the folders above it included. It is immutable; nil is empty.
type Scope struct {
	above  *Scope
	folder string
	file   *File
}

// In is the scope of a folder below s that has the file f in it. folder is absolute and clean, with slashes.
func (s *Scope) In(folder string, f *File) *Scope {
	return &Scope{above: s, folder: strings.TrimSuffix(folder, "/"), file: f}
}

// Ignores reports whether path, absolute and below the folders of s, is left out. The innermost file that speaks decides.
func (s *Scope) Ignores(path string, dir bool) bool {
	for ; s != nil; s = s.above {
		rel, ok := strings.CutPrefix(path, s.folder+"/")
		if !ok {
			continue
		}
		if v := s.file.Match(rel, dir); v != Silent {
			return v == Ignored
		}
	}
	return false
}
