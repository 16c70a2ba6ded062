package config

import (
	"bytes"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// Format writes the repairs that a Markdown file needs into it. All other bytes stay: mark, line ends, body, and every line
// that YAML takes as it is. A file that needs no repair, is broken, or is YAML as a whole comes back unchanged. The list is
// what is wrong with the metadata, repairs included; formatting the result changes nothing more.
func Format(src []byte, file string) (out []byte, changed bool, ds diag.List) {
	if ext := strings.ToLower(file); strings.HasSuffix(ext, ".yaml") || strings.HasSuffix(ext, ".yml") {
		_, ds = frontmatter.ParseYAML(src, file)
		return src, false, ds
	}
	doc, ds := frontmatter.Split(src, file, knownKeys.Get())
	if !doc.Repaired() {
		return src, false, ds
	}
	return applyFixes(src, doc.Fixes), true, ds
}

// applyFixes replaces lines. A replaced line ends the way the last line of what it replaces does.
func applyFixes(src []byte, fixes []diag.Fix) []byte {
	lines := splitLines(src)
	var out bytes.Buffer
	out.Grow(len(src) + 64*len(fixes))
	for n := 1; n <= len(lines); n++ {
		i := slices.IndexFunc(fixes, func(f diag.Fix) bool { return f.Line == n })
		if i < 0 {
			out.Write(lines[n-1])
			continue
		}
		out.WriteString(fixes[i].Text)
		n = min(fixes[i].EndLine, len(lines))
		out.Write(lineEnd(lines[n-1]))
	}
	return out.Bytes()
}

// splitLines cuts bytes behind each LF, CRLF or CR.
func splitLines(src []byte) [][]byte {
	var out [][]byte
	start := 0
	for i := 0; i < len(src); i++ {
		if src[i] == '\n' || src[i] == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			out = append(out, src[start:i+1])
			start = i + 1
		}
	}
	if start < len(src) {
		out = append(out, src[start:])
	}
	return out
}

// lineEnd is the line end of a line: nothing, LF, CRLF or CR.
func lineEnd(line []byte) []byte { return line[len(bytes.TrimRight(line, "\r\n")):] }
