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

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
)

// expectation is one entry of testdata/formats/EXPECT.json; README.md there says what the keys mean.
type expectation struct {
	Kind, Outcome, Scope string
	Diag                 []expectedDiag
	Info                 []diag.Code
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
	checked := 0
	for name, e := range all {
		if e.Kind != "agent" || e.Scope == "directory" {
			continue
		}
		checked++
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(src); e.SHA256 != "" && hex.EncodeToString(sum[:]) != e.SHA256 {
				t.Fatalf("the bytes of the fixture were changed: sha256 %x, want %s", sum, e.SHA256)
			}
			a, def, ds := ReadAgent(src, name, FromClaude)
			checkOutcome(t, e, a, def, ds)
		})
	}
	if checked != 31 {
		t.Errorf("%d agent fixtures were checked, want 31", checked)
	}
}

func checkOutcome(t *testing.T, e expectation, a *Agent, def Definition, ds diag.List) {
	t.Helper()
	if got, want := string(def.Status), e.Outcome; got != want {
		t.Errorf("status %q, want %q; findings: %v", got, want, ds)
	}
	if (a != nil) != (e.Outcome == "loaded" || e.Outcome == "repaired") {
		t.Errorf("agent %v does not fit the outcome %q", a, e.Outcome)
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
	for _, code := range e.Info {
		if !slices.ContainsFunc(ds, func(d diag.Diagnostic) bool { return d.Code == code }) {
			t.Errorf("%s is missing in %v", code, ds)
		}
	}
	for _, words := range e.MessageHas {
		if !strings.Contains(messages.String(), words) {
			t.Errorf("no message holds %q:\n%s", words, messages.String())
		}
	}
	for key, want := range e.Want {
		if diff := cmp.Diff(want, loadedValue(t, a, key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
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
		if !r.Inline {
			out = append(out, map[string]any{"ref": r.Name.V})
			continue
		}
		out = append(out, map[string]any{"inline": r.Name.V, "type": r.Type, "command": r.Command, "args": r.Args})
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
		out[g.Event.V] = append(out[g.Event.V], map[string]any{"matcher": g.Matcher, "handlers": handlers})
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
