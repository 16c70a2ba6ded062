package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/tools"
)

// Finding is the event of what an agent reports about a file.
type Finding struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	EndLine  int    `json:"end_line,omitempty"`
	Severity string `json:"severity"` // error, warning or note
	Rule     string `json:"rule,omitempty"`
	Message  string `json:"message"`
}

// Type is finding.
func (Finding) Type() string { return "finding" }

const reportSchema = `{"type":"object","additionalProperties":false,"required":["message"],"properties":{
"message":{"type":"string","description":"What is wrong and why, in a sentence or two"},
"severity":{"type":"string","enum":["error","warning","note"],"description":"error: must be mended; warning: should be; note: worth knowing. Default: warning"},
"file":{"type":"string","description":"The file that it is about"},
"line":{"type":"integer","minimum":1,"description":"Its line"},
"end_line":{"type":"integer","minimum":1,"description":"Its last line, where it is about several"},
"rule":{"type":"string","description":"A short name for findings of this kind: nil-dereference"}}}`

// newReport makes the tool by which an agent reports what it found, for reports of CI jobs. It changes nothing.
func newReport() tools.Tool {
	return &tool[Finding]{
		spec: spec("Report", "Reports one finding of a review: what is wrong, in which file and line, and how much it matters. Call it once for each finding.", reportSchema, true),
		run: func(_ context.Context, c *tools.Call, in Finding) (tools.Result, error) {
			if strings.TrimSpace(in.Message) == "" {
				return tools.Result{}, errors.New("message is empty; say what is wrong")
			}
			if in.Severity == "" {
				in.Severity = "warning"
			}
			if in.Line > 0 && in.File == "" {
				return tools.Result{}, errors.New("a line needs a file")
			}
			if in.EndLine > 0 && in.EndLine < in.Line {
				return tools.Result{}, fmt.Errorf("end_line %d is before line %d", in.EndLine, in.Line)
			}
			if c.Report != nil {
				c.Report(in)
			}
			return text("Reported."), nil
		},
	}
}
