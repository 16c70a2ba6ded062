package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner/ci"
)

// A summary is read by people, and GitHub takes no more than 1 MiB of it.
const (
	shownCases   = 50
	shownFiles   = 50
	shownChanges = 10
	shownFault   = 8 << 10
	shownOutput  = 4 << 10
)

// Markdown writes a summary: the numbers, the jobs, what did not pass, and the comparison where there is one. The error is the
// writer's.
func Markdown(w io.Writer, r *ci.Report, c *Comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s swarmrun ci: %s\n\n", mark(r, c), verdict(r))
	fmt.Fprintf(&b, "%s · %s · %s tokens in, %s out\n\n", took(r.DurationMS), dollars(r.Totals.Usage), grouped(r.Totals.Usage.Input), grouped(r.Totals.Usage.Output))
	files := wrong(r)
	for _, d := range files[:min(len(files), shownFiles)] {
		fmt.Fprintf(&b, "- %s: %s\n", code(d.Range.String()), markdown(d.Summary))
	}
	if more := len(files) - shownFiles; more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	jobsTable(&b, r)
	if c != nil {
		comparison(&b, c)
	}
	problems(&b, r)
	_, err := io.WriteString(w, b.String())
	return err
}

func mark(r *ci.Report, c *Comparison) string {
	if r.OK && (c == nil || len(c.Broken) == 0) {
		return "✅"
	}
	return "❌"
}

func jobsTable(b *strings.Builder, r *ci.Report) {
	if len(r.Jobs) == 0 {
		return
	}
	b.WriteString("\n| job | agent | outcome | passed | cost | time |\n|---|---|---|---:|---:|---:|\n")
	for _, j := range r.Jobs {
		fmt.Fprintf(b, "| %s | %s | %s | %d of %d | %s | %s |\n", markdown(j.Name), markdown(j.Target), j.Outcome, j.Totals.Passed, j.Totals.Cases,
			dollars(j.Totals.Usage), took(j.DurationMS))
	}
}

func comparison(b *strings.Builder, c *Comparison) {
	b.WriteString("\n### Compared with the baseline\n\n")
	for _, broken := range c.Broken {
		fmt.Fprintf(b, "- **%s**\n", markdown(broken))
	}
	fmt.Fprintf(b, "\n| | before | now | |\n|---|---:|---:|---:|\n| cost | %s | %s | %s |\n| tokens | %s | %s | %s |\n",
		price(c.Cost.Was), price(c.Cost.Is), growth(c.Cost.Growth()),
		grouped(int(c.Tokens.Was)), grouped(int(c.Tokens.Is)), growth(c.Tokens.Growth()))
	if c.Time != (Sum{}) {
		fmt.Fprintf(b, "| time of live attempts | %s | %s | %s |\n", took(int64(c.Time.Was)), took(int64(c.Time.Is)), growth(c.Time.Growth()))
	}
	for _, list := range []struct {
		word    string
		changes []Change
	}{{"worse", c.Worse}, {"better", c.Better}, {"dearer", c.Dearer}, {"slower", c.Slower}} {
		if len(list.changes) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s %s:\n\n", plural(len(list.changes), "case"), list.word)
		for _, change := range list.changes[:min(len(list.changes), shownChanges)] {
			fmt.Fprintf(b, "- %s: %s → %s\n", code(change.ID), markdown(change.Was), markdown(change.Is))
		}
		if more := len(list.changes) - shownChanges; more > 0 {
			fmt.Fprintf(b, "- and %d more\n", more)
		}
	}
	if len(c.New)+len(c.Gone) > 0 {
		fmt.Fprintf(b, "\n%s new, %d gone.\n", plural(len(c.New), "case"), len(c.Gone))
	}
}

// problems are the cases that did not pass, those that failed first.
func problems(b *strings.Builder, r *ci.Report) {
	var list []*ci.Case
	for _, outcomes := range [][]ci.Outcome{{ci.Failed, ci.Errored}, {ci.Flaky}} {
		for _, c := range cases(r) {
			if c.Outcome == outcomes[0] || c.Outcome == outcomes[len(outcomes)-1] {
				list = append(list, c)
			}
		}
	}
	if len(list) == 0 {
		return
	}
	b.WriteString("\n### What did not pass\n")
	for _, c := range list[:min(len(list), shownCases)] {
		fmt.Fprintf(b, "\n<details><summary>%s %s: %s</summary>\n\n", c.Outcome, markup(c.ID), markup(reason(c)))
		if a := deciding(c); a != nil {
			fence(b, cut(faultText(c, a), shownFault))
			if a.Output != "" {
				b.WriteString("\nThe answer:\n\n")
				fence(b, cut(a.Output, shownOutput))
			}
		}
		b.WriteString("\n</details>\n")
	}
	if more := len(list) - shownCases; more > 0 {
		fmt.Fprintf(b, "\nand %d more\n", more)
	}
}

// markdown is one line of text in which nothing is markup.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range line(s, 500) {
		if strings.ContainsRune("\\`*_[]<>#|~&$@", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return unlinked(b.String())
}

// markup is one line of text inside an element.
func markup(s string) string {
	return unlinked(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "[", "&#91;",
		"@", "&#64;", "#", "&#35;", "\\", "&#92;").Replace(line(s, 500)))
}

// unlinked takes away what becomes a link without any markup.
func unlinked(s string) string {
	return strings.NewReplacer("://", ":&#47;&#47;", "www.", "www&#46;").Replace(s)
}

// code is one line as code.
func code(s string) string {
	s = line(s, 500)
	ticks := strings.Repeat("`", longest(s)+1)
	return ticks + " " + s + " " + ticks
}

// fence is a text as a block of code, behind a fence that it does not have itself.
func fence(b *strings.Builder, s string) {
	s = printable.Unstyled(s)
	ticks := strings.Repeat("`", max(3, longest(s)+1))
	fmt.Fprintf(b, "%stext\n%s\n%s\n", ticks, strings.TrimRight(s, "\n"), ticks)
}

// longest is the length of the longest run of backticks.
func longest(s string) int {
	most, n := 0, 0
	for _, r := range s {
		if n++; r != '`' {
			n = 0
		}
		most = max(most, n)
	}
	return most
}
