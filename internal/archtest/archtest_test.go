package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The project itself.
func TestProject(t *testing.T) {
	tree, err := Load(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Packages) < 5 {
		t.Fatalf("only %d packages found: this is not the project", len(tree.Packages))
	}
	for _, v := range Check(tree) {
		t.Error(v)
	}
}

// A tree with one fault planted must be found out, and the same tree without it must not.
func TestPlantedFaults(t *testing.T) {
	const doc = "// Package x is documented.\npackage x\n"
	imports := func(paths ...string) string {
		return "package x\n\nimport (\n\t_ \"" + strings.Join(paths, "\"\n\t_ \"") + "\"\n)\n"
	}
	tests := []struct {
		name  string
		files map[string]string
		want  string // part of the one violation, "" for none
	}{
		{"down", map[string]string{"tools/doc.go": doc, "tools/a.go": imports(module+"/config/diag", module+"/internal/schema")}, ""},
		{"up", map[string]string{"config/diag/doc.go": doc, "config/diag/a.go": imports(module + "/agents")},
			"config/diag/a.go:4: config/diag (rung 0 foundations) imports agents (rung 2 agents): imports point down"},
		{"plug-in imported by its root", map[string]string{"providers/doc.go": doc, "providers/a.go": imports(module + "/providers/openai")},
			"imports providers/openai (rung 1 families): imports point down"},
		{"between families", map[string]string{"tools/builtin/doc.go": doc, "tools/builtin/a.go": imports(module + "/providers/script")},
			"tools/builtin/a.go:4: tools/builtin imports providers/script: families of rung 1 do not know each other"},
		{"loader and runner", map[string]string{"runner/session/doc.go": doc, "runner/session/a.go": imports(module + "/loader")},
			"runner/session imports loader: what reads files and what runs agents"},
		{"agents and config", map[string]string{"agents/doc.go": doc, "agents/a.go": imports(module + "/config")},
			"agents imports config: agents can be built in Go"},
		{"below agents and config", map[string]string{"agents/hook/doc.go": doc, "agents/hook/a.go": imports(module + "/config")},
			"agents/hook imports config: agents can be built in Go"},
		{"loader and a foreign format", map[string]string{"loader/doc.go": doc, "loader/a.go": imports(module + "/loader/claude")},
			"loader imports loader/claude: foreign formats"},
		{"environment and a foreign format", map[string]string{"loader/standard/doc.go": doc, "loader/standard/a.go": imports(module + "/loader/claude")}, ""},
		{"agents and diagnostics", map[string]string{"agents/doc.go": doc, "agents/a.go": imports(module + "/config/diag")}, ""},
		{"a test joins what is apart", map[string]string{"agents/doc.go": doc, "agents/a_test.go": imports(module + "/loader")}, ""},
		{"no line", map[string]string{"tools/helper/doc.go": doc}, "tools/helper: the package has no line"},
		{"library in the wrong hands", map[string]string{"tools/doc.go": doc, "tools/a.go": imports("gopkg.in/yaml.v3")},
			"gopkg.in/yaml.v3 may be imported by config, internal/frontmatter only"},
		{"library in the right hands", map[string]string{"config/doc.go": doc, "config/a.go": imports("gopkg.in/yaml.v3")}, ""},
		{"library of tests", map[string]string{"config/doc.go": doc, "config/a.go": imports("github.com/google/go-cmp/cmp")}, "is for tests only"},
		{"library in a test", map[string]string{"config/doc.go": doc, "config/a_test.go": imports("github.com/google/go-cmp/cmp")}, ""},
		{"library in the tests of another", map[string]string{"tools/doc.go": doc, "tools/a_test.go": imports("github.com/santhosh-tekuri/jsonschema/v6")}, "is for the tests of internal/schema only"},
		{"library in the right tests", map[string]string{"internal/schema/doc.go": doc, "internal/schema/a_test.go": imports("github.com/santhosh-tekuri/jsonschema/v6")}, ""},
		{"library of those tests in their package", map[string]string{"internal/schema/doc.go": doc, "internal/schema/a.go": imports("github.com/santhosh-tekuri/jsonschema/v6")}, "is for tests only"},
		{"library in a suite", map[string]string{"tools/toolstest/doc.go": doc, "tools/toolstest/a.go": imports("github.com/google/go-cmp/cmp")}, ""},
		{"wrong library in a suite", map[string]string{"tools/toolstest/doc.go": doc, "tools/toolstest/a.go": imports("gopkg.in/yaml.v3")}, "gopkg.in/yaml.v3 may be imported by"},
		{"unknown library", map[string]string{"config/doc.go": doc, "config/a_test.go": imports("example.com/left/pad")}, "example.com/left/pad has no line"},
		{"the longer path counts", map[string]string{"internal/schema/doc.go": doc, "internal/schema/a.go": imports("golang.org/x/text/width")},
			"golang.org/x/text/width may be imported by config/diag, cmd/swarmrun only"},
		{"a file for another system", map[string]string{"tools/doc.go": doc, "tools/a_windows.go": "//go:build windows\n\n" + imports(module+"/config")},
			"tools/a_windows.go:6: tools imports config"},
		{"folder", map[string]string{"pkg/doc.md": ""}, "pkg: this top-level folder is not one of"},
		{"dot folder", map[string]string{".ci/doc.md": ""}, ""},
		{"what make builds", map[string]string{"bin/a.go": "package x\n\nfunc Open() {}\n"}, ""},
		{"no doc.go", map[string]string{"config/a.go": doc}, "config: the package has no doc.go"},
		{"doc.go without comment", map[string]string{"config/doc.go": "package x\n"}, "config: the package has no doc.go"},
		{"exported without comment", map[string]string{"config/doc.go": doc, "config/a.go": "package x\n\nfunc Open() {}\n"}, "config/a.go:3: exported Open has no comment"},
		{"method of a hidden type", map[string]string{"config/doc.go": doc, "config/a.go": "package x\n\ntype t struct{}\n\nfunc (t) String() string { return \"\" }\n"}, ""},
		{"group with a comment", map[string]string{"config/doc.go": doc, "config/a.go": "package x\n\n// Kinds.\nconst (\n\tA = 1\n\tB = 2\n)\n"}, ""},
		{"a module of its own", map[string]string{"examples/review/go.mod": "module m\n", "examples/review/a.go": "package m\n\nfunc init() {}\n"}, ""},
		{"Exit", code("import \"os\"\n\nfunc f() { os.Exit(1) }"), "config/a.go:5: os.Exit: a library neither prints nor exits"},
		{"Println under another name", code("import p \"fmt\"\n\nfunc f() { p.Println() }"), "p.Println: a library neither"},
		{"Sprint", code("import \"fmt\"\n\nfunc f() string { return fmt.Sprint() }"), ""},
		{"log", code("import \"log\"\n\nfunc f() { log.Fatal() }"), "log.Fatal: a library neither"},
		{"println", code("func f() { println() }"), "println: a library does not print"},
		{"a program prints", map[string]string{"cmd/swarmrun/doc.go": "// Command swarmrun.\npackage main\n", "cmd/swarmrun/a.go": "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println() }\n"}, ""},
		{"init", code("func init() {}"), "config/a.go:3: init: build values where they are used"},
		{"method named init", code("type t struct{}\n\nfunc (t) init() {}"), ""},
		{"kept context", code("import \"context\"\n\ntype t struct{ ctx context.Context }"), "a context is kept in a struct"},
		{"late context", code("import \"context\"\n\nfunc f(n int, ctx context.Context) {}"), "f: the context comes first"},
		{"context of a test", code("import (\n\t\"context\"\n\t\"testing\"\n)\n\nfunc f(t *testing.T, ctx context.Context) {}"), ""},
		{"kept cancel", code("import \"context\"\n\ntype t struct{ cancel context.CancelFunc }"), ""},
		{"sentinel", code("import \"errors\"\n\n// ErrGone is gone.\nvar ErrGone = errors.New(\"gone\")"), ""},
		{"pattern", code("import \"regexp\"\n\nvar word = regexp.MustCompile(`\\w+`)"), "package variable word is made at every start"},
		{"lazy pattern", code("import \"" + module + "/internal/lazy\"\n\nvar word = lazy.MustCompile(`\\w+`)"), ""},
		{"table", code("var table = map[string]int{\"a\": 1}\n\nfunc f() int { return table[\"a\"] }"), ""},
		{"embedded", code("import _ \"embed\"\n\n//go:embed a.txt\nvar text string"), ""},
		{"asserted interface", code("import \"io\"\n\nvar _ io.Reader = (*t)(nil)\n\ntype t struct{ io.Reader }"), ""},
		{"once computed", code("import \"sync\"\n\nvar words = sync.OnceValue(func() []string { return nil })"), "package variable words is made at every start"},
		{"lazy value", code("import \"" + module + "/internal/lazy\"\n\nvar words = lazy.Value[[]string]{New: func() []string { return nil }}"), ""},
		{"written table", code("var table = map[string]int{\"a\": 1}\n\nfunc f() { table[\"b\"] = 2 }"), "config/a.go:5: package variable table is written"},
		{"written field", code("var table = struct{ n int }{1}\n\nfunc f() { table.n++ }"), "package variable table is written"},
		{"deleted entry", code("var table = map[string]int{\"a\": 1}\n\nfunc f() { delete(table, \"a\") }"), "package variable table is written"},
		{"address handed out", code("var n = 1\n\nfunc f() *int { return &n }"), "package variable n is written"},
		{"written by a test", map[string]string{"config/doc.go": doc, "config/a.go": "package x\n\nvar now = 1\n", "config/a_test.go": "package x\n\nfunc f() { now = 2 }\n"},
			"config/a_test.go:3: package variable now is written"},
		{"local of the same name", code("var n = 1\n\nfunc f() { n := 2; n = 3; _ = n }"), ""},
		{"empty variable", code("var n int"), "package variable n has no value"},
		{"empty map", code("var m = make(map[string]int)"), "package variable m is made empty"},
		{"sentinel of an own type", code("var gone = &cause{1}\n\ntype cause struct{ n int }"), ""},
		{"pointer to a foreign type", code("import \"net/http\"\n\nvar client = &http.Client{}"), "package variable client is a pointer"},
		{"logger of a library", code("import (\n\t\"io\"\n\t\"log\"\n)\n\nfunc f() *log.Logger { return log.New(io.Discard, \"\", 0) }"), ""},
		{"pointer", code("var p = &struct{ n int }{}"), "package variable p is a pointer"},
		{"exported variable", code("// Table is open.\nvar Table = []int{1}"), "package variable Table is exported"},
		{"mutex", code("import \"sync\"\n\nvar mu sync.Mutex"), "package variable mu has no value"},
		{"once", code("import \"sync\"\n\nvar once = sync.OnceFunc(func() {})"), "package variable once is shared state"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fsys := make(fstest.MapFS)
			for name, text := range tt.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			tree, err := Load(fsys)
			if err != nil {
				t.Fatal(err)
			}
			vs := Check(tree)
			switch {
			case tt.want == "" && len(vs) > 0:
				t.Errorf("violations where there should be none: %v", vs)
			case tt.want != "" && (len(vs) != 1 || !strings.Contains(vs[0].String(), tt.want)):
				t.Errorf("violations %v, want one with %q", vs, tt.want)
			}
		})
	}
}

// code is the package config with one file.
func code(text string) map[string]string {
	return map[string]string{
		"config/doc.go": "// Package x is documented.\npackage x\n",
		"config/a.go":   "package x\n\n" + text + "\n",
	}
}

// What is for tests is not linked, through whichever library it might come.
func TestBinaryWithoutTestLibraries(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/swarmrun")
	cmd.Dir, cmd.Stderr = filepath.Join("..", ".."), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, module+"/internal/schema") {
		t.Fatalf("%d packages, and the schemas are not among them", len(linked))
	}
	for _, path := range linked {
		if l, ok := libraryOf(path); ok && len(l.users) == 0 && strings.Contains(path, ".") {
			t.Errorf("the program links %s: %s", path, l.reason)
		}
	}
}

func TestLoadNamesTheBrokenFile(t *testing.T) {
	_, err := Load(fstest.MapFS{"config/a.go": {Data: []byte("package")}})
	if err == nil || !strings.Contains(err.Error(), "config/a.go:1") {
		t.Errorf("error %v, want one with the file", err)
	}
}

// Each name of the tables is used once, so that a line cannot contradict another.
func TestTables(t *testing.T) {
	seen := make(map[string]bool)
	once := func(what string) {
		if seen[what] {
			t.Errorf("%s stands in a table twice", what)
		}
		seen[what] = true
	}
	for _, r := range rungs() {
		for _, p := range r.packages {
			once(p)
		}
	}
	for _, l := range libraries() {
		once(l.path)
		for _, u := range l.users {
			if !seen[u] {
				t.Errorf("%s may be imported by %s, which has no line", l.path, u)
			}
		}
	}
}
