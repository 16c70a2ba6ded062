package anthropic

import "github.com/swarmrun/swarmrun/providers/internal/wire"

// textDelta is a piece of text of one block.
type textDelta struct {
	index int
	text  string
}

// quickText reads a text_delta event where it has the usual shape; ok is false for every other event.
func quickText(data []byte) (out textDelta, ok bool) {
	p := wire.NewPull(data)
	seen := 0
	for name := range p.Members {
		switch string(name) {
		case "type":
			seen++
			if p.String() != "content_block_delta" {
				return out, false
			}
		case "index":
			seen += 10
			out.index = p.Int()
		case "delta":
			seen += 100
			if !quickDelta(&p, &out) {
				return out, false
			}
		default:
			return out, false
		}
	}
	return out, p.OK() && seen == 111
}

func quickDelta(p *wire.Pull, out *textDelta) bool {
	seen := 0
	for name := range p.Members {
		switch string(name) {
		case "type":
			seen++
			if p.String() != "text_delta" {
				return false
			}
		case "text":
			seen += 10
			out.text = p.String()
		default:
			return false
		}
	}
	return seen == 11
}
