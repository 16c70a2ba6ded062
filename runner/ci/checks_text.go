package ci

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
)

func (t *attempt) contains(k *agents.Check) verdict {
	if lost := without(t.output, k.Text); len(lost) > 0 {
		return fails("the answer holds "+list(lost), t.output, t.answer())
	}
	return verdict{}
}

func (t *attempt) notContains(k *agents.Check) verdict {
	if found := within(t.output, k.Text); len(found) > 0 {
		return fails("the answer does not hold "+list(found), t.output, t.answer())
	}
	return verdict{}
}

// without are the texts that do not occur, within those that do.
func without(text string, want []string) (lost []string) {
	for _, w := range want {
		if !strings.Contains(text, w) {
			lost = append(lost, w)
		}
	}
	return lost
}

func within(text string, bad []string) (found []string) {
	for _, w := range bad {
		if strings.Contains(text, w) {
			found = append(found, w)
		}
	}
	return found
}

func list(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(quoted, ", ")
}

// equals compares the answer: as text, and where the expected value is none, as JSON.
func (t *attempt) equals(k *agents.Check) verdict {
	want := decoded(k.Value)
	if s, ok := want.(string); ok {
		if strings.TrimSpace(t.output) == strings.TrimSpace(s) {
			return verdict{}
		}
		return fails(s, t.output, t.answer())
	}
	got, err := t.answerJSON()
	if err == nil && same(got, want) {
		return verdict{}
	}
	return fails(string(k.Value), t.output, t.answer())
}

func (t *attempt) matches(k *agents.Check) verdict {
	if k.Pattern.MatchString(t.output) {
		return verdict{}
	}
	return fails("the answer fits "+k.Pattern.String(), t.output, t.answer())
}

// answerJSON is an answer that is JSON.
func (t *attempt) answerJSON() (any, error) {
	raw, ok := t.rawAnswer()
	if !ok {
		return nil, errors.New("the answer is no JSON")
	}
	return decoded(raw), nil
}

// rawAnswer is the JSON of an answer: by its schema, as a text, or as the only fenced block of a text. Where there is none it is
// the text as JSON.
func (t *attempt) rawAnswer() (json.RawMessage, bool) {
	s, ok := decoded(t.result.Output).(string)
	if !ok {
		return t.result.Output, true
	}
	if json.Valid([]byte(s)) {
		return json.RawMessage(s), true
	}
	if parts := strings.Split(s, "```"); len(parts) == 3 {
		if _, block, _ := strings.Cut(parts[1], "\n"); json.Valid([]byte(block)) {
			return json.RawMessage(block), true
		}
	}
	return t.result.Output, false
}

// json looks into the answer, or into a file.
func (t *attempt) json(k *agents.Check) verdict {
	at := t.answer()
	value, err := t.answerJSON()
	if k.Name != "" {
		at = nil
		var text string
		if text, err = t.read(k.Name); err == nil {
			if value, err = parseJSON(text); err != nil {
				err = fmt.Errorf("%s is no JSON: %w", k.Name, err)
			}
		}
	}
	if err != nil {
		return fails("JSON in which "+k.Path.String()+" leads somewhere", err.Error()+": "+t.output, at)
	}
	found := k.Path.Find(value)
	if k.Exists != nil && !*k.Exists {
		if len(found) == 0 {
			return verdict{}
		}
		return fails(k.Path.String()+" leads nowhere", jsonText(found[0]), at)
	}
	if len(found) == 0 {
		return fails(k.Path.String()+" leads somewhere", "nothing at "+k.Path.Missing(value)+" of "+jsonText(value), at)
	}
	for _, v := range found {
		if expected := unlike(k, v); expected != "" {
			return fails(k.Path.String()+" "+expected, jsonText(v), at)
		}
	}
	return verdict{}
}

// unlike says what a value should be and is not; "" = it is all that.
func unlike(k *agents.Check, v any) string {
	if k.Value != nil && !same(v, decoded(k.Value)) {
		return "equals " + string(k.Value)
	}
	text, isText := v.(string)
	if k.Pattern != nil && (!isText || !k.Pattern.MatchString(text)) {
		return "is a text that fits " + k.Pattern.String()
	}
	for _, w := range k.Text {
		elements, _ := v.([]any)
		holds := isText && strings.Contains(text, w)
		for _, e := range elements {
			holds = holds || e == any(w)
		}
		if !holds {
			return fmt.Sprintf("contains %q", w)
		}
	}
	if k.Times != nil {
		n := -1
		switch v := v.(type) {
		case string:
			n = len([]rune(v))
		case []any:
			n = len(v)
		case map[string]any:
			n = len(v)
		}
		if n < 0 || !k.Times.Holds(float64(n)) {
			return "has length " + k.Times.Text
		}
	}
	return ""
}

func jsonText(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

func (t *attempt) jsonSchema(k *agents.Check) verdict {
	value, err := t.answerJSON()
	if err != nil {
		return fails("JSON that fits the schema", err.Error()+": "+t.output, t.answer())
	}
	if faults := k.Schema([]byte(jsonText(value))); len(faults) > 0 {
		return fails("the answer fits the schema", strings.Join(faults, "; "), t.answer())
	}
	return verdict{}
}

// snapshot compares the answer with a file; with Update it writes the file.
func (t *attempt) snapshot(k *agents.Check) verdict {
	got := strings.TrimSpace(t.text(t.output)) + "\n"
	was, err := os.ReadFile(k.File)
	switch {
	case err == nil && strings.TrimSpace(string(was))+"\n" == got:
		return verdict{}
	case t.s.o.Update && t.out.Outcome == Passed:
		if err := os.MkdirAll(filepath.Dir(k.File), 0o755); err != nil {
			return verdict{err: err}
		}
		return verdict{err: os.WriteFile(k.File, []byte(got), 0o644), note: "written"}
	case errors.Is(err, fs.ErrNotExist):
		return fails("the snapshot "+t.s.display(k.File)+", which is not there; --update writes it", got, t.answer())
	case err != nil:
		return verdict{err: err}
	}
	return fails(string(was), got, t.answer())
}
