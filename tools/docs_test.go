package tools_test

import (
	"os"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/tools"
)

// TestDocs runs the tables of docs/permissions.md: each row whose cells are a rule, a call and an answer.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../docs/permissions.md")
	if err != nil {
		t.Fatal(err)
	}
	at := workspace(t)
	answers := map[string]tools.Verdict{"goes": tools.Allow, "asked": tools.Ask, "refused": tools.Deny}
	header, rows := "", 0
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 {
			continue
		}
		first := strings.TrimPrefix(cells[0], "| ")
		want, known := answers[strings.TrimSuffix(cells[2], " |")]
		switch {
		case strings.Contains(line, "| answer |"):
			header = first
			continue
		case !known || !strings.HasPrefix(first, "`"):
			continue
		}
		text, value := strings.Trim(first, "`"), strings.Trim(cells[1], "`")
		rules := tools.Rules{Grants: parse(t, text)}
		if strings.Contains(header, "deny") {
			rules = tools.Rules{All: true, Deny: parse(t, text)}
		}
		p := bash
		if strings.HasPrefix(text, "Read") {
			p = read
		}
		rows++
		if got := rules.Decide(p, call(p, value, at), nil); got.Verdict != want {
			t.Errorf("%s on %s: %v, the document says %v (%s)", text, value, got.Verdict, want, got.Text)
		}
	}
	if rows != 32 {
		t.Errorf("%d rows were found, want 32", rows)
	}
}
