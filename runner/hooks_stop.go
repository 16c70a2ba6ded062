package runner

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// ending is how a hook ended the work of an agent before its model did.
type ending struct {
	answer string
	by     string // the hook
	run    bool   // the whole run ends with it
	f      *failure
}

// onStop lets hooks see a final answer: they may replace it, or send the agent back to work.
func (x *exchange) onStop(ctx context.Context, text string, output json.RawMessage) (json.RawMessage, bool, *failure) {
	res, f := x.fire(ctx, hook.OnStop, func(in *hook.Input) {
		in.Response, in.Finish, in.StopActive = text, x.finish, x.stops > 0
		in.Usage = x.run.link.meter.of(x.agent.Name)
	})
	if f != nil {
		return nil, false, f
	}
	switch res.Decision {
	case hook.Halt:
		x.stops++
		switch {
		case res.Lenient && x.stops > lenientStopLimit:
			x.say(&event.Warning{Code: "hook", Message: x.redact("the agent stops although the hook " + res.Hook + " still wants it to go on: " + res.Message)})
			return output, true, nil
		case !res.Lenient && x.stops > stopLimit:
			return nil, false, failed(event.KindHookBlocked, "the hook %s kept the agent from stopping %d times: %s", res.Hook, stopLimit, res.Message)
		}
		x.ask(providers.UserText(x.preview(res.Message, x.step("stop"))), "follow_up", "")
		return nil, false, nil
	case hook.Replace:
		replaced, problems := x.answer(res.Value)
		if len(problems) > 0 {
			return nil, false, failed(event.KindOutputInvalid, "the answer of the hook %s does not match the schema: %s", res.Hook, problems[0])
		}
		return replaced, true, x.rewrite(ctx, res.Value)
	}
	return output, true, nil
}

// rewrite puts another text into the place of the last answer, in the conversation and on disk.
func (x *exchange) rewrite(ctx context.Context, text string) *failure {
	messages := slices.Clone(x.conv.Messages)
	messages[len(messages)-1] = providers.Message{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: text}}}
	if err := x.replace(ctx, "answer", session.Repaired, messages); err != nil {
		return broken(err)
	}
	return nil
}

// finishEarly is the answer of an agent whose work a hook ended.
func (x *exchange) finishEarly() (json.RawMessage, *failure) {
	e := x.ending
	if e.f != nil {
		return nil, e.f
	}
	output, problems := x.answer(e.answer)
	if len(problems) > 0 {
		return nil, failed(event.KindOutputInvalid, "the answer of the hook %s does not match the schema: %s", e.by, problems[0])
	}
	m := providers.Message{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: e.answer}}}
	x.conv.Messages = append(x.conv.Messages, m)
	x.later(session.Record{Type: session.Message, Message: &m})
	if e.run {
		x.run.finishedBy = e.by
	}
	return output, nil
}
