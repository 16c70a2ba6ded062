package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// checkVariables: a package has no state. What stays are values that nobody writes: sentinel errors, embedded files,
// tables, what internal/lazy makes. Without types this looks at names: a local variable of the same name may hide a write of
// nothing, never a write.
func checkVariables(t *Tree) []Violation {
	var vs []Violation
	for _, p := range t.Packages {
		vars := make(map[string]*ast.Ident)
		for _, f := range p.code() {
			for _, d := range f.Ast.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.VAR {
					continue
				}
				for _, s := range g.Specs {
					v := s.(*ast.ValueSpec)
					for i, name := range v.Names {
						if name.Name == "_" || excepted(p.Path+"."+name.Name) {
							continue
						}
						vars[name.Name] = name
						if reason := stateful(f, g, v, i); reason != "" {
							vs = append(vs, Violation{t.at(name.Pos()), fmt.Sprintf("package variable %s %s", name.Name, reason)})
						}
					}
				}
			}
		}
		for _, f := range p.Files {
			vs = append(vs, t.writes(f, vars)...)
		}
	}
	return vs
}

func excepted(place string) bool {
	return slices.ContainsFunc(exceptions(), func(e exception) bool { return e.place == place })
}

// stateful says why a declaration alone shows that a variable is state, "" when it does not.
func stateful(f *File, g *ast.GenDecl, v *ast.ValueSpec, i int) string {
	if embedded(g.Doc) || embedded(v.Doc) {
		return ""
	}
	name := v.Names[i].Name
	if len(v.Values) == 0 {
		return "has no value, so somebody must write it"
	}
	if ast.IsExported(name) && !strings.HasPrefix(name, "Err") {
		return "is exported, so anybody can write it: make it a function or a constant"
	}
	if i >= len(v.Values) {
		return ""
	}
	call, ok := v.Values[i].(*ast.CallExpr)
	if !ok {
		if u, ok := v.Values[i].(*ast.UnaryExpr); ok && u.Op == token.AND && !ownType(u.X) {
			return "is a pointer to something that can be written"
		}
		return ""
	}
	if x, ok := call.Fun.(*ast.Ident); ok && (x.Name == "make" || x.Name == "new") {
		return "is made empty, so somebody must write it"
	}
	return sharedType(f, v, call)
}

// ownType tells whether a literal is of a type of the package: its identity may be what counts, as in a sentinel error.
func ownType(e ast.Expr) bool {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	_, ok = lit.Type.(*ast.Ident)
	return ok
}

// sharedType finds the types that exist to be changed.
func sharedType(f *File, v *ast.ValueSpec, call *ast.CallExpr) string {
	names := importNames(f)
	for _, e := range []ast.Expr{v.Type, call.Fun} {
		if s, ok := e.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				switch p := names[x.Name]; {
				case p == "regexp", p == "sync" && (s.Sel.Name == "OnceValue" || s.Sel.Name == "OnceValues"):
					return "is made at every start: take internal/lazy"
				case p == "sync", p == "sync/atomic":
					return "is shared state"
				}
			}
		}
	}
	return ""
}

func embedded(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed") })
}

// writes finds statements that change a package variable or hand out its address.
func (t *Tree) writes(f *File, vars map[string]*ast.Ident) []Violation {
	if len(vars) == 0 {
		return nil
	}
	var vs []Violation
	for _, d := range f.Ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		local := locals(fn)
		target := func(e ast.Expr) {
			x := root(e)
			if x == nil || local[x.Name] || vars[x.Name] == nil {
				return
			}
			vs = append(vs, Violation{t.at(e.Pos()), fmt.Sprintf("package variable %s is written: state belongs into a value that is passed on", x.Name)})
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					for _, l := range n.Lhs {
						target(l)
					}
				}
			case *ast.IncDecStmt:
				target(n.X)
			case *ast.UnaryExpr:
				if _, literal := n.X.(*ast.CompositeLit); n.Op == token.AND && !literal {
					target(n.X)
				}
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					target(n.Key)
					target(n.Value)
				}
			case *ast.CallExpr:
				if x, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && slices.Contains([]string{"delete", "clear", "copy"}, x.Name) {
					target(n.Args[0])
				}
			}
			return true
		})
	}
	return vs
}

// root is the variable that an expression changes a part of.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// locals are the names that a function declares itself.
func locals(fn *ast.FuncDecl) map[string]bool {
	names := make(map[string]bool)
	add := func(fields *ast.FieldList) {
		if fields == nil {
			return
		}
		for _, f := range fields.List {
			for _, n := range f.Names {
				names[n.Name] = true
			}
		}
	}
	add(fn.Recv)
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			add(n.Params)
			add(n.Results)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, l := range n.Lhs {
					if x, ok := l.(*ast.Ident); ok {
						names[x.Name] = true
					}
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				for _, e := range []ast.Expr{n.Key, n.Value} {
					if x, ok := e.(*ast.Ident); ok {
						names[x.Name] = true
					}
				}
			}
		case *ast.ValueSpec:
			for _, x := range n.Names {
				names[x.Name] = true
			}
		}
		return true
	})
	return names
}
