package skills

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxShown is how many characters of a description the catalogue shows.
const maxShown = 1536

const catalogueHead = "Skills hold instructions for special work. When a task fits the description of one, load it with the tool %s before you begin.\n"

// Catalogue is the part of a system prompt that names skills; "" where there is none. tool is what loads one.
func Catalogue(all []*Skill, tool string) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, catalogueHead, tool)
	b.WriteString("<available_skills>\n")
	for _, k := range all {
		fmt.Fprintf(&b, "<skill>\n<name>%s</name>\n<description>%s</description>\n<location>%s</location>\n</skill>\n",
			attribute(k.Name), attribute(shortened(k.Description)), attribute(k.File))
	}
	b.WriteString("</available_skills>")
	return b.String()
}

func shortened(text string) string {
	if utf8.RuneCountInString(text) <= maxShown {
		return text
	}
	return string([]rune(text)[:maxShown-1]) + "…"
}
