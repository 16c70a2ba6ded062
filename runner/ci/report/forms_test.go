package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner/ci"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a form with testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
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

// small is a report with one case of each outcome, a baseline for it, and a file that is wrong.
func small(t *testing.T) (*ci.Report, *Comparison) {
	t.Helper()
	r, base := sample(3, 1), sample(3, 1)
	j := r.Jobs[0]
	r.Jobs[0].Totals, r.Totals, j.Cases, j.Outcome = ci.Totals{}, ci.Totals{}, nil, ci.Errored
	dice := chance()
	for k, o := range []ci.Outcome{ci.Passed, ci.Failed, ci.Errored, ci.Flaky, ci.Skipped} {
		c := sampleCase(dice, j, k, 0)
		a := sampleAttempt(dice, c, o, 0)
		a.Repetition, a.Try = 1, 1
		c.Outcome, c.Attempts, c.Usage, c.Turns, c.DurationMS, c.Reason = o, []ci.Attempt{a}, a.Usage, a.Turns, a.DurationMS, ""
		switch o {
		case ci.Flaky:
			first := sampleAttempt(dice, c, ci.Failed, 0)
			first.Repetition, first.Try, c.Attempts[0].Outcome, c.Attempts[0].Try = 1, 1, ci.Passed, 2
			c.Attempts, c.Reason = []ci.Attempt{first, c.Attempts[0]}, "passed at the second try"
		case ci.Skipped:
			c.Attempts, c.Usage, c.Turns, c.DurationMS, c.Reason = nil, used(0, 0), 0, 0, "interrupted"
		}
		add(&j.Totals, c)
		j.Cases = append(j.Cases, c)
		if was := *c; k > 0 {
			was.Outcome, was.Usage.Cost, was.Attempts = ci.Passed, c.Usage.Cost/2, []ci.Attempt{a}
			base.Jobs[0].Cases = append(base.Jobs[0].Cases, &was)
		}
	}
	for _, c := range cases(r) {
		add(&r.Totals, c)
	}
	r.OK, r.Kind, r.ExitCode = false, "assertion", 1
	r.Diagnostics = diag.List{diag.New("E-SCHEMA", diag.At("jobs/triage.yaml", 7, 5, 4), "no valid JSON Schema: must be an object, not null").Suggest("correct the schema; it is of draft 2020-12")}
	c := Compare(base, r)
	limits, err := ParseThresholds("worse,cost=5%")
	if err != nil {
		t.Fatal(err)
	}
	limits.Check(c)
	return r, c
}

func TestForms(t *testing.T) {
	r, c := small(t)
	for name, form := range map[string]func(io.Writer) error{
		"junit.xml": func(w io.Writer) error { return JUnit(w, r) }, "sarif.json": func(w io.Writer) error { return SARIF(w, r) },
		"summary.md": func(w io.Writer) error { return Markdown(w, r, c) }, "quality.json": func(w io.Writer) error { return CodeQuality(w, r) },
		"annotations.txt": func(w io.Writer) error { return Annotations(w, r) }, "outputs.txt": func(w io.Writer) error { return Outputs(w, r, c) },
		"report.json": func(w io.Writer) error { return JSON(w, r) },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := form(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
			full := errors.New("the disk is full")
			if err := form(broken{full}); !errors.Is(err, full) {
				t.Errorf("error %v of a writer that fails", err)
			}
		})
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// element is what a strict reader of JUnit's XML lets an element have: children, and attributes of which some must be there.
type element struct{ children, required, optional string }

// strict are the elements that Jenkins' xUnit plugin knows, as far as they are written here.
func strict() map[string]element {
	fault := element{"", "message", "type"}
	return map[string]element{
		"testsuites": {"testsuite", "", "name time tests failures errors"},
		"testsuite":  {"properties testcase", "name tests failures errors", "time skipped timestamp"},
		"properties": {"property", "", ""}, "property": {"", "name value", ""},
		"testcase": {"skipped error failure system-out", "name", "classname time status"},
		"skipped":  {}, "error": fault, "failure": fault, "system-out": {},
	}
}

// TestJUnitIsStrict reads XML back by the rules of the strictest reader, and counts.
func TestJUnitIsStrict(t *testing.T) {
	r, _ := small(t)
	for name, r := range map[string]*ci.Report{"small": r, "hostile": hostile(), "many": sample(300, 3), "empty": {Version: 1}} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := JUnit(&b, r); err != nil {
				t.Fatal(err)
			}
			d := xml.NewDecoder(&b)
			var open []string
			seen := map[string]int{}
			for {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				switch e := token.(type) {
				case xml.StartElement:
					checkElement(t, open, e)
					open = append(open, e.Name.Local)
					seen[e.Name.Local]++
				case xml.EndElement:
					open = open[:len(open)-1]
				case xml.CharData:
					if len(e) > junitOutput+100 {
						t.Errorf("%d bytes of text", len(e))
					}
				}
			}
			wrong := 0
			for _, d := range r.Diagnostics {
				if d.Severity == diag.Error {
					wrong++
				}
			}
			if want := len(cases(r)) + wrong; seen["testcase"] != want {
				t.Errorf("%d test cases, want %d", seen["testcase"], want)
			}
		})
	}
}

// TestJUnitSchema has the schema judge that Jenkins' xUnit plugin uses; .ci/run fetches it.
func TestJUnitSchema(t *testing.T) {
	schema := os.Getenv("SWARMRUN_JUNIT_XSD")
	if schema == "" && os.Getenv("CI") == "" {
		t.Skip("SWARMRUN_JUNIT_XSD names no schema")
	}
	flaky, _ := small(t)
	flaky.Jobs[0].Cases[0].Outcome = ci.Flaky
	r, _ := small(t)
	for name, r := range map[string]*ci.Report{"small": r, "flaky": flaky, "hostile": hostile(), "many": sample(300, 3), "empty": {Version: 1}} {
		var b bytes.Buffer
		if err := JUnit(&b, r); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "xmllint", "--noout", "--schema", schema, write(t, name+".xml", b.Bytes())).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// A case that could not begin has no attempt, and is no skipped one.
func TestJUnitOfCaseWithoutAttempt(t *testing.T) {
	r := &ci.Report{Version: 1, Jobs: []*ci.Job{{Name: "j", Cases: []*ci.Case{{ID: "j/c", Outcome: ci.Errored, Reason: "the fixture is gone"}}}}}
	var b bytes.Buffer
	if err := JUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Contains(text, "<skipped") || !strings.Contains(text, `message="the fixture is gone"`) {
		t.Error(text)
	}
}

func checkElement(t *testing.T, open []string, e xml.StartElement) {
	t.Helper()
	rules := strict()
	rule, ok := rules[e.Name.Local]
	if !ok {
		t.Errorf("<%s> is not known", e.Name.Local)
	}
	if n := len(open); n == 0 && e.Name.Local != "testsuites" || n > 0 && !slices.Contains(strings.Fields(rules[open[n-1]].children), e.Name.Local) {
		t.Errorf("<%s> may not stand in %v", e.Name.Local, open)
	}
	var names []string
	for _, a := range e.Attr {
		names = append(names, a.Name.Local)
		if !slices.Contains(strings.Fields(rule.required+" "+rule.optional), a.Name.Local) {
			t.Errorf("<%s %s> is not known", e.Name.Local, a.Name.Local)
		}
		if a.Name.Local == "time" && !regexp.MustCompile(`^\d+\.\d{3}$`).MatchString(a.Value) {
			t.Errorf("time %q", a.Value)
		}
	}
	for _, name := range strings.Fields(rule.required) {
		if !slices.Contains(names, name) {
			t.Errorf("<%s> lacks %s", e.Name.Local, name)
		}
	}
}

func TestSARIFIsValid(t *testing.T) {
	r, _ := small(t)
	for name, r := range map[string]*ci.Report{"small": r, "hostile": hostile(), "empty": {Version: 1}} {
		var b bytes.Buffer
		if err := SARIF(&b, r); err != nil {
			t.Fatal(err)
		}
		read, err := sarif.FromBytes(b.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := read.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nothing in a text makes a line of its own, a command or a control character in what is read line by line.
func TestHostileTexts(t *testing.T) {
	r := hostile()
	c := Compare(sample(3, 1), r)
	var annotations, outputs, summary, junit, quality bytes.Buffer
	if err := errors.Join(Annotations(&annotations, r), Outputs(&outputs, r, c), Markdown(&summary, r, c), JUnit(&junit, r), CodeQuality(&quality, r)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(annotations.String()) {
		if !regexp.MustCompile(`^::(error|warning|notice) [^:]*::`).MatchString(line) {
			t.Errorf("a line that is no annotation: %q", line)
		}
	}
	for line := range strings.Lines(outputs.String()) {
		if !regexp.MustCompile(`^[a-z_]+=.*\n$`).MatchString(line) {
			t.Errorf("a line that is no output: %q", line)
		}
	}
	var page bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe())).Convert(summary.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	for _, tag := range regexp.MustCompile(`<(/?[a-z!][a-z0-9-]*)`).FindAllStringSubmatch(page.String(), -1) {
		if !strings.Contains(" p ul li code pre h2 h3 em strong table thead tbody tr th td details summary ", " "+strings.TrimPrefix(tag[1], "/")+" ") {
			t.Errorf("the summary has an element <%s>", tag[1])
		}
	}
	for name, text := range map[string]string{"annotations": annotations.String(), "outputs": outputs.String(), "summary": summary.String(), "junit": junit.String(), "quality": quality.String()} {
		if strings.ContainsAny(text, "\x00\x1b\x07\u202E") || !utf8.ValidString(text) {
			t.Errorf("%s has control characters", name)
		}
	}
}

func TestSummaryIsBounded(t *testing.T) {
	r := sample(6000, 5)
	for _, c := range cases(r) {
		c.Outcome = ci.Failed
		for i := range c.Attempts {
			c.Attempts[i].Outcome, c.Attempts[i].Output, c.Attempts[i].Message = ci.Failed, strings.Repeat("x", 100<<10), strings.Repeat("y\n", 50<<10)
		}
	}
	for i := range 10_000 {
		r.Diagnostics = append(r.Diagnostics, diag.New("E-KEY-UNKNOWN", diag.At("jobs/a.yaml", i+1, 1, 0), "%s", strings.Repeat("z", 400)))
	}
	var b bytes.Buffer
	if err := Markdown(&b, r, nil); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 1<<20 || !strings.Contains(b.String(), "and 5950 more") || !strings.Contains(b.String(), "- and 9950 more") {
		t.Errorf("%d bytes", b.Len())
	}
}

func TestJSONReadsBack(t *testing.T) {
	r, _ := small(t)
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	got, err := ci.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if c := Compare(got, r); len(c.Better)+len(c.Worse)+len(c.Dearer)+len(c.Slower)+len(c.New)+len(c.Gone) > 0 {
		t.Errorf("a report differs from itself: %+v", c)
	}
	var entries []quality
	b.Reset()
	if err := CodeQuality(&b, r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &entries); err != nil || len(entries) == 0 {
		t.Fatal(fmt.Errorf("%d entries: %w", len(entries), err))
	}
	marks := map[string]bool{}
	for _, e := range entries {
		if marks[e.Fingerprint] || e.Location.Lines.Begin < 1 || e.Location.Path == "" {
			t.Errorf("entry %+v", e)
		}
		marks[e.Fingerprint] = true
	}
}
