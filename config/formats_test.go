package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
)

// expectation is one entry of testdata/formats/EXPECT.json; README.md there says what the keys mean.
type expectation struct {
	Kind, Outcome, Scope string
	Diag                 []expectedDiag
	Info, Lint           []diag.Code
	Link                 string
	Want                 map[string]any
	SHA256               string
	MessageHas           []string `json:"message_has"`
}

type expectedDiag struct {
	Code         diag.Code
	Line, Column int
	RelatedLine  int `json:"related_line"`
}

func TestFormatFixtures(t *testing.T) {
	dir := filepath.Join("testdata", "formats")
	raw, err := os.ReadFile(filepath.Join(dir, "EXPECT.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]expectation
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	checked := map[string]int{}
	for name, e := range all {
		if e.Kind != "agent" && e.Kind != "skill" && e.Kind != "command" || e.Scope == "directory" || e.Link != "" || e.Outcome == "ignored" {
			continue // what a whole tree decides is tested in loader
		}
		checked[e.Kind]++
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(src); e.SHA256 != "" && hex.EncodeToString(sum[:]) != e.SHA256 {
				t.Fatalf("the bytes of the fixture were changed: sha256 %x, want %s", sum, e.SHA256)
			}
			switch e.Kind {
			case "agent":
				a, def, ds := ReadAgent(src, name, FromClaude)
				checkOutcome(t, e, a != nil && a.Status.Usable(), def, ds)
				checkValues(t, e, func(key string) any { return loadedValue(t, a, key) })
			case "skill":
				s, def, ds := ReadSkill(src, name, FromClaude)
				checkOutcome(t, e, s != nil && s.Status.Usable(), def, ds)
				checkValues(t, e, func(key string) any { return skillValue(t, s, key) })
			case "command":
				s, def, ds := ReadCommand(src, name, FromClaude)
				checkOutcome(t, e, s != nil && s.Status.Usable(), def, ds)
				checkValues(t, e, func(key string) any { return skillValue(t, s, key) })
			}
		})
	}
	if diff := cmp.Diff(map[string]int{"agent": 31, "skill": 11, "command": 1}, checked); diff != "" {
		t.Errorf("fixtures that were checked (-want +got):\n%s", diff)
	}
}

func checkOutcome(t *testing.T, e expectation, used bool, def Definition, ds diag.List) {
	t.Helper()
	if got, want := string(def.Status), e.Outcome; got != want {
		t.Errorf("status %q, want %q; findings: %v", got, want, ds)
	}
	if used != (e.Outcome == "loaded" || e.Outcome == "repaired") {
		t.Errorf("used: %v does not fit the outcome %q", used, e.Outcome)
	}
	var got []expectedDiag
	var messages strings.Builder
	for _, d := range ds.Sort() {
		messages.WriteString(d.Summary + "\n" + d.Detail + "\n" + d.Suggestion + "\n")
		if d.Severity != diag.Error && d.Severity != diag.Warning {
			continue
		}
		x := expectedDiag{Code: d.Code, Line: int(d.Range.Start.Line), Column: int(d.Range.Start.Column)}
		for _, n := range d.Notes {
			x.RelatedLine = int(n.Range.Start.Line)
		}
		got = append(got, x)
	}
	if diff := cmp.Diff(e.Diag, got, cmp.Transformer("nonil", func(x []expectedDiag) []expectedDiag { return append([]expectedDiag{}, x...) })); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	for _, code := range slices.Concat(e.Info, e.Lint) {
		if !slices.ContainsFunc(ds, func(d diag.Diagnostic) bool { return d.Code == code }) {
			t.Errorf("%s is missing in %v", code, ds)
		}
	}
	for _, words := range e.MessageHas {
		if !strings.Contains(messages.String(), words) {
			t.Errorf("no message holds %q:\n%s", words, messages.String())
		}
	}
	for _, code := range e.Lint {
		want := slices.DeleteFunc(slices.Clone(e.Lint), func(c diag.Code) bool { return c != code })
		got := slices.DeleteFunc(slices.Clone(ds), func(d diag.Diagnostic) bool { return d.Code != code })
		if len(got) < len(want) {
			t.Errorf("%d times %s, want %d", len(got), code, len(want))
		}
	}
}

func checkValues(t *testing.T, e expectation, value func(key string) any) {
	t.Helper()
	for key, want := range e.Want {
		if diff := cmp.Diff(want, value(key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

// skillValue is a value of a skill or a command in the terms of EXPECT.json.
func skillValue(t *testing.T, s *Skill, key string) any {
	t.Helper()
	switch key {
	case "name":
		return s.Name
	case "description":
		return s.Summary.V
	case "description_chars":
		return float64(utf8.RuneCountInString(s.Summary.V))
	case "body":
		return s.Text
	case "metadata":
		return generic(t, s.Metadata.V)
	case "allowed-tools":
		return generic(t, texts(s.Allowed.V))
	case "argument-hint":
		return s.Hint.V
	}
	t.Fatalf("the test does not know the value %q", key)
	return nil
}

// loadedValue is a value of an agent in the terms of EXPECT.json.
func loadedValue(t *testing.T, a *Agent, key string) any {
	t.Helper()
	switch key {
	case "name":
		return a.Name
	case "description":
		return a.Summary.V
	case "body":
		return a.Prompt
	case "model":
		return strings.Join(texts(a.Model.V), ", ")
	case "tools":
		if !a.Tools.Set() || slices.Equal(texts(a.Tools.V), []string{"*"}) {
			return "inherit"
		}
		return generic(t, texts(a.Tools.V))
	case "mcpServers":
		return generic(t, expectedServers(a.MCP.V))
	case "hooks":
		return generic(t, expectedHooks(a.Hooks.V))
	}
	t.Fatalf("the test does not know the value %q", key)
	return nil
}

func expectedServers(refs []MCPRef) []map[string]any {
	out := []map[string]any{}
	for _, r := range refs {
		if r.Inline == nil {
			out = append(out, map[string]any{"ref": r.Name.V})
			continue
		}
		out = append(out, map[string]any{"inline": r.Name.V, "type": r.Inline.Type.V, "command": r.Inline.Command.V, "args": texts(r.Inline.Args.V)})
	}
	return out
}

func expectedHooks(groups []HookGroup) map[string][]map[string]any {
	out := map[string][]map[string]any{}
	for _, g := range groups {
		handlers := []map[string]any{}
		for _, h := range g.Handlers {
			handlers = append(handlers, map[string]any{"type": h.Type, "command": h.Command})
		}
		out[g.Event.V] = append(out[g.Event.V], map[string]any{"matcher": g.Matcher.V, "handlers": handlers})
	}
	return out
}

// generic is v as encoding/json decodes it into an empty interface.
func generic(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
