package diag

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/swarmrun/swarmrun/internal/printable"
)

// sources are the files that the findings of these tests lie in.
func sources(file string) []byte {
	text, ok := map[string]string{
		"agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews a diff.\nmodel: openai/gpt-5\n\ntools: [Raed, Grep]\n---\nYou review.\n",
		"agents/wide.md":     "\ufeff---\r\nname: 作家\tx: [Raed]\r\ndescription: e\u0301 😀 Raed\r\n---\r\n",
		"agents/hostile.md":  "---\nname: \x1b[31mred\x1b]0;title\x07 Raed \u202eevil\n---\n",
		"agents/long.md":     strings.Repeat("x", 300) + "Raed" + strings.Repeat("y", 300) + "\n",
		"agents/cr.md":       "---\rname: a\rtools: Raed\r---\r",
	}[file]
	if !ok {
		return nil
	}
	return []byte(text)
}

// findings has one of each thing that a form must show.
func findings() List {
	dup := New("E-YAML-DUPKEY", At("agents/reviewer.md", 4, 1, 5), "the key %q is given twice", "model").
		Note(At("agents/reviewer.md", 2, 1, 4), "first given here")
	folded := New("W-YAML-FOLDED", At("agents/reviewer.md", 3, 14, 5), "the value over several lines was joined")
	folded.Fix = &Fix{Line: 3, EndLine: 5, Text: "description: \"Reviews a diff.\"\nmodel: openai/gpt-5"}
	span := New("E-FENCE-CLOSE", Range{"agents/reviewer.md", Pos{1, 1}, Pos{7, 4}}, "the frontmatter is never closed")
	return List{
		New("E-TOOL-UNKNOWN", At("agents/reviewer.md", 6, 9, 4), "no tool named %q", "Raed").
			Suggest("did you mean %q? Tools available here: Bash, Edit, Glob, Grep, Read", "Read"),
		dup, folded, span,
		New("L-SKILL-LONG", Range{File: "skills/a b%20c/SKILL.md"}, "the body has 20,001 characters").
			Explain("It goes into the context\nwhenever the skill is used."),
		New("I-DOC", Range{}, "no workspace file"),
		New("E-YAML", At("/home/me/.claude/agents/x.md", 1, 1, 1), "100%% broken: a, b"),
		New("E-TOOL-UNKNOWN", At("agents/wide.md", 2, 14, 4), "after wide letters and a tab"),
		New("E-TOOL-UNKNOWN", At("agents/wide.md", 3, 18, 4), "after a combining mark and an emoji"),
		New("E-TOOL-UNKNOWN", At("agents/cr.md", 3, 8, 4), "in a file with bare carriage returns"),
		New("E-TOOL-UNKNOWN", At("agents/long.md", 1, 301, 4), "in a line of 600 characters"),
		New("E-TOOL-UNKNOWN", At("agents/reviewer.md", 2, 99, 4), "beyond the end of the line"),
		New("E-TOOL-UNKNOWN", At("agents/reviewer.md", 99, 1, 4), "beyond the end of the file"),
		New("E-TOOL-UNKNOWN", At("agents/hostile.md", 2, 27, 4), "no tool named \x1b[2J%s", "a\nb").
			Explain("\x1b]8;;http://x\x07\n::error::forged\n\x9b31m").Suggest("\u2066x\u2069"),
		New("E-YAML", At("::warning::a\nb.md", 1, 1, 1), "a hostile name of a file"),
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// forms are the four renderings by the name of their golden file.
func forms() map[string]func(*bytes.Buffer, List) error {
	return map[string]func(*bytes.Buffer, List) error{
		"findings.txt": func(b *bytes.Buffer, l List) error { return WriteText(b, l, &TextOptions{Sources: sources}) },
		"findings.json": func(b *bytes.Buffer, l List) error {
			var compact bytes.Buffer
			if err := WriteJSON(&compact, l); err != nil {
				return err
			}
			return json.Indent(b, compact.Bytes(), "", "  ")
		},
		"findings.sarif":  func(b *bytes.Buffer, l List) error { return WriteSARIF(b, l, &SARIFOptions{Version: "1.2.3"}) },
		"findings.github": func(b *bytes.Buffer, l List) error { return WriteGitHub(b, l) },
	}
}

func TestForms(t *testing.T) {
	for name, write := range forms() {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b, findings()); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
			checkHarmless(t, b.String())
		})
	}
}

func checkHarmless(t *testing.T, out string) {
	t.Helper()
	for i, r := range out {
		if r != '\n' && printable.Hidden(r) {
			t.Errorf("hidden character %U at byte %d of the output", r, i)
		}
	}
	if !utf8.ValidString(out) {
		t.Error("the output is not UTF-8")
	}
}

func TestColor(t *testing.T) {
	var b bytes.Buffer
	if err := WriteText(&b, findings()[:1], &TextOptions{Sources: sources, Color: true}); err != nil {
		t.Fatal(err)
	}
	want := "agents/reviewer.md:6:9: \x1b[1;31merror[E-TOOL-UNKNOWN]\x1b[0m: no tool named \"Raed\"\n" +
		"  6 | tools: [Raed, Grep]\n" +
		"    |         \x1b[1;31m^^^^\x1b[0m\n" +
		"  \x1b[1mhelp: \x1b[0mdid you mean \"Read\"? Tools available here: Bash, Edit, Glob, Grep, Read\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEmptyList(t *testing.T) {
	want := map[string]string{
		"findings.txt":    "",
		"findings.github": "",
		"findings.json":   "{\n  \"ok\": true,\n  \"counts\": {\n    \"error\": 0,\n    \"warning\": 0,\n    \"info\": 0\n  },\n  \"diagnostics\": []\n}\n",
	}
	for name, write := range forms() {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b, nil); err != nil {
				t.Fatal(err)
			}
			if w, ok := want[name]; ok && w != b.String() {
				t.Errorf("got %q, want %q", b.String(), w)
			}
			if name == "findings.sarif" {
				validateSARIF(t, b.Bytes())
			}
		})
	}
}

// go-sarif holds the published schema and its own model of the format.
func validateSARIF(t *testing.T, log []byte) *sarif.Report {
	t.Helper()
	r, err := sarif.FromBytes(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSARIF(&b, findings(), nil); err != nil {
		t.Fatal(err)
	}
	r := validateSARIF(t, b.Bytes())
	run := r.Runs[0]
	if got, want := len(run.Results), len(findings()); got != want {
		t.Fatalf("%d results, want %d", got, want)
	}
	first := run.Results[0]
	rule := run.Tool.Driver.Rules[first.RuleIndex]
	if got := *rule.ID; got != "E-TOOL-UNKNOWN" {
		t.Errorf("rule of the first result is %s", got)
	}
	region := first.Locations[0].PhysicalLocation.Region
	if diff := cmp.Diff([]int{6, 9, 6, 13}, []int{*region.StartLine, *region.StartColumn, *region.EndLine, *region.EndColumn}); diff != "" {
		t.Errorf("region (-want +got):\n%s", diff)
	}
}

func TestSARIFFingerprintKeepsWhenLinesMove(t *testing.T) {
	a := New("E-YAML", At("a.md", 3, 1, 1), "broken")
	b := New("E-YAML", At("a.md", 9, 4, 1), "broken")
	c := New("E-YAML", At("b.md", 3, 1, 1), "broken")
	if fingerprint(&a) != fingerprint(&b) {
		t.Error("the fingerprint depends on the line")
	}
	if fingerprint(&a) == fingerprint(&c) {
		t.Error("the fingerprint does not depend on the file")
	}
}

func TestSARIFCutsWithANote(t *testing.T) {
	l := make(List, sarifResults+7)
	for i := range l {
		l[i] = New("W-BODY-EMPTY", At("a.md", i+1, 1, 1), "empty")
	}
	log := newSARIF(l, &SARIFOptions{})
	if got := len(log.Runs[0].Results); got != sarifResults {
		t.Errorf("%d results, want %d", got, sarifResults)
	}
	got := log.Runs[0].Invocations[0].Notifications[0].Message.Text
	if !strings.HasPrefix(got, "7 more findings") {
		t.Errorf("note: %q", got)
	}
}

func TestFixSurvivesJSON(t *testing.T) {
	const text = "description: \"\x1b\x9d\u202e\U000e0041 <&>\""
	d := New("W-YAML-QUOTED", At("a.md", 1, 1, 1), "x")
	d.Fix = &Fix{Line: 1, Text: text}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	checkHarmless(t, string(data))
	var back struct {
		Fix struct {
			Text    string
			EndLine int `json:"end_line"`
		}
	}
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if want := strings.ToValidUTF8(text, "\ufffd"); back.Fix.Text != want || back.Fix.EndLine != 1 {
		t.Errorf("got %q, want %q", back.Fix.Text, want)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriterErrors(t *testing.T) {
	l := findings()
	for name, err := range map[string]error{
		"text": WriteText(fullDisk{}, l, nil), "json": WriteJSON(fullDisk{}, l),
		"sarif": WriteSARIF(fullDisk{}, l, nil), "github": WriteGitHub(fullDisk{}, l),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Whatever stands in a file and wherever a finding points: no panic, one line for each thing, nothing that acts.
func FuzzForms(f *testing.F) {
	f.Add("---\nname: x\n", "a.md", "no tool", 2, 3, 2, 5)
	f.Add("\ufeff\r\r\n\t作\x1b", "::\x9b\n", "\u202e%\n::x", 2, 900, 1, -4)
	f.Fuzz(func(t *testing.T, src, file, text string, line, column, endLine, endColumn int) {
		d := New("E-YAML", Range{file, Place(line, column), Place(endLine, endColumn)}, "%s", text).
			Explain("%s", text).Suggest("%s", text).Note(At(file, line, column, 1), "%s", text)
		d.Fix = &Fix{Line: line, EndLine: endLine, Text: text}
		l := List{d}
		var out [4]bytes.Buffer
		if err := errors.Join(
			WriteText(&out[0], l, &TextOptions{Sources: func(string) []byte { return []byte(src) }}),
			WriteJSON(&out[1], l), WriteSARIF(&out[2], l, nil), WriteGitHub(&out[3], l),
		); err != nil {
			t.Fatal(err)
		}
		for i := range out {
			checkHarmless(t, out[i].String())
		}
		if n := strings.Count(out[3].String(), "\n"); n != 1 {
			t.Errorf("%d lines for one annotation", n)
		}
		for line := range strings.Lines(out[0].String()) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") {
				t.Errorf("a line that a CI system would obey: %q", line)
			}
		}
	})
}
