package openai

import "github.com/swarmrun/swarmrun/providers/internal/wire"

// textChunk is what a chunk of plain text says. quickText reads one where it has the usual shape: one choice, the first, with
// text or thought and nothing else of note. ok is false for every other chunk.
type textChunk struct {
	model, text, thought string
}

func quickText(data []byte) (out textChunk, ok bool) {
	p := wire.NewPull(data)
	seen := 0
	p.Open('{')
	for n := 0; p.More('}', n); n++ {
		switch string(p.Key()) {
		case "choices":
			seen++
			p.Open('[')
			for n := 0; p.More(']', n); n++ {
				seen += 10 * n // a second choice
				if !quickChoice(&p, &out) {
					return out, false
				}
			}
		case "model":
			out.model = p.String()
		case "usage", "error":
			if !p.Null() {
				return out, false
			}
		default:
			p.Skip()
		}
	}
	return out, p.OK() && seen == 1 && (out.text != "" || out.thought != "")
}

func quickChoice(p *wire.Pull, out *textChunk) bool {
	deltas := 0
	p.Open('{')
	for n := 0; p.More('}', n); n++ {
		switch string(p.Key()) {
		case "index":
			if p.Int() != 0 {
				return false
			}
		case "delta":
			deltas++
			if !quickDelta(p, out) {
				return false
			}
		case "finish_reason", "error", "message":
			if !p.Null() {
				return false
			}
		default:
			p.Skip()
		}
	}
	return deltas == 1
}

func quickDelta(p *wire.Pull, out *textChunk) bool {
	p.Open('{')
	for n := 0; p.More('}', n); n++ {
		field := (*string)(nil)
		switch string(p.Key()) {
		case "content":
			field = &out.text
		case "reasoning_content":
			field = &out.thought
		case "role":
			p.Skip()
			continue
		}
		switch {
		case p.Null():
		case field == nil || *field != "":
			return false
		default:
			*field = p.String()
		}
	}
	return true
}
