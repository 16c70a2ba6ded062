package ci

import (
	"strings"

	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// Bounds of what a report keeps, in bytes: of one text, and of an attempt by its outcome.
const (
	keptText   = 16 << 10
	keptFailed = 256 << 10
	keptPassed = 16 << 10
	leastText  = 200 // what remains of a text that has to be cut
)

// cutText keeps the beginning of a text, and says how many bytes it left out.
func cutText(s string, limit int) (string, int) {
	if len(s) <= limit {
		return s, 0
	}
	kept := strings.ToValidUTF8(s[:max(limit, 0)], "")
	return kept, len(s) - len(kept)
}

// bounded is a transcript whose texts come to at most limit bytes: the longest ones are cut first, no entry goes.
func bounded(entries []Entry, limit int) (out []Entry, cut int) {
	total := 0
	for _, e := range entries {
		total += len(e.Text) + len(e.Input)
	}
	each := keptText
	for total > limit && each > leastText {
		each /= 2
		total = 0
		for _, e := range entries {
			total += min(len(e.Text), each) + min(len(e.Input), each)
		}
	}
	for _, e := range entries {
		cut += e.Cut
		if len(e.Text) > each {
			text, n := cutText(e.Text, each)
			e.Text, e.Cut, cut = text, e.Cut+n, cut+n
		}
		if len(e.Input) > each {
			text, n := cutText(string(e.Input), each)
			e.Input, _ = jsontext.Marshal(text) // a text is JSON
			e.Cut, cut = e.Cut+n, cut+n
		}
		out = append(out, e)
	}
	return out, cut
}
