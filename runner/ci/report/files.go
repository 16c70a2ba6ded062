package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/runner/ci"
)

// Files says where the forms of a report are written, and what it is compared with. An empty name writes nothing.
type Files struct {
	JUnit, SARIF, Summary, JSON, HTML, CodeQuality string

	Baseline string // a JSON report of an earlier run
	FailOn   string // thresholds, as ParseThresholds reads them
}

// Plan is Files that were looked at before anything runs: a run is dear, and should not end with a name that is wrong.
type Plan struct {
	files  Files
	base   *ci.Report // nil = there is none
	limits Thresholds
}

// Open reads the baseline and the thresholds, and makes the folders. The error names the flag that is wrong.
func (f Files) Open() (*Plan, error) {
	p := &Plan{files: f}
	var err error
	if p.limits, err = ParseThresholds(f.FailOn); err != nil {
		return nil, fmt.Errorf("--fail-on: %w", err)
	}
	if f.FailOn != "" && f.Baseline == "" {
		return nil, errors.New("--fail-on compares with a baseline: name one with --baseline")
	}
	if f.Baseline != "" {
		raw, err := os.ReadFile(f.Baseline)
		if err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
		if p.base, err = ci.Parse(raw); err != nil {
			return nil, fmt.Errorf("--baseline %s: %w", f.Baseline, err)
		}
	}
	for _, form := range p.forms(nil, nil) {
		if form.file == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(form.file), 0o755); err != nil {
			return nil, fmt.Errorf("%s: %w", form.flag, err)
		}
		if info, err := os.Stat(form.file); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s: %s is a folder", form.flag, form.file)
		}
	}
	return p, nil
}

type form struct {
	flag, file string
	write      func(io.Writer) error
}

func (p *Plan) forms(r *ci.Report, c *Comparison) []form {
	f := p.files
	return []form{
		{"--junit", f.JUnit, func(w io.Writer) error { return JUnit(w, r) }},
		{"--sarif", f.SARIF, func(w io.Writer) error { return SARIF(w, r) }},
		{"--summary", f.Summary, func(w io.Writer) error { return Markdown(w, r, c) }},
		{"--json", f.JSON, func(w io.Writer) error { return JSON(w, r) }},
		{"--html", f.HTML, func(w io.Writer) error { return HTML(w, r, c) }},
		{"--codequality", f.CodeQuality, func(w io.Writer) error { return CodeQuality(w, r) }},
	}
}

// Judge compares a report with the baseline; nil when there is none. Where a threshold does not hold, a report that was OK is
// so no longer.
func (p *Plan) Judge(r *ci.Report) *Comparison {
	if p.base == nil {
		return nil
	}
	c := Compare(p.base, r)
	if !p.limits.Check(c) && r.OK {
		r.OK, r.Kind, r.ExitCode = false, "assertion", 1
	}
	return c
}

// save writes the file whole or not at all. What is there and is no file, such as /dev/stdout, takes what is written to it.
func (f form) save() error {
	if info, err := os.Stat(f.file); err == nil && !info.Mode().IsRegular() {
		return open(f.file, os.O_WRONLY, f.write)
	}
	return wholefile.ReplaceWith(f.file, 0o644, f.write)
}

// Write writes every form, each whole or not at all, and on GitHub the annotations to told, the summary and the outputs of the
// step. What cannot be written does not keep the others from it; the error names all of them.
func (p *Plan) Write(r *ci.Report, c *Comparison, getenv func(string) string, told io.Writer) error {
	var errs []error
	for _, form := range p.forms(r, c) {
		if form.file != "" {
			if err := form.save(); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", form.file, err))
			}
		}
	}
	if getenv("GITHUB_ACTIONS") == "true" {
		errs = append(errs, Annotations(told, r))
		for _, form := range []form{
			{file: getenv("GITHUB_STEP_SUMMARY"), write: func(w io.Writer) error { return Markdown(w, r, c) }},
			{file: getenv("GITHUB_OUTPUT"), write: func(w io.Writer) error { return Outputs(w, r, c) }},
		} {
			if form.file != "" {
				errs = append(errs, open(form.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, form.write)) // steps share it
			}
		}
	}
	return errors.Join(errs...)
}

func open(file string, flags int, write func(io.Writer) error) error {
	f, err := os.OpenFile(file, flags, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
