package shell

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// MaxLine is the longest line, in bytes, that Parse looks at.
const MaxLine = 10_000

// maxNesting bounds scripts within scripts: sh -c "sh -c '…'".
const maxNesting = 4

// standIns may not occur in a line: NUL, which no program is handed, and the stand-ins of words.
const standIns = "\x00" + string(Unknown) + string(Piece) + string(Blank)

// Script is what a command line does, as far as it can be read.
type Script struct {
	Commands []Command
	Files    []File
	// Opaque says why the line cannot be judged by its text; "" means that Commands and Files are all there is.
	Opaque string
	// Moves tells that a command may change the working directory, so that relative Files lie elsewhere.
	Moves bool
}

// Command is one simple command.
type Command struct {
	// Words are the command and its arguments after quote removal, without leading assignments and without the wrappers
	// (timeout, nohup, …) that only start it.
	Words []string
	// Source is the command as written, without leading assignments and redirections.
	Source string
	// Sets are the names of leading assignments; of a statement that only assigns, Words is empty.
	Sets []string
	// Runs says why the arguments may hold a command that Words does not show; "" means they do not.
	Runs string
	// Inner tells that the command was found in the text of another one: sh -c "…".
	Inner bool

	outer [][]string // Words with the wrappers that were taken off, outermost first
}

// File is the target of a redirection, after quote removal.
type File struct {
	Path  string
	Write bool
}

// Parse reads a line of bash. It never fails: what cannot be read is Opaque.
func Parse(line string) Script {
	var s Script
	s.read(line, 0)
	s.Moves = slices.ContainsFunc(s.Commands, moves)
	return s
}

func (s *Script) read(line string, depth int) {
	switch {
	case len(line) > MaxLine:
		s.veil("it is longer than 10,000 characters")
		return
	case strings.ContainsAny(line, standIns) || !utf8.ValidString(line):
		s.veil("it holds characters that are no text")
		return
	case depth > maxNesting:
		s.veil("it nests scripts too deeply")
		return
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		s.veil("it is no valid shell text")
		return
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		s.node(n, line, depth)
		return true
	})
}

// veil notes the first reason for being opaque.
func (s *Script) veil(reason string) {
	if s.Opaque == "" {
		s.Opaque = reason
	}
}

func (s *Script) node(n syntax.Node, line string, depth int) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		s.call(n, line, depth)
	case *syntax.DeclClause:
		s.declaration(n, line, depth)
	case *syntax.TimeClause:
		if n.Stmt == nil { // behind a pipe it is the program
			s.add(Command{Words: []string{"time"}, Source: "time"}, depth)
		}
	case *syntax.Redirect:
		s.redirect(n, line)
		if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
			s.set(strings.Trim(n.N.Value, "{}"), depth)
		}
	case *syntax.ArithmExp:
		s.arithmetic(n.X)
	case *syntax.ArithmCmd:
		s.arithmetic(n.X)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			s.arithmetic(x)
		}
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{n.Init, n.Cond, n.Post} {
			s.arithmetic(x)
		}
	case *syntax.Assign:
		s.arithmetic(n.Index)
	case *syntax.ArrayElem:
		s.arithmetic(n.Index)
	case *syntax.ParamExp:
		s.parameter(n, depth)
	case *syntax.BinaryTest:
		s.test(n)
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			s.veil("it tests a variable by name, which bash evaluates")
		}
	case *syntax.ExtGlob:
		if n.Op == syntax.GlobExcept || strings.ContainsAny(n.Pattern.Value, "$`") {
			s.veil("it has an extended glob, which some shells take for commands")
		}
	case *syntax.WordIter:
		s.set(n.Name.Value, depth)
	case *syntax.CoprocClause:
		s.coprocess(n, depth)
	}
}

// arithmetic allows numbers only: bash evaluates the value of a variable as an expression, whose subscripts may hold
// command substitutions.
func (s *Script) arithmetic(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			if lit := w.Lit(); lit == "" || strings.Trim(lit, "0123456789") != "" {
				s.veil("it computes with variables, whose values bash evaluates")
			}
			return false
		}
		return true
	})
}

func (s *Script) parameter(p *syntax.ParamExp, depth int) {
	if p.Excl && p.Names == 0 || p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		s.veil("it expands a variable's value once more")
	}
	if p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) && p.Param != nil {
		s.set(p.Param.Value, depth)
	}
	if p.Slice != nil {
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			s.arithmetic(x)
		}
	}
	if w, ok := p.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		return
	}
	s.arithmetic(p.Index)
}

// test looks at [[ x op y ]]. A shell without [[ takes < and > in it for redirections.
func (s *Script) test(t *syntax.BinaryTest) {
	switch t.Op {
	case syntax.TsBefore, syntax.TsAfter:
		s.veil("it compares with < or > in [[ ]], which some shells take for a redirection")
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, x := range []syntax.TestExpr{t.X, t.Y} {
			w, ok := x.(*syntax.Word)
			if !ok || w.Lit() == "" || strings.Trim(w.Lit(), "0123456789") != "" {
				s.veil("it compares variables as numbers, whose values bash evaluates")
			}
		}
	}
}

func (s *Script) redirect(r *syntax.Redirect, line string) {
	if r.Word == nil {
		return
	}
	path := word(r.Word)
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		s.hereDocument(r, line)
		return
	case syntax.WordHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		if strings.Trim(path, "0123456789-") == "" {
			return // a file descriptor
		}
	}
	write := r.Op != syntax.RdrIn && r.Op != syntax.DplIn
	s.Files = append(s.Files, File{Path: path, Write: write})
	if r.Op == syntax.RdrInOut {
		s.Files = append(s.Files, File{Path: path})
	}
}

func (s *Script) call(n *syntax.CallExpr, line string, depth int) {
	var c Command
	for _, a := range n.Assigns {
		if a.Name != nil {
			c.Sets = append(c.Sets, a.Name.Value)
		}
	}
	for _, w := range n.Args {
		c.Words = append(c.Words, word(w))
	}
	if len(n.Args) > 0 {
		c.Source = line[n.Args[0].Pos().Offset():n.Args[len(n.Args)-1].End().Offset()]
	}
	s.add(c, depth)
}

// declaration is export X=1 and its like: a command of that name.
func (s *Script) declaration(n *syntax.DeclClause, line string, depth int) {
	c := Command{Words: []string{n.Variant.Value}, Source: line[n.Pos().Offset():n.End().Offset()]}
	for _, a := range n.Args {
		var text string
		if a.Name != nil {
			text = a.Name.Value
		}
		if !a.Naked {
			text += "="
		}
		switch {
		case a.Array != nil:
			text += string(Unknown)
		case a.Value != nil:
			text += word(a.Value)
		}
		c.Words = append(c.Words, text)
	}
	s.add(c, depth)
}

// set is a construct that assigns to a variable: the shell hands it to later commands if it is in the environment.
func (s *Script) set(name string, depth int) { s.add(Command{Sets: []string{name}}, depth) }

// add files a command and what it is known to run and write.
func (s *Script) add(c Command, depth int) {
	c.Inner = depth > 0
	c.unwrap()
	c.Runs = runs(c.Words)
	s.Commands = append(s.Commands, c)
	s.Files = append(s.Files, writes(c.Words)...)
	if text, ok := script(c.Words); ok {
		s.read(text, depth+1)
	}
}

func moves(c Command) bool {
	if len(c.Words) == 0 {
		return false
	}
	switch c.Words[0] {
	case "cd", "pushd", "popd":
		return true
	}
	return c.Runs != "" || !Known(c.Words[0])
}
