package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner/ci"
)

// findings are what agents reported and what is wrong with the definition files, each once: a case that runs five times
// finds the same things five times.
func findings(r *ci.Report) diag.List {
	list := append(diag.List{}, r.Diagnostics...)
	known := map[ci.Finding]bool{}
	for _, c := range cases(r) {
		for _, a := range c.Attempts {
			for _, f := range a.Findings {
				if f.Agent = cmp.Or(f.Agent, c.Target); !known[f] {
					known[f] = true
					list = append(list, newFinding(f))
				}
			}
		}
	}
	return list
}

// wrong are the errors of definition files.
func wrong(r *ci.Report) diag.List {
	var list diag.List
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			list = append(list, d)
		}
	}
	return list
}

func newFinding(f ci.Finding) diag.Diagnostic {
	d := diag.Diagnostic{Severity: diag.Info, Code: diag.Code("agent/" + cmp.Or(f.Rule, f.Agent)), Range: place(f.File, f.Line, 0)}
	d.Range.End = diag.Place(max(f.EndLine, f.Line), 0)
	switch f.Severity {
	case ci.SeverityError:
		d.Severity = diag.Error
	case ci.SeverityWarning:
		d.Severity = diag.Warning
	}
	summary, detail, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
	d.Summary, d.Detail = summary, strings.TrimSpace(detail)
	return d
}

func place(file string, line, column int) diag.Range {
	return diag.Range{File: file, Start: diag.Place(line, column), End: diag.Place(line, column)}
}

// failures are the checks that say no, at their places in the files of jobs.
func failures(r *ci.Report) diag.List {
	var list diag.List
	for _, c := range cases(r) {
		a := deciding(c)
		if !bad(c.Outcome) || a == nil {
			continue
		}
		if a.Message != "" || a.Outcome == ci.Passed {
			list = append(list, diag.Diagnostic{Severity: diag.Error, Code: diag.Code("case/" + kind(a)), Range: place(c.File, c.Line, 1),
				Summary: c.ID + ": " + reason(c)})
		}
		for _, check := range a.Checks {
			if !check.OK {
				list = append(list, diag.Diagnostic{Severity: diag.Error, Code: diag.Code("check/" + check.Kind),
					Range: place(check.File, check.Line, check.Column), Summary: c.ID + ": " + line(told(check), 500)})
			}
		}
	}
	return list
}

// SARIF writes the findings of agents and the errors of definition files as a SARIF 2.1.0 log. The error is the writer's.
func SARIF(w io.Writer, r *ci.Report) error {
	return diag.WriteSARIF(w, findings(r), &diag.SARIFOptions{Version: r.Program})
}

// quality is one entry of GitLab's Code Quality report.
type quality struct {
	Description string          `json:"description"`
	Check       string          `json:"check_name"`
	Fingerprint string          `json:"fingerprint"`
	Severity    string          `json:"severity"`
	Location    qualityLocation `json:"location"`
}

type qualityLocation struct {
	Path  string       `json:"path"`
	Lines qualityLines `json:"lines"`
}

type qualityLines struct {
	Begin int32 `json:"begin"`
}

// CodeQuality writes what GitLab shows beside the changes of a merge request: findings, errors of files, and failed checks
// where they are written. What has no file is left out. The error is the writer's.
func CodeQuality(w io.Writer, r *ci.Report) error {
	list := append(findings(r), failures(r)...)
	out := make([]quality, 0, len(list))
	seen := map[string]int{}
	for _, d := range list {
		if d.Range.File == "" {
			continue
		}
		sum := sha256.Sum256([]byte(string(d.Code) + "\x00" + d.Range.File + "\x00" + d.Summary))
		mark := hex.EncodeToString(sum[:16])
		if seen[mark]++; seen[mark] > 1 {
			continue // GitLab drops entries with the same fingerprint, and with them one of the report
		}
		out = append(out, quality{line(d.Summary, 1000), printable.Unstyled(string(d.Code)), mark, qualitySeverity(d.Severity),
			qualityLocation{printable.Unstyled(d.Range.File), qualityLines{max(1, d.Range.Start.Line)}}})
	}
	return indented(w, out)
}

func qualitySeverity(s diag.Severity) string {
	switch s {
	case diag.Error:
		return "major"
	case diag.Info:
		return "info"
	default:
		return "minor"
	}
}

// JSON writes the report itself, which ci.Parse reads back; a later run compares itself with it. The error is the writer's.
func JSON(w io.Writer, r *ci.Report) error { return indented(w, r) }

func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
