package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/internal/printable"
)

// edit is one replacement of a call that edits a file.
type edit struct{ old, new string }

// editsOf are the replacements that a call of Edit or MultiEdit asks for, or the text that Write would write.
func editsOf(tool string, args json.RawMessage) []edit {
	type replacement struct {
		Old string `json:"old_string"`
		New string `json:"new_string"`
	}
	var in struct {
		replacement
		Edits   []replacement `json:"edits"`
		Content string        `json:"content"`
	}
	if json.Unmarshal(args, &in) != nil {
		return nil
	}
	switch tool {
	case "Edit":
		return []edit{{in.Old, in.New}}
	case "MultiEdit":
		var out []edit
		for _, e := range in.Edits {
			out = append(out, edit{e.Old, e.New})
		}
		return out
	case "Write":
		return []edit{{"", in.Content}}
	}
	return nil
}

// diffLines shows edits as lines that go and lines that come, without those that stay at both ends.
func diffLines(t *theme, edits []edit, width int) []string {
	var out []string
	for _, e := range edits {
		old, new := splitLines(e.old), splitLines(e.new)
		for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
			old, new = old[1:], new[1:]
		}
		for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
			old, new = old[:len(old)-1], new[:len(new)-1]
		}
		for _, line := range old {
			out = append(out, t.bad.Render(cutCells("− "+line, width)))
		}
		for _, line := range new {
			out = append(out, t.good.Render(cutCells("+ "+line, width)))
		}
	}
	if len(out) > shownDiff {
		out = append(out[:shownDiff:shownDiff], t.faint.Render(fmt.Sprintf("… %d more lines", len(out)-shownDiff)))
	}
	return out
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(printable.Text(text), "\t", "    "), "\n"), "\n")
}
