package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Tree is the parsed source of a project.
type Tree struct {
	Folders  []string // at the top, without dot folders
	Packages []*Package
	fset     *token.FileSet
}

// Package is one folder with Go files.
type Package struct {
	Path  string // inside the module, "." at its root
	Name  string
	Files []*File
}

// File is one Go file.
type File struct {
	Path    string
	Test    bool
	Ast     *ast.File
	Imports []Import
}

// Import is one import line.
type Import struct {
	Path string
	Pos  token.Pos
}

// Violation is one thing that breaks a rule.
type Violation struct {
	Place string // file:line, or a folder or package
	Text  string
}

// String is the place and the text.
func (v Violation) String() string { return v.Place + ": " + v.Text }

// built are the top-level folders that make writes and git ignores.
var built = []string{"bin", "dist"}

// Load parses all Go files below the root of a file system but those in testdata and dot folders. It fails at the first
// file that is no Go.
func Load(fsys fs.FS) (*Tree, error) {
	t := &Tree{fset: token.NewFileSet()}
	byPath := make(map[string]*Package)
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || slices.Contains(built, p)) {
				return fs.SkipDir
			}
			if p != "." && path.Dir(p) == "." {
				t.Folders = append(t.Folders, p)
			}
			if p != "." && isModule(fsys, p) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		f, err := t.parse(fsys, p)
		if err != nil {
			return err
		}
		dir := path.Dir(p)
		pkg := byPath[dir]
		if pkg == nil {
			pkg = &Package{Path: dir}
			byPath[dir] = pkg
			t.Packages = append(t.Packages, pkg)
		}
		if !f.Test {
			pkg.Name = f.Ast.Name.Name
		}
		pkg.Files = append(pkg.Files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load the source tree: %w", err)
	}
	return t, nil
}

// isModule tells whether a folder is a module of its own, such as the Go program of an example.
func isModule(fsys fs.FS, dir string) bool {
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil
}

func (t *Tree) parse(fsys fs.FS, p string) (*File, error) {
	src, err := fs.ReadFile(fsys, p)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ParseFile(t.fset, p, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &File{Path: p, Test: strings.HasSuffix(p, "_test.go"), Ast: parsed}
	for _, i := range parsed.Imports {
		target, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		f.Imports = append(f.Imports, Import{target, i.Pos()})
	}
	return f, nil
}

// at is a position as file:line.
func (t *Tree) at(pos token.Pos) string {
	p := t.fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// code yields the files of a package that are no tests.
func (p *Package) code() []*File {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f *File) bool { return f.Test })
}

// isCommand tells whether the package is a program: it may print and exit.
func (p *Package) isCommand() bool { return p.Name == "main" }

// isSuite tells whether the package is a conformance suite: test code that several packages share, such as sessiontest.
func (p *Package) isSuite() bool { return strings.HasSuffix(p.Path, "test") }

// within tells whether pkg is family or lies below it.
func within(pkg, family string) bool { return pkg == family || strings.HasPrefix(pkg, family+"/") }
