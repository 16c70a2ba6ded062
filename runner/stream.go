package runner

import (
	"fmt"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/runner/event"
)

// stream hands the events of a request and of all under it to whoever listens, one at a time.
type stream struct {
	mu    sync.Mutex
	sinks []func(event.Event)
	now   func() time.Time
}

func newStream(now func() time.Time, sinks ...func(event.Event)) *stream {
	s := &stream{now: now}
	for _, f := range sinks {
		if f != nil {
			s.sinks = append(s.sinks, f)
		}
	}
	return s
}

// tell hands one event to every sink. One that panics disturbs nobody: it hears no more, the others are told.
func (s *stream) tell(e event.Event) {
	for i := 0; i < len(s.sinks); i++ {
		if fault := hand(s.sinks[i], e); fault != nil {
			s.sinks = append(s.sinks[:i:i], s.sinks[i+1:]...)
			i--
			head := *e.Head()
			s.tell(&event.Warning{Header: head, Code: "sink_failed", Message: fmt.Sprintf("a listener failed and hears no more: %v", fault)})
		}
	}
}

func hand(sink func(event.Event), e event.Event) (fault any) {
	defer func() { fault = recover() }()
	sink(e)
	return nil
}

// voice is one run's way to the stream.
type voice struct {
	stream *stream
	head   event.Header
	silent bool // the run is over; guarded by the stream
}

// say fills in the header and tells. After the run's last event it does nothing.
func (v *voice) say(e event.Event) {
	v.stream.mu.Lock()
	defer v.stream.mu.Unlock()
	if v.silent {
		return
	}
	v.stamp(e)
	v.stream.tell(e)
}

// last says the run's last event.
func (v *voice) last(e event.Event) {
	v.stream.mu.Lock()
	defer v.stream.mu.Unlock()
	v.stamp(e)
	v.silent = true
	v.stream.tell(e)
}

func (v *voice) stamp(e event.Event) {
	h := e.Head()
	*h = v.head
	h.Time = v.stream.now()
}
