package agents

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxToolName is the longest name of a tool that every provider takes.
const MaxToolName = 64

// Tool is the name of the tool that stands for the delegate: As, or WorkWith and the agent's name in PascalCase.
func (d Delegate) Tool() string {
	if d.As != "" {
		return d.As
	}
	return ToolName("WorkWith", d.Agent)
}

// ToolName makes the name of a tool of a prefix and an agent's name in PascalCase, such as WorkWithBackendDev of
// backend_dev, backend-dev and backendDev. What no tool name may hold separates words; letters and digits beyond ASCII
// become U and their code point in hexadecimal; a name over MaxToolName is cut and ends in a digest of the whole.
func ToolName(prefix, name string) string {
	var b strings.Builder
	b.WriteString(prefix)
	start := true
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			start = true
			continue
		case r >= utf8.RuneSelf:
			fmt.Fprintf(&b, "U%04X", r)
		case start:
			b.WriteRune(unicode.ToUpper(r))
		default:
			b.WriteRune(r)
		}
		start = false
	}
	s := b.String()
	if len(s) <= MaxToolName {
		return s
	}
	digest := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%s_%x", s[:MaxToolName-9], digest[:4])
}
