package openai

import "github.com/swarmrun/swarmrun/providers/internal/wire"

// quickChunk reads a chunk of the usual shape into ev, whose choices it overwrites. It is false for every other one, of which
// encoding/json has the say; ev is then worth nothing. model is the name that most chunks repeat.
func quickChunk(data []byte, ev *chunk, model string) bool {
	*ev = chunk{Choices: ev.Choices[:0]}
	p := wire.NewPull(data)
	var seen wire.Names
	for name := range p.Members {
		switch string(name) {
		case "model":
			p.Once(&seen, 0)
			ev.Model = p.Repeated(model)
		case "choices":
			p.Once(&seen, 1)
			for n := range p.Elements {
				ev.Choices = append(ev.Choices, choice{})
				quickChoice(&p, &ev.Choices[n])
			}
		case "usage":
			p.Once(&seen, 2)
			if !p.Null() {
				ev.Usage = &chatUsage{}
				quickUsage(&p, ev.Usage)
			}
		case "error":
			p.Expect(p.Null())
		default:
			p.Skip()
		}
	}
	return p.OK()
}

func quickChoice(p *wire.Pull, c *choice) {
	var seen wire.Names
	for name := range p.Members {
		switch string(name) {
		case "index":
			p.Once(&seen, 0)
			c.Index = p.Int()
		case "delta":
			p.Once(&seen, 1)
			quickDelta(p, &c.Delta)
		case "finish_reason":
			p.Once(&seen, 2)
			c.FinishReason = p.Text()
		case "message", "error":
			p.Expect(p.Null())
		default:
			p.Skip()
		}
	}
}

func quickDelta(p *wire.Pull, m *chatMessage) {
	var seen wire.Names
	for name := range p.Members {
		switch string(name) {
		case "content":
			p.Once(&seen, 0)
			m.Content.text = p.Text()
		case "reasoning_content":
			p.Once(&seen, 1)
			m.ReasoningContent = p.Text()
		case "reasoning":
			p.Once(&seen, 2)
			m.Reasoning = p.Text()
		case "refusal":
			p.Once(&seen, 3)
			m.Refusal = p.Text()
		case "tool_calls":
			p.Once(&seen, 4)
			if p.Null() {
				continue
			}
			for n := range p.Elements {
				m.ToolCalls = append(m.ToolCalls, chatCall{})
				quickCall(p, &m.ToolCalls[n])
			}
		default:
			p.Skip()
		}
	}
}

func quickCall(p *wire.Pull, c *chatCall) {
	var seen wire.Names
	for name := range p.Members {
		switch string(name) {
		case "index":
			p.Once(&seen, 0)
			index := p.Int()
			c.Index = &index
		case "id":
			p.Once(&seen, 1)
			c.ID = p.Text()
		case "function":
			p.Once(&seen, 2)
			for name := range p.Members {
				switch string(name) {
				case "name":
					p.Once(&seen, 3)
					c.Function.Name = p.Text()
				case "arguments":
					p.Once(&seen, 4)
					c.Function.Arguments = arguments(p.Text())
				default:
					p.Skip()
				}
			}
		case "extra_content":
			p.Expect(false)
		default:
			p.Skip()
		}
	}
}

func quickUsage(p *wire.Pull, u *chatUsage) {
	var seen wire.Names
	for name := range p.Members {
		switch string(name) {
		case "prompt_tokens":
			p.Once(&seen, 0)
			u.Prompt = p.Int()
		case "completion_tokens":
			p.Once(&seen, 1)
			u.Completion = p.Int()
		case "total_tokens":
			p.Once(&seen, 2)
			u.Total = p.Int()
		case "prompt_cache_hit_tokens":
			p.Once(&seen, 3)
			u.CacheHit = p.Int()
		case "prompt_tokens_details", "completion_tokens_details":
			p.Expect(p.Null()) // one chunk of a stream has them
		default:
			p.Skip()
		}
	}
}
