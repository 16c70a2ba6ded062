package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner/ci"
)

// annotations is how many are written: GitHub shows ten of a kind for each step, and says nothing of the others.
const annotations = 50

// Annotations writes workflow commands, which GitHub shows beside the lines: failed checks first, then what is wrong with files
// and what agents found. The error is the writer's.
func Annotations(w io.Writer, r *ci.Report) error {
	list := append(failures(r), findings(r)...)
	if more := len(list) - annotations; more > 0 {
		list = append(list[:annotations:annotations], diag.Diagnostic{Severity: diag.Info, Code: "report",
			Summary: fmt.Sprintf("%d more are left out; the report has them all", more)})
	}
	return diag.WriteGitHub(w, list)
}

// Outputs writes the outputs of a step, one "name=value" on a line, for the file that GITHUB_OUTPUT names. The error is the
// writer's.
func Outputs(w io.Writer, r *ci.Report, c *Comparison) error {
	t := r.Totals
	var b strings.Builder
	set := func(name string, value any) {
		fmt.Fprintf(&b, "%s=%s\n", name, line(fmt.Sprint(value), 1000))
	}
	set("ok", r.OK)
	set("exit_code", r.ExitCode)
	set("verdict", verdict(r))
	set("cases", t.Cases)
	set("passed", t.Passed)
	set("failed", t.Failed)
	set("errors", t.Errors)
	set("flaky", t.Flaky)
	set("skipped", t.Skipped)
	set("tokens", t.Usage.Tokens())
	set("cost_usd", strings.TrimPrefix(dollars(t.Usage), "$"))
	set("duration_ms", r.DurationMS)
	if c != nil {
		set("better", len(c.Better))
		set("worse", len(c.Worse))
		set("dearer", len(c.Dearer))
		set("slower", len(c.Slower))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
