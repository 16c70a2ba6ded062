package tools

import (
	"fmt"
	"unicode/utf8"
)

// MaxText is how many characters of output a tool shows the model.
const MaxText = 30_000

// Cut makes a Result of text: of more than limit characters it shows head and tail with a note between them, and keeps the
// whole as Full.
func Cut(text string, limit int) Result {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return Result{Content: text}
	}
	r := []rune(text)
	half := limit / 2
	note := fmt.Sprintf("\n\n… %d characters left out …\n\n", len(r)-2*half)
	return Result{Content: string(r[:half]) + note + string(r[len(r)-half:]), Full: text}
}
