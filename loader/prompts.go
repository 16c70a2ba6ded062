package loader

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// editorVariable is ${name} or ${input:name:placeholder} in a prompt file of an editor.
var editorVariable = lazy.MustCompile(`\$\{([A-Za-z]+)(?::([A-Za-z0-9_-]+))?(?::[^}]*)?\}`)

// editorPrompt turns the inputs of a prompt file of Copilot into arguments, in the order in which they are met. What only an
// editor knows is an error: the model would be told the name of a variable.
func (p *parsed) editorPrompt() {
	if p.tree != config.FromCopilot || p.skill == nil {
		return
	}
	var inputs, unknown []string
	written := p.skill.Text
	p.skill.Text = editorVariable.Get().ReplaceAllStringFunc(p.skill.Text, func(m string) string {
		v := editorVariable.Get().FindStringSubmatch(m)
		if v[1] != "input" || v[2] == "" {
			unknown = append(unknown, m)
			return m
		}
		i := slices.Index(inputs, v[2])
		if i < 0 {
			i, inputs = len(inputs), append(inputs, v[2])
		}
		return fmt.Sprintf("$ARGUMENTS[%d]", i)
	})
	if len(inputs) == 1 {
		p.skill.Text = strings.ReplaceAll(p.skill.Text, "$ARGUMENTS[0]", "$ARGUMENTS") // blanks and all
	}
	if len(unknown) == 0 {
		return
	}
	before := written[:strings.Index(written, unknown[0])]
	at := diag.At(p.skill.Body.File, int(p.skill.Body.Start.Line)+strings.Count(before, "\n"),
		utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])+1, utf8.RuneCountInString(unknown[0]))
	p.diags.Add(diag.New("E-PROMPT-VARIABLE", at, "%s is known to an editor only", diag.Enumerate(unknown)).
		Suggest("write ${input:name} for what is given as an argument, or name the file"))
	p.def.Status = config.Broken
}
