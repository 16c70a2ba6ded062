package runner

import (
	"slices"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/session"
)

// journal is what a run knows of the calls in a conversation, for a model call that finds them without their results.
type journal struct {
	x *exchange
	a *answer
}

// Started says that every call may have acted: those that did not are taken out when a session is read.
func (*journal) Started(string) bool { return true }

// Repaired keeps the mended conversation, on disk too, before it is sent again.
func (j *journal) Repaired(messages []providers.Message) error {
	stored := redactMessages(j.x.run.link.redact, messages)
	err := j.x.store(session.Record{Type: session.Repaired, Replaces: len(j.x.conv.Messages), Messages: stored})
	if err == nil {
		j.a.Repaired = slices.Clone(messages)
	}
	return err
}
