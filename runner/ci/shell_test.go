package ci

import (
	"context"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
)

// teller says one text.
type teller string

func (teller) Name() string { return "test/teller" }

func (m teller) Generate(context.Context, *providers.Request, func(providers.Delta) error) (*providers.Response, error) {
	return &providers.Response{
		Message: providers.Message{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: string(m)}}}, Finish: "stop",
		Candidate: m.Name(), Provider: "test", Model: "teller",
	}, nil
}

// TestAnswerOfAStep: lines behind the agent read its answer from stdin, however long; one that would find an empty variable in
// place of a long answer does not run.
func TestAnswerOfAStep(t *testing.T) {
	long := strings.Repeat("y", maxVariable)
	for _, tt := range []struct {
		name, answer, line string
		want               Outcome
		told               string
	}{
		{"a variable", "short", `test "$SWARMRUN_OUTPUT" = short`, Passed, ""},
		{"stdin", "short", `test "$(cat)" = short`, Passed, ""},
		{"a long one on stdin", long, `test "$(cat | wc -c)" -eq 65536`, Passed, ""},
		{"a long one that nobody reads", long, "true", Passed, ""},
		{"a long one as a variable", long, `! echo "$SWARMRUN_OUTPUT" | grep y`, Errored, errNoVariable.Error()},
	} {
		for place, put := range map[string]func(c *agents.Case){
			"check": func(c *agents.Case) { c.Checks = []agents.Check{{Kind: "command", Run: agents.Shell{Run: tt.line}}} },
			"after": func(c *agents.Case) { c.Checks, c.After = nil, []agents.Shell{{Run: tt.line}} },
		} {
			t.Run(tt.name+"/"+place, func(t *testing.T) {
				g, _ := project(t, teller(tt.answer), 1, false)
				put(g.Jobs()[0].Cases[0])
				got := run(t, g, &Options{Mode: Live}).Jobs[0].Cases[0]
				told := ""
				for _, c := range got.Attempts[0].Checks {
					told += c.Note
				}
				told += got.Attempts[0].Message
				if got.Outcome != tt.want || !strings.Contains(told, tt.told) {
					t.Errorf("%s, %q", got.Outcome, told)
				}
			})
		}
	}
}
