package diag

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files and docs/errors.md")

// errorsDoc is the text of docs/errors.md.
func errorsDoc() string {
	var b strings.Builder
	b.WriteString(`# Error codes

<!-- Code generated from config/diag/codes.go by go generate ./config/diag; DO NOT EDIT. -->

Every finding of ` + "`swarmrun validate`" + ` and of the loader carries a code that never changes its meaning. The first letter says
how bad it is:

| letter | means |
|---|---|
| E | error: the file or entry is not used |
| W | warning: it is used; every command prints the finding |
| L | lint: a warning that only ` + "`validate`" + ` prints |
| I | info: printed by ` + "`validate`" + ` and with ` + "`-v`" + ` |

` + "`--strict`" + ` turns warnings and lints into errors.
`)
	for g := range Groups() {
		fmt.Fprintf(&b, "\n## %s\n", g.Name)
		for _, e := range g.Entries {
			fmt.Fprintf(&b, "\n### %s\n\n%s%s.\n\n- Cause: %s\n- Cure: %s\n",
				e.Code, strings.ToUpper(e.Title[:1]), e.Title[1:], e.Cause, e.Cure)
		}
	}
	return b.String()
}

func TestErrorsDoc(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "errors.md")
	want := errorsDoc()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/errors.md is stale, run go generate ./config/diag (-want +got):\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	form := regexp.MustCompile(`^[EWLI]-[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$`)
	seen := make(map[Code]bool)
	for g := range Groups() {
		for _, e := range g.Entries {
			if !form.MatchString(string(e.Code)) {
				t.Errorf("%s: a code is severity, hyphen, words in capitals", e.Code)
			}
			if seen[e.Code] {
				t.Errorf("%s stands in the table twice", e.Code)
			}
			seen[e.Code] = true
			if e.Title == "" || strings.HasSuffix(e.Title, ".") || !strings.HasSuffix(e.Cause, ".") || !strings.HasSuffix(e.Cure, ".") {
				t.Errorf("%s: title, cause or cure is missing or no sentence", e.Code)
			}
			if got, ok := Lookup(e.Code); !ok || got != e {
				t.Errorf("Lookup(%s) = %v, %t", e.Code, got, ok)
			}
		}
	}
	if _, ok := Lookup("E-NO-SUCH-CODE"); ok {
		t.Error("Lookup found a code that is not there")
	}
}

// A code that somebody prints and nobody can look up is a dead end for the reader.
func TestEveryCodeIsExplained(t *testing.T) {
	form := regexp.MustCompile(`^[EWLI]-[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$`)
	root := filepath.Join("..", "..")
	used := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			filepath.Base(path) == "codes.go" {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil || !form.MatchString(text) {
				return true
			}
			used++
			if _, ok := Lookup(Code(text)); !ok {
				t.Errorf("%s: %s has no row in the table of config/diag/codes.go", fset.Position(lit.Pos()), text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d uses of codes", used)
}
