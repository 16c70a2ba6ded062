package runner

import (
	"errors"
	"strings"

	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// open finds or makes the session.
func (r *run) open() *failure {
	switch {
	case r.link.session != nil:
		r.session = r.link.session
	case r.w.Session != nil:
		r.session = r.w.Session
	case r.req.Session != "" && r.r.o.Sessions != nil:
		h, err := session.Resume(r.r.o.Sessions, r.req.Session)
		if err != nil {
			return storing(err)
		}
		r.session = h
	case r.req.Session != "":
		return failed(event.KindUsage, "session %s cannot go on: sessions are not stored here", r.req.Session)
	default:
		h, err := session.New(r.r.o.Sessions, session.Head{
			ID: r.r.o.NewID(), Created: event.Time{Time: r.started}, Workspace: r.graph.Name(), Target: r.target.Name,
		})
		if err != nil {
			return storing(err)
		}
		r.session = h
	}
	return nil
}

// sessionID is the stored session's; "" when nothing is stored.
func (r *run) sessionID() string {
	if r.session == nil || !r.session.Stored() {
		return ""
	}
	return r.session.ID()
}

// tellDamage says what a crash left in the session.
func (r *run) tellDamage() {
	torn, open := r.session.Damage()
	if torn > 0 {
		r.voice.say(&event.Warning{Code: "session_torn", Message: "the last line of the session was cut off by a crash and is dropped"})
	}
	var begun, dropped []string
	for _, o := range open {
		if o.Begun {
			begun = append(begun, o.Tool)
		} else {
			dropped = append(dropped, o.Tool)
		}
	}
	if len(begun) > 0 {
		r.voice.say(&event.Warning{Code: "result_unknown", Message: "the program ended while these calls were running, side effects are possible: " + strings.Join(begun, ", ")})
	}
	if len(dropped) > 0 {
		r.voice.say(&event.OrphansPruned{Count: len(dropped), Names: dropped})
	}
}

// close writes the end of the run and lets go of a session that is the run's own.
func (r *run) close(res *Result) error {
	if r.session == nil {
		return nil
	}
	err := r.session.Append(session.Record{
		Type: session.RunStop, Time: event.Time{Time: r.r.o.Now()}, Run: r.id, Agent: instance(r.agent, r.req.Parent), Result: res,
	})
	switch {
	case r.link.session != nil: // the run above syncs and closes
		return err
	case r.w.Session != nil:
		return errors.Join(err, r.session.Sync())
	}
	return errors.Join(err, r.session.Close())
}

// instance is the name of an agent's conversation: target@delegator for a delegate.
func instance(agent string, p *Parent) string {
	if p == nil {
		return agent
	}
	return agent + "@" + p.Agent
}
