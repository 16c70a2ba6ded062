package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner/ci"
	"github.com/swarmrun/swarmrun/runner/event"
)

// ciView shows how cases go: on a terminal a live line with the time that is left, and one line for each case that ended, in
// the order of the report whatever ended first.
type ciView struct {
	app    *app
	screen *screen
	lines  *event.Writer // of -o jsonl
	broken error         // of stdout
	order  []string      // of cases, by id; what ended waits for those before it
	ended  map[string]*ci.Case
	next   int
}

func (a *app) newCIView() *ciView {
	v := &ciView{app: a, screen: newScreen(a), ended: map[string]*ci.Case{}}
	if a.output == formatJSONL {
		v.lines = event.NewWriter(a.stdout)
	}
	return v
}

// planned hears which cases there are.
func (v *ciView) planned(cases []*ci.Case) {
	for _, c := range cases {
		v.order = append(v.order, c.ID)
	}
}

// event writes an event of a run.
func (v *ciView) event(e event.Event) {
	if v.lines != nil && v.broken == nil {
		v.broken = v.lines.Write(e)
	}
}

// told hears of cases, one at a time.
func (v *ciView) told(p ci.Progress) {
	if v.app.quiet {
		return
	}
	if p.Attempt > 0 {
		v.status(p)
		return
	}
	v.ended[p.Case.ID] = p.Case
	for v.next < len(v.order) && v.ended[v.order[v.next]] != nil {
		v.line(v.ended[v.order[v.next]])
		v.next++
	}
	v.status(p)
}

func (v *ciView) status(p ci.Progress) {
	if p.Done == p.Of {
		return
	}
	left := ""
	if p.Left > 0 {
		left = ", about " + took(p.Left.Round(time.Second).Milliseconds()) + " left"
	}
	text := fmt.Sprintf("%d of %s%s · %s", p.Done, plural(p.Of, "case"), left, printable.Line(p.Case.ID))
	v.screen.status(func(width int) string { return cut(text, width) })
}

// line is a case that ended, with what went wrong.
func (v *ciView) line(c *ci.Case) {
	text := fmt.Sprintf("%s %s", outcomeMark(c.Outcome), printable.Line(c.ID))
	if c.Outcome != ci.Skipped {
		text += " · " + took(c.DurationMS)
		if n := c.Usage.Tokens(); n > 0 {
			text += " · " + tokens(n) + " tokens · " + money(c.Usage)
		}
	}
	if c.Rate != nil && c.Outcome != ci.Skipped {
		text += fmt.Sprintf(" · %d of %d passed", c.Rate.Passed, c.Rate.Run)
	}
	if c.Reason != "" {
		text += " · " + printable.Line(c.Reason)
	}
	v.screen.line(text)
	if c.Outcome == ci.Failed || c.Outcome == ci.Errored {
		for _, l := range caseFaults(c) {
			v.screen.line("    " + l)
		}
	}
}

func outcomeMark(o ci.Outcome) string {
	switch o {
	case ci.Passed:
		return "✓"
	case ci.Flaky:
		return "~"
	case ci.Skipped:
		return "-"
	}
	return "✗"
}

// caseFaults is why a case did not pass: its last attempt that did not.
func caseFaults(c *ci.Case) []string {
	var lines []string
	for i := len(c.Attempts) - 1; i >= 0; i-- {
		a := c.Attempts[i]
		if a.Outcome == ci.Passed {
			continue
		}
		if more := strings.TrimPrefix(a.Message, c.Reason); strings.TrimSpace(more) != "" { // the reason is told already
			lines = append(lines, indentedLines(strings.TrimPrefix(more, "\n"))...)
		}
		for _, k := range a.Checks {
			if k.OK {
				continue
			}
			place := fmt.Sprintf("%s:%d:%d", printable.Line(k.File), k.Line, k.Column)
			lines = append(lines, place+": "+printable.Line(k.Name))
			for _, x := range [...]struct{ head, text string }{{"expected", k.Expected}, {"got", k.Got}, {"note", k.Note}} {
				if x.text == "" {
					continue
				}
				part := indentedLines(x.text)
				lines = append(lines, fmt.Sprintf("  %-8s %s", x.head, part[0]))
				for _, more := range part[1:] {
					lines = append(lines, "           "+more)
				}
			}
			if at := k.At; at != nil {
				lines = append(lines, "  at       "+placeWords(at))
			}
		}
		return lines
	}
	return lines
}

func placeWords(p *ci.Place) string {
	var parts []string
	if p.Agent != "" {
		parts = append(parts, printable.Line(p.Agent))
	}
	if p.Turn > 0 {
		parts = append(parts, fmt.Sprintf("turn %d", p.Turn))
	}
	if p.Tool != "" {
		parts = append(parts, printable.Line(p.Tool))
	}
	if p.Entry >= 0 {
		parts = append(parts, fmt.Sprintf("entry %d of the transcript", p.Entry+1))
	}
	return strings.Join(parts, ", ")
}

// maxFaultLines is how much of a text a line for a case shows; reports have all of it.
const maxFaultLines = 12

func indentedLines(text string) []string {
	lines := strings.Split(strings.TrimRight(printable.Text(text), "\n"), "\n")
	if more := len(lines) - maxFaultLines; more > 0 {
		lines = append(lines[:maxFaultLines], fmt.Sprintf("… %s more", plural(more, "line")))
	}
	return lines
}

func (v *ciView) close() { v.screen.clear() }

// finishCI prints the answer of the command and returns how it ends.
func (a *app) finishCI(r *ci.Report, v *ciView) error {
	if v.broken != nil {
		return v.broken
	}
	var err error
	switch a.output {
	case formatJSON:
		err = writeJSON(a.stdout, r)
	case formatJSONL:
		err = v.lines.Result(&event.Result{OK: r.OK, Kind: r.Kind, Message: ciMessage(r), Usage: r.Totals.Usage, Duration: time.Duration(r.DurationMS) * time.Millisecond, ExitCode: r.ExitCode})
	default:
		err = ciTable(a.stdout, r)
	}
	if err != nil {
		return err
	}
	if r.Kind == event.KindNoCases {
		a.complain(noCases())
	}
	if !r.OK {
		return told{r.ExitCode}
	}
	return nil
}

// ciMessage is the outcome on one line.
func ciMessage(r *ci.Report) string {
	if r.OK {
		return ""
	}
	return ciCounts(&r.Totals)
}

func ciCounts(t *ci.Totals) string {
	parts := []string{plural(t.Cases, "case"), fmt.Sprintf("%d passed", t.Passed)}
	for _, x := range [...]struct {
		n    int
		what string
	}{{t.Failed, "failed"}, {t.Errors, "could not be judged"}, {t.Flaky, "flaky"}, {t.Skipped, "skipped"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return parts[0] + ": " + strings.Join(parts[1:], ", ")
}

// ciTable is one line for each job and one for all.
func ciTable(w io.Writer, r *ci.Report) error {
	width := 0
	for _, j := range r.Jobs {
		width = max(width, len([]rune(j.Name)))
	}
	var b strings.Builder
	for _, j := range r.Jobs {
		fmt.Fprintf(&b, "%s %-*s  %s · %s · %s\n", outcomeMark(j.Outcome), width, printable.Line(j.Name), ciCounts(&j.Totals), money(j.Totals.Usage), took(j.DurationMS))
	}
	verdict := "passed"
	switch {
	case r.Interrupted:
		verdict = "interrupted"
	case !r.OK:
		verdict = "failed"
	}
	fmt.Fprintf(&b, "%s · %s · %s · %s\n", verdict, ciCounts(&r.Totals), money(r.Totals.Usage), took(r.DurationMS))
	_, err := io.WriteString(w, b.String())
	return err
}
