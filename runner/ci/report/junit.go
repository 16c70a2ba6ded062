package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner/ci"
	"github.com/swarmrun/swarmrun/runner/event"
)

// junitOutput is how much of what an attempt said is written for a case.
const junitOutput = 64 << 10

// The elements and attributes are those of junit-4.xsd, by which Jenkins' xUnit plugin judges files and which is the strictest
// reader: a test case has no properties, files or repetitions there, so these facts stand in front of the case's output.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Time     string       `xml:"time,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string           `xml:"name,attr"`
		Tests      int              `xml:"tests,attr"`
		Failures   int              `xml:"failures,attr"`
		Errors     int              `xml:"errors,attr"`
		Skipped    int              `xml:"skipped,attr"`
		Time       string           `xml:"time,attr"`
		Timestamp  string           `xml:"timestamp,attr,omitempty"`
		Properties *junitProperties `xml:"properties"`
		Cases      []junitCase      `xml:"testcase"`
	}
	junitProperties struct {
		All []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string      `xml:"name,attr"`
		Class   string      `xml:"classname,attr"`
		Time    string      `xml:"time,attr"`
		Status  ci.Outcome  `xml:"status,attr,omitempty"`
		Skipped *string     `xml:"skipped"` // why
		Error   *junitFault `xml:"error"`
		Failure *junitFault `xml:"failure"`
		Output  string      `xml:"system-out,omitempty"`
	}
	junitFault struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the XML that CI systems read as test results: a suite for each job. Errors in files are a suite of their own.
// The error is the writer's.
func JUnit(w io.Writer, r *ci.Report) error {
	t := r.Totals
	out := junitSuites{Name: "swarmrun", Time: seconds(r.DurationMS), Tests: t.Cases, Failures: t.Failed, Errors: t.Errors}
	for _, j := range r.Jobs {
		out.Suites = append(out.Suites, newSuite(r, j))
	}
	if s := definitions(r); s.Errors > 0 {
		out.Suites = append(out.Suites, s)
		out.Tests += s.Tests
		out.Errors += s.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func newSuite(r *ci.Report, j *ci.Job) junitSuite {
	t := j.Totals
	s := junitSuite{
		Name: printable.Unstyled(j.Name), Tests: t.Cases, Failures: t.Failed, Errors: t.Errors, Skipped: t.Skipped, Time: seconds(j.DurationMS),
	}
	facts := append(properties(t.Usage), junitProperty{"target", printable.Unstyled(j.Target)}, junitProperty{"flaky", strconv.Itoa(t.Flaky)}, junitProperty{"file", printable.Unstyled(j.File)})
	if !r.Started.IsZero() {
		s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05")
	}
	if len(j.Tags) > 0 {
		facts = append(facts, junitProperty{"tags", printable.Unstyled(strings.Join(j.Tags, ","))})
	}
	s.Properties = &junitProperties{facts}
	for _, c := range j.Cases {
		s.Cases = append(s.Cases, newCase(j, c))
	}
	return s
}

func properties(u event.Usage) []junitProperty {
	return []junitProperty{
		{"cost_usd", strings.TrimPrefix(dollars(u), "$")}, {"input_tokens", strconv.Itoa(u.Input)}, {"output_tokens", strconv.Itoa(u.Output)},
	}
}

func newCase(j *ci.Job, c *ci.Case) junitCase {
	out := junitCase{Name: printable.Unstyled(strings.TrimPrefix(c.ID, j.Name+"/")), Class: printable.Unstyled(j.Name), Time: seconds(c.DurationMS), Status: c.Outcome}
	if c.Outcome == ci.Skipped {
		why := line(c.Reason, 500)
		out.Skipped = &why
		return out
	}
	a := deciding(c)
	if a == nil { // it could not even begin
		a = &ci.Attempt{Outcome: c.Outcome}
	}
	out.Output = caseOutput(c, a)
	if c.Outcome == ci.Passed {
		return out
	}
	why, text := reason(c), printable.Unstyled(faultText(c, a))
	switch c.Outcome {
	case ci.Failed:
		out.Failure = &junitFault{kind(a), why, text}
	case ci.Errored:
		out.Error = &junitFault{kind(a), why, text}
	case ci.Flaky:
		out.Output = cut(fmt.Sprintf("flaky: %s: %s\n%s\n%s", kind(a), why, text, out.Output), junitOutput)
	}
	return out
}

func kind(a *ci.Attempt) string {
	if a.Kind == "" {
		return "assertion"
	}
	return printable.Unstyled(a.Kind)
}

// faultText is everything that an attempt failed by, a line each, with the place where the check is written.
func faultText(c *ci.Case, a *ci.Attempt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s\n", c.File, c.Line, c.ID)
	if c.Reason != "" && !strings.HasPrefix(a.Message, c.Reason) {
		fmt.Fprintln(&b, c.Reason)
	}
	if a.Message != "" {
		fmt.Fprintln(&b, a.Message)
	}
	for _, check := range a.Checks {
		if !check.OK {
			fmt.Fprintf(&b, "%s:%d:%d: %s\n", check.File, check.Line, check.Column, told(check))
		}
	}
	return cut(b.String(), junitOutput)
}

// caseOutput is the facts of a case and the answer that decided it.
func caseOutput(c *ci.Case, a *ci.Attempt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d\nmodel: %s\ncost: %s\ntokens: %d in, %d out\nturns: %d\nattempts: %d\n", c.File, c.Line, a.Model,
		dollars(c.Usage), c.Usage.Input, c.Usage.Output, c.Turns, len(c.Attempts))
	if rate := c.Rate; rate != nil {
		fmt.Fprintf(&b, "passed: %d of %d, wanted %g\n", rate.Passed, rate.Run, rate.Wanted)
	}
	if a.Output != "" {
		fmt.Fprintf(&b, "\n%s\n", a.Output)
	}
	return cut(printable.Unstyled(b.String()), junitOutput)
}

// definitions are the errors of files as a suite, since a system that reads only this must not see nothing.
func definitions(r *ci.Report) junitSuite {
	s := junitSuite{Name: "definitions", Time: seconds(0)}
	for _, d := range wrong(r) {
		text := d.Range.String() + ": " + d.Summary
		for _, more := range []string{d.Detail, d.Suggestion} {
			if more != "" {
				text += "\n" + more
			}
		}
		s.Cases = append(s.Cases, junitCase{Name: line(d.Range.String()+" "+string(d.Code), 300), Class: "definitions", Time: seconds(0),
			Error: &junitFault{printable.Unstyled(string(d.Code)), line(d.Summary, 500), printable.Unstyled(text)}})
	}
	s.Tests, s.Errors = len(s.Cases), len(s.Cases)
	return s
}

func seconds(ms int64) string { return fmt.Sprintf("%d.%03d", ms/1000, ms%1000) }
