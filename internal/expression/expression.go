package expression

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// Bounds of an expression: of its source and its tree, of what it allocates in items, of what it yields in bytes.
const (
	MaxSource = 4 << 10
	maxNodes  = 1000
	maxMemory = 100_000
	maxResult = 1 << 20
)

// Error is what is wrong with an expression, or went wrong in it.
type Error struct {
	Message      string
	Line, Column int // from 1, in characters; 0 = the whole
}

// Error is the message with its place.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("%s (at %d:%d of the expression)", e.Message, e.Line, e.Column)
}

// Use is a member that an expression takes of one of its names, as in matrix.model.
type Use struct {
	Name, Member string
	Line, Column int // of the member's expression; from 1
}

// Program is a compiled expression. It does not change and may be used by many goroutines.
type Program struct {
	source  string
	program *vm.Program
	uses    []Use
	call    string // the function that it is a call of; "" = it is something else
}

// Compile reads an expression over the names of env, whose values say of which type each is; nil says that it may be
// anything, and of what a map or a list holds nothing is known. With truth it must yield true or false. The error is an
// *Error.
func Compile(source string, env map[string]any, truth bool) (*Program, error) {
	if len(source) > MaxSource {
		return nil, &Error{Message: fmt.Sprintf("the expression is longer than %d bytes", MaxSource)}
	}
	if strings.TrimSpace(source) == "" {
		return nil, &Error{Message: "the expression is empty"}
	}
	named := make(types.Map, len(env))
	for name, v := range env {
		if named[name] = types.TypeOf(v); v == nil {
			named[name] = types.Any
		}
	}
	u := &uses{source: source}
	options := []expr.Option{expr.Env(named), expr.MaxNodes(maxNodes), expr.DisableBuiltin("now"), expr.Patch(u)}
	if truth {
		options = append(options, expr.AsBool())
	}
	p, err := compile(source, options)
	if err != nil {
		return nil, newError(err)
	}
	out := &Program{source: source, program: p, uses: u.found}
	if c, ok := p.Node().(*ast.CallNode); ok {
		if name, ok := c.Callee.(*ast.IdentifierNode); ok {
			out.call = name.Value
		}
	}
	return out, nil
}

// compile keeps a defect of the library from ending the process.
func compile(source string, options []expr.Option) (p *vm.Program, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("it cannot be compiled: %v", fault)
		}
	}()
	return expr.Compile(source, options...)
}

// String is the source.
func (p *Program) String() string { return p.source }

// Uses are the members that the expression names, in the order of the tree.
func (p *Program) Uses() []Use { return p.uses }

// Eval runs the expression on values of its names. What it yields is a value that JSON knows. The error is an *Error.
func (p *Program) Eval(env map[string]any) (any, error) {
	machine := vm.VM{MemoryBudget: maxMemory}
	v, err := machine.Run(p.program, env)
	if err != nil {
		return nil, newError(err)
	}
	switch t := v.(type) {
	case nil, bool, int, float64:
		return v, nil
	case string:
		if len(t) > maxResult {
			return nil, &Error{Message: "what it yields is longer than 1 MiB"}
		}
		return t, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, &Error{Message: "what it yields is no JSON value: " + err.Error()}
	}
	if len(raw) > maxResult {
		return nil, &Error{Message: "what it yields is longer than 1 MiB"}
	}
	return v, nil
}

// newError takes an error of the library apart: its text has three lines with a drawn caret.
func newError(err error) *Error {
	var at *file.Error
	if !errors.As(err, &at) {
		text, _, _ := strings.Cut(err.Error(), "\n")
		return &Error{Message: text}
	}
	message, _, _ := strings.Cut(at.Message, "\n")
	return &Error{Message: message, Line: at.Line, Column: at.Column + 1}
}

// uses collects members while the library walks the tree.
type uses struct {
	source string
	found  []Use
}

// Visit is called for each node after its children.
func (u *uses) Visit(n *ast.Node) {
	m, ok := (*n).(*ast.MemberNode)
	if !ok {
		return
	}
	name, named := m.Node.(*ast.IdentifierNode)
	member, literal := m.Property.(*ast.StringNode)
	if !named || !literal {
		return
	}
	use := Use{Name: name.Value, Member: member.Value, Line: 1, Column: 1}
	for i, r := range []rune(u.source) {
		if i == name.Location().From {
			break
		}
		use.Column++
		if r == '\n' {
			use.Line, use.Column = use.Line+1, 1
		}
	}
	for _, f := range u.found {
		if reflect.DeepEqual(f, use) {
			return // the library walks more than once
		}
	}
	u.found = append(u.found, use)
}
