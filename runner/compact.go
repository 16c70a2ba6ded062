package runner

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// recent is how many messages at the end of a conversation stay whole.
const recent = 10

// thinkSmaller is think, once more with a smaller conversation when the first request did not fit into the model's window.
// A second overflow is final.
func (x *exchange) thinkSmaller(ctx context.Context) (*answer, *failure) {
	a, f := x.think(ctx, "model", 1)
	if f == nil || f.kind != event.KindContextOverflow {
		return a, f
	}
	x.say(&event.ContextOverflow{Tokens: estimate(x.system, x.conv.Messages)})
	smaller, err := x.compact(ctx)
	if err != nil {
		return nil, broken(err)
	}
	if !smaller {
		return nil, f
	}
	return x.think(ctx, "model again", 0)
}

// compact cuts old tool results short. Calls keep their results, prompts and answers stay as they are. False when there is
// nothing to cut; the conversation is then unchanged, on disk too.
func (x *exchange) compact(ctx context.Context) (bool, error) {
	before, messages := len(x.conv.Messages), shortened(x.conv.Messages)
	if messages == nil {
		return false, nil
	}
	stored := make([]providers.Message, len(messages))
	for i, m := range messages {
		stored[i] = redactMessage(x.run.link.redact, m)
	}
	done := true // a step has an output
	wait := x.run.w.Steps.Go(ctx, x.step("compaction"), &done, func(context.Context) error {
		return x.store(session.Record{Type: session.Compacted, Replaces: before, Messages: stored})
	})
	if err := wait(); err != nil {
		return false, err
	}
	was := estimate(x.system, x.conv.Messages)
	x.conv.Messages = messages
	x.say(&event.ContextCompacted{
		Before: was, After: estimate(x.system, messages), Strategy: "truncate-tools", Trigger: "overflow",
	})
	return true, nil
}

// shortened is the messages with old tool results cut; nil when none is long enough to be cut. The messages given are not
// changed.
func shortened(messages []providers.Message) []providers.Message {
	var out []providers.Message
	for i, m := range messages {
		keep := kept(len(messages) - i)
		if m.Role != providers.Tool || keep < 0 {
			continue
		}
		for j, p := range m.Parts {
			r, ok := p.(providers.ToolResult)
			if !ok {
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
func kept(age int) int {
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
			case providers.Reasoning:
				n += len(p.Text)
			case providers.ToolCall:
				n += len(p.Name) + len(p.Args)
			case providers.ToolResult:
				n += len(p.Content)
			}
		}
	}
	return n / 4
}
