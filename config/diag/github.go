package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteGitHub writes one workflow command a finding, which GitHub shows beside the line. The error is the writer's.
// Form and escapes: https://docs.github.com/actions/reference/workflow-commands-for-github-actions and the toolkit's
// command.ts.
func WriteGitHub(w io.Writer, l List) error {
	b := bufio.NewWriter(w)
	for i := range l {
		d := &l[i]
		fmt.Fprintf(b, "::%s %s::%s\n", githubLevel(d.Severity), githubProperties(d), githubData(githubMessage(d)))
	}
	return b.Flush()
}

func githubLevel(s Severity) string {
	if s == Info {
		return "notice"
	}
	return s.String()
}

func githubProperties(d *Diagnostic) string {
	var props []string
	set := func(key, value string) {
		if value != "" && value != "0" {
			props = append(props, key+"="+githubProperty(visible(value)))
		}
	}
	set("file", d.Range.File)
	start, end := d.Range.Start, d.Range.End
	set("line", fmt.Sprint(start.Line))
	if start.Line > 0 {
		set("endLine", fmt.Sprint(max(start.Line, end.Line)))
		set("col", fmt.Sprint(start.Column))
		if end.Line == start.Line {
			set("endColumn", fmt.Sprint(max(start.Column, end.Column-1)))
		}
	}
	set("title", string(d.Code))
	return strings.Join(props, ",")
}

func githubMessage(d *Diagnostic) string {
	parts := []string{visible(d.Summary)}
	if d.Detail != "" {
		parts = append(parts, visibleLines(d.Detail))
	}
	for _, n := range d.Notes {
		parts = append(parts, "note: "+place(n.Range)+": "+visibleLines(n.Text))
	}
	if d.Suggestion != "" {
		parts = append(parts, "help: "+visibleLines(d.Suggestion))
	}
	return strings.Join(parts, "\n")
}

func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func githubProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
