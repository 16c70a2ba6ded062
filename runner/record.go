package runner

import (
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// later keeps a record until the next model call begins: what the record tells of happens with that call.
func (x *exchange) later(r session.Record) { x.pending = append(x.pending, x.stamp(r)) }

// flush writes the records that waited.
func (x *exchange) flush() error {
	waited := x.pending
	x.pending = nil
	if err := x.run.session.Append(waited...); err != nil {
		return &storeError{err}
	}
	return nil
}

// store writes a record now. Calls side by side may do so.
func (x *exchange) store(r session.Record) error {
	if err := x.run.session.Append(x.stamp(r)); err != nil {
		return &storeError{err}
	}
	return nil
}

func (x *exchange) stamp(r session.Record) session.Record {
	r.Time, r.Run, r.Agent = event.Time{Time: x.run.r.o.Now()}, x.run.id, x.conv.Agent
	if r.Message != nil {
		m := redactMessage(x.run.link.redact, *r.Message)
		r.Message = &m
	}
	r.Content = x.redact(r.Content)
	return r
}
