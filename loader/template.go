package loader

import (
	"slices"
	"strconv"
	"strings"
	"text/template"
	syntax "text/template/parse"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// validateTemplate parses a body that is a template, and looks at the fields that it asks for.
func (a *agent) validateTemplate() diag.List {
	if !a.Template.V {
		return nil
	}
	t, err := parseTemplate(a)
	if err == nil {
		return a.strayFields(t.Tree)
	}
	at := a.Body
	text := templatePrefix.Get().ReplaceAllString(err.Error(), "")
	if m := templateLine.Get().FindAllStringSubmatch(err.Error(), -1); m != nil && a.prompt == a.Prompt {
		if line, _ := strconv.Atoi(m[len(m)-1][1]); line > 0 { // the last place named is where the fault begins
			at = diag.At(a.File, int(a.Body.Start.Line)+line-1, 1, 0)
		}
		text = strings.ReplaceAll(text, " started at body:"+m[len(m)-1][1], "")
	}
	return diag.List{diag.New("E-TEMPLATE", at, "the body is no template: %s", text).
		Suggest("write {{ \"{{\" }} for two braces that are meant as they are, or leave out template: true")}
}

var (
	templatePrefix = lazy.MustCompile(`^template: body:\d+(:\d+)?: `)
	templateLine   = lazy.MustCompile(`\bbody:(\d+)`)
)

func parseTemplate(a *agent) (*template.Template, error) {
	return template.New("body").Option("missingkey=error").Parse(a.prompt)
}

// promptFields are what a body that is a template can ask for.
var promptFields = [...]string{"Date", "Directory", "Env", "Vars"}

// strayFields tells of fields that no prompt has, where the dot is that of the whole body.
func (a *agent) strayFields(t *syntax.Tree) diag.List {
	var ds diag.List
	eachField(t.Root, func(f *syntax.FieldNode) {
		if slices.Contains(promptFields[:], f.Ident[0]) {
			return
		}
		at := a.Body
		if a.prompt == a.Prompt {
			at = a.inBody(int(f.Pos), f.Ident)
		}
		d := diag.New("E-TEMPLATE", at, "the body asks for .%s, which no prompt has", f.Ident[0])
		ds.Add(suggest(d, f.Ident[0], promptFields[:], "Fields"))
	})
	return ds
}

// inBody is the place of a field of the body. The parser gives that of the second name where there are several.
func (a *agent) inBody(offset int, names []string) diag.Range {
	if len(names) > 1 {
		offset -= len(names[0]) + 1
	}
	before := a.Prompt[:max(0, min(offset, len(a.Prompt)))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return diag.At(a.File, int(a.Body.Start.Line)+strings.Count(before, "\n"), len([]rune(line))+1, len([]rune(names[0]))+1)
}

// eachField visits the fields of the body's own dot. What range and with hold has another one.
func eachField(n syntax.Node, visit func(*syntax.FieldNode)) {
	switch n := n.(type) {
	case *syntax.FieldNode:
		visit(n)
	case *syntax.ChainNode:
		eachField(n.Node, visit)
	case *syntax.ActionNode:
		eachField(n.Pipe, visit)
	case *syntax.TemplateNode:
		eachField(n.Pipe, visit)
	case *syntax.IfNode:
		eachField(n.Pipe, visit)
		eachField(n.List, visit)
		eachField(n.ElseList, visit)
	case *syntax.RangeNode:
		eachField(n.Pipe, visit)
		eachField(n.ElseList, visit)
	case *syntax.WithNode:
		eachField(n.Pipe, visit)
		eachField(n.ElseList, visit)
	case *syntax.ListNode:
		if n != nil {
			for _, c := range n.Nodes {
				eachField(c, visit)
			}
		}
	case *syntax.PipeNode:
		if n != nil {
			for _, c := range n.Cmds {
				for _, arg := range c.Args {
					eachField(arg, visit)
				}
			}
		}
	}
}
