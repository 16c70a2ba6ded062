package runner

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/providers"
)

// picture is what an image or a document counts for, in characters.
const picture = 4_000

// divide splits messages into what may go and what stays: the recent ones, whole calls with their results, and in front of
// them the prompt that they belong to, so that what stays begins with a prompt and has the last one.
func divide(messages []providers.Message, recent int) (old, rest []providers.Message) {
	cut := min(len(messages)-recent, len(messages)-1)
	for cut > 0 && messages[cut].Role == providers.Tool {
		cut--
	}
	if cut <= 0 {
		return nil, messages
	}
	old, rest = messages[:cut], messages[cut:]
	if rest[0].Role == providers.User {
		return old, rest
	}
	for i := cut - 1; i >= 0; i-- {
		if old[i].Role == providers.User {
			return slices.Delete(slices.Clone(old), i, i+1), slices.Insert(slices.Clone(rest), 0, old[i])
		}
	}
	return nil, messages // without a prompt there is nothing that what stays could begin with
}

// shortened is the messages with the results of tools cut where they are older than the recent ones; nil when none is long
// enough to be cut. The messages given are not changed.
func shortened(messages []providers.Message, recent int) []providers.Message {
	var out []providers.Message
	for i, m := range messages {
		keep := kept(len(messages)-i, recent)
		if m.Role != providers.Tool || keep < 0 {
			continue
		}
		for j, p := range m.Parts {
			r, ok := p.(providers.ToolResult)
			if !ok || r.Name == skillTool && !r.IsError {
				continue
			}
			text, cut := clip(r.Content, keep)
			if !cut && len(r.Blobs) == 0 {
				continue
			}
			if out == nil {
				out = slices.Clone(messages)
			}
			if &out[i].Parts[0] == &m.Parts[0] {
				out[i].Parts = slices.Clone(m.Parts)
			}
			r.Content, r.Blobs = text, nil
			out[i].Parts[j] = r
		}
	}
	return out
}

// kept is how many characters of a result stay, by the age of its message: 1 is the last one. -1 is all of them.
func kept(age, recent int) int {
	switch {
	case age <= recent:
		return -1
	case age <= 20:
		return 1_000
	case age <= 40:
		return 500
	case age <= 60:
		return 200
	}
	return 100
}

// clip cuts a text that would be shorter for it, the note about the cut included.
func clip(text string, keep int) (string, bool) {
	n := utf8.RuneCountInString(text)
	if n <= keep {
		return text, false
	}
	short := string([]rune(text)[:keep]) + fmt.Sprintf("\n[%d more characters were cut to save room; call the tool again if you need them.]", n-keep)
	if len(short) >= len(text) {
		return text, false
	}
	return short, true
}

// estimate is the tokens of a conversation, at four characters each.
func estimate(system string, messages []providers.Message) int {
	n := len(system)
	for _, m := range messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case providers.Text:
				n += len(p.Text)
			case providers.Blob:
				n += picture
			case providers.Reasoning:
				n += len(p.Text)
			case providers.ToolCall:
				n += len(p.Name) + len(p.Args)
			case providers.ToolResult:
				n += len(p.Content) + len(p.Blobs)*picture
			}
		}
	}
	return n / 4
}
