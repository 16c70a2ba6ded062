package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// checkFolders: the top of the project stays readable.
func checkFolders(t *Tree) []Violation {
	var vs []Violation
	for _, f := range t.Folders {
		if !slices.Contains(folders(), f) {
			vs = append(vs, Violation{f, "this top-level folder is not one of " + strings.Join(folders(), ", ")})
		}
	}
	return vs
}

// checkDocs: each package has a doc.go with its comment, each exported name a comment.
func checkDocs(t *Tree) []Violation {
	var vs []Violation
	for _, p := range t.Packages {
		files := p.code()
		if len(files) == 0 || within(p.Path, "examples") {
			continue
		}
		i := slices.IndexFunc(files, func(f *File) bool { return path.Base(f.Path) == "doc.go" })
		if i < 0 || files[i].Ast.Doc == nil {
			vs = append(vs, Violation{p.Path, "the package has no doc.go with a package comment"})
		}
		if p.isCommand() {
			continue
		}
		for _, f := range files {
			for _, d := range f.Ast.Decls {
				for _, n := range undocumented(d) {
					vs = append(vs, Violation{t.at(n.Pos()), fmt.Sprintf("exported %s has no comment", n.Name)})
				}
			}
		}
	}
	return vs
}

// undocumented lists the exported names of a declaration that neither it nor its group explains.
func undocumented(d ast.Decl) []*ast.Ident {
	var names []*ast.Ident
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || receiverExported(d.Recv) && !speaksForItself(d.Name.Name)) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
					names = append(names, s.Name)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
					names = append(names, s.Names[0])
				}
			}
		}
	}
	return names
}

// speaksForItself are methods whose contract is that of a standard interface.
func speaksForItself(method string) bool {
	return slices.Contains([]string{"Error", "String", "Unwrap"}, method)
}

func receiverExported(r *ast.FieldList) bool {
	t := r.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// checkCalls: only programs print and exit.
func checkCalls(t *Tree) []Violation {
	forbidden := func(pkg, name string) bool {
		switch pkg {
		case "os":
			return name == "Exit"
		case "fmt":
			return name == "Print" || name == "Printf" || name == "Println"
		case "log":
			return strings.HasPrefix(name, "Print") || strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic")
		}
		return false
	}
	var vs []Violation
	for _, p := range t.Packages {
		if p.isCommand() {
			continue
		}
		for _, f := range p.code() {
			names := importNames(f)
			ast.Inspect(f.Ast, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					x, ok := n.X.(*ast.Ident)
					if ok && forbidden(names[x.Name], n.Sel.Name) {
						vs = append(vs, Violation{t.at(n.Pos()), fmt.Sprintf("%s.%s: a library neither prints nor exits", x.Name, n.Sel.Name)})
					}
				case *ast.CallExpr:
					if x, ok := n.Fun.(*ast.Ident); ok && (x.Name == "print" || x.Name == "println") {
						vs = append(vs, Violation{t.at(n.Pos()), x.Name + ": a library does not print"})
					}
				}
				return true
			})
		}
	}
	return vs
}

// importNames maps the names of a file's imports to their paths.
func importNames(f *File) map[string]string {
	names := make(map[string]string)
	for i, spec := range f.Ast.Imports {
		p := f.Imports[i].Path
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

// checkInit: nothing runs before main, but for what must.
func checkInit(t *Tree) []Violation {
	var vs []Violation
	for _, p := range t.Packages {
		for _, f := range p.code() {
			for _, d := range f.Ast.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" && !excepted(p.Path+".init") {
					vs = append(vs, Violation{t.at(fn.Pos()), "init: build values where they are used and pass them on"})
				}
			}
		}
	}
	return vs
}

// isFrom tells whether a type, or what it points to, is one of those of a package.
func isFrom(names map[string]string, e ast.Expr, pkg string, types ...string) bool {
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && names[x.Name] == pkg && slices.Contains(types, s.Sel.Name)
}

// checkContexts: a context is the first parameter, after a testing.T at most, and is not kept.
func checkContexts(t *Tree) []Violation {
	var vs []Violation
	for _, p := range t.Packages {
		for _, f := range p.code() {
			names := importNames(f)
			isContext := func(e ast.Expr) bool { return isFrom(names, e, "context", "Context") }
			complain := func(pos token.Pos, text string) { vs = append(vs, Violation{t.at(pos), text}) }
			ast.Inspect(f.Ast, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.StructType:
					for _, field := range n.Fields.List {
						if isContext(field.Type) {
							complain(field.Pos(), "a context is kept in a struct: hand it to each call")
						}
					}
				case *ast.FuncDecl:
					for i, field := range n.Type.Params.List {
						if i > 0 && isContext(field.Type) && !isFrom(names, n.Type.Params.List[0].Type, "testing", "T", "B", "F", "TB") {
							complain(field.Pos(), n.Name.Name+": the context comes first")
						}
					}
				}
				return true
			})
		}
	}
	return vs
}
