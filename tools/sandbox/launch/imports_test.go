package launch

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestImportsLittle keeps the start of a child short: packages are initialised in the order of their paths, each after what it
// imports, and after these few comes this one. With package strings it would wait for 45 more.
func TestImportsLittle(t *testing.T) {
	early := []string{
		"bytes", "errors", "io", "os", "os/signal", "path", "runtime", "slices", "strconv", "syscall", "time", "unsafe",
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			seen++
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(early, path) {
				t.Errorf("%s imports %s: every child waits until that is ready", name, path)
			}
		}
	}
	if seen == 0 {
		t.Error("no import was seen")
	}
}
