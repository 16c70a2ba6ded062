package runner

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
)

// maxGuidance is how much text of instructions one call may bring, in bytes.
const maxGuidance = 64 << 10

// always are the guides that count from the beginning, as text for the prompt.
func always(guides []agents.Guide) string {
	var parts []string
	for _, g := range guides {
		if g.Match == nil {
			parts = append(parts, titled(g.File, g.Text))
		}
	}
	return strings.Join(parts, "\n\n")
}

// titled is a text of instructions under the name of its file.
func titled(file, text string) string {
	return fmt.Sprintf("# Instructions from %s\n\n%s", filepath.ToSlash(file), text)
}

// guide adds to the result of a call what instructions there are about the files that it reached.
func (x *exchange) guide(t tools.Tool, call *tools.Call, out *outcome) {
	if out.Result.IsError || out.Fatal != "" {
		return
	}
	if text := x.guidance(t, call); text != "" {
		out.Result.Content += "\n\n" + text
	}
}

// guidance is what a call adds to its result because of the files that it reached: guides about their paths, and the
// instruction files of folders below the working directory. Each counts once in a conversation. Calls side by side may ask.
func (x *exchange) guidance(t tools.Tool, call *tools.Call) string {
	if !x.agent.Instructed {
		return ""
	}
	x.guiding.Lock()
	defer x.guiding.Unlock()
	var parts []string
	left := maxGuidance
	for _, file := range tools.Files(t, call) {
		for _, part := range x.about(file) {
			if left -= len(part); left < 0 {
				x.say(&event.Warning{Code: "instructions", Message: fmt.Sprintf("not all instructions about %s are given: they are longer than %d KiB", file, maxGuidance>>10)})
				return strings.Join(parts, "\n\n")
			}
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n")
}

// about is the instructions for one file that were not given yet.
func (x *exchange) about(file string) []string {
	at := x.offered.roots
	rel, err := filepath.Rel(at.Workspace, file)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	var parts []string
	for _, g := range x.agent.Guides {
		if g.Match != nil && g.Match(filepath.ToSlash(rel)) && x.first("guide "+g.File) {
			parts = append(parts, titled(g.File, g.Text))
		}
	}
	r := reader{left: maxGuidance, excluded: x.agent.Excluded}
	for _, dir := range foldersOf(at, file) {
		if x.first("folder " + dir) {
			r.all(at.Workspace, filepath.FromSlash(dir))
		}
	}
	for _, w := range r.warnings {
		x.say(&event.Warning{Code: "instructions", Message: w})
	}
	return append(parts, r.parts...)
}

// first tells whether a text was not given in this conversation, and notes that it is now.
func (x *exchange) first(key string) bool {
	if x.conv.Guided[key] {
		return false
	}
	if x.conv.Guided == nil {
		x.conv.Guided = map[string]bool{}
	}
	x.conv.Guided[key] = true
	return true
}
