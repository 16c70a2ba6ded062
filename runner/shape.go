package runner

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/internal/schema"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

// shape is what an answer must look like.
type shape struct {
	raw      json.RawMessage
	compiled *schema.Schema
}

func newShape(raw json.RawMessage) (*shape, error) {
	s, err := schema.Compile(raw)
	if err != nil {
		return nil, err
	}
	return &shape{raw, s}, nil
}

// answer is the output of a final text: the text itself, or the value in it where a schema is set. The problems are those
// of a value that does not match.
func (x *exchange) answer(text string) (json.RawMessage, []string) {
	if x.output == nil {
		return json.RawMessage(quote(x.redact(text))), nil
	}
	value := json.RawMessage(unfence(text))
	faults := x.output.compiled.Validate(value)
	if len(faults) == 0 {
		return redactJSON(x.run.link.redact, value), nil
	}
	problems := make([]string, len(faults))
	for i, f := range faults {
		problems[i] = f.String()
	}
	return nil, problems
}

// unfence takes a JSON value out of the one fenced block that models like to put it in.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	inner, ok = strings.CutSuffix(inner, "```")
	if !ok || strings.Contains(inner, "```") {
		return text
	}
	if head, rest, ok := strings.Cut(inner, "\n"); ok && !strings.ContainsAny(head, "{[\"") {
		inner = rest
	}
	return strings.TrimSpace(inner)
}

// repair begins the one turn in which the model may correct its answer.
func (x *exchange) repair(problems []string) {
	x.repaired = true
	told := make([]string, len(problems))
	for i, p := range problems {
		told[i] = x.redact(p)
	}
	x.say(&event.OutputRepair{Errors: told})
	text := "Your answer does not match the JSON Schema that it must match:\n- " + strings.Join(problems, "\n- ") +
		"\nAnswer again with the corrected JSON value alone.\nThe schema:\n" + string(x.output.raw)
	x.ask(providers.UserText(text), "follow_up", "")
}

// quote is a text as JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(b)
}

// textOf is an output as a person reads it.
func textOf(output json.RawMessage) string { return (&Result{Output: output}).Text() }
