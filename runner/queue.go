package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/runner/event"
)

// The bounds of a Queue: messages, and characters of one.
const (
	queueLimit  = 100
	queuedRunes = 16_000
)

// The kinds of messages in a Queue, as in events.
const (
	Steering  = "steer"     // goes to the agent before its next model call
	Following = "follow_up" // goes to it when it would stop
)

// Why a Queue does not take a message.
var (
	ErrQueueFull   error = &beyond{"%d messages wait already", queueLimit}
	ErrQueuedLong  error = &beyond{"the message is longer than %d characters", queuedRunes}
	ErrQueuedEmpty       = errors.New("the message is empty")
)

// beyond is the error of a bound, with the bound in its words.
type beyond struct {
	words string
	bound int
}

func (b *beyond) Error() string { return fmt.Sprintf(b.words, b.bound) }

// ErrInterrupted is the cause of a run that Queue.Interrupt ended.
var ErrInterrupted = errors.New("interrupted")

// errJoined refuses a second run beside the one that a queue belongs to.
var errJoined = errors.New("the queue belongs to a run that is not over")

// Queue holds what a person has to say to an agent at work. It is handed to a run in its RunOptions and outlives it: what the
// run did not deliver follows the prompt of the next run with the queue. No call of it waits for a run. It is safe for
// concurrent use.
type Queue struct {
	mode agents.QueueMode

	mu      sync.Mutex
	waiting []Waiting
	run     *joined // the run that it belongs to now
}

// Waiting is a message that no agent was given yet.
type Waiting struct {
	Kind string `json:"kind"` // Steering or Following
	Text string `json:"text"`
}

// joined is a run as its queue sees it.
type joined struct {
	stop    context.CancelCauseFunc
	stopped bool // under the queue's lock
	wake    chan struct{}
	untold  []*event.SteeringQueued // under the queue's lock
	voice   sync.Mutex              // held while they are told, so that none is told behind its delivery
	tell    func(event.Event)
}

// NewQueue makes an empty queue. The mode "" is that of the agent at work.
func NewQueue(mode agents.QueueMode) *Queue { return &Queue{mode: mode} }

// Steer queues a message for the end of the turn: it stops neither a model call nor a tool.
func (q *Queue) Steer(text string) error { return q.add(Steering, text) }

// FollowUp queues a message for the moment when the agent would stop.
func (q *Queue) FollowUp(text string) error { return q.add(Following, text) }

// Pending is what waits, the oldest first.
func (q *Queue) Pending() []Waiting {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.waiting)
}

// Clear drops what waits and says how much that was.
func (q *Queue) Clear() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.waiting)
	q.waiting = nil
	return n
}

// Interrupt ends the run that the queue belongs to; false when there is none, or when it is ending already. Complete turns
// stay in its conversation, with the text of an answer that is cut off, and every call has a result.
func (q *Queue) Interrupt() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run == nil || q.run.stopped {
		return false
	}
	q.run.stopped = true
	q.run.stop(ErrInterrupted)
	return true
}

func (q *Queue) add(kind, text string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case strings.TrimSpace(text) == "":
		return ErrQueuedEmpty
	case utf8.RuneCountInString(text) > queuedRunes:
		return ErrQueuedLong
	case len(q.waiting) >= queueLimit:
		return ErrQueueFull
	}
	q.waiting = append(q.waiting, Waiting{kind, text})
	if r := q.run; r != nil {
		r.untold = append(r.untold, &event.SteeringQueued{Kind: kind, Waiting: len(q.waiting)})
		select {
		case r.wake <- struct{}{}:
		default: // it will see this one too
		}
	}
	return nil
}

// join makes the queue a run's until it leaves. Who queues a message must not wait for whoever hears of it, so that a
// goroutine of the run tells.
func (q *Queue) join(stop context.CancelCauseFunc, tell func(event.Event)) (leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run != nil {
		return nil, errJoined
	}
	r := &joined{stop: stop, wake: make(chan struct{}, 1), tell: tell}
	q.run = r
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range r.wake {
			q.tell(r)
		}
	}()
	return func() {
		q.mu.Lock()
		q.run = nil
		close(r.wake)
		q.mu.Unlock()
		<-done
	}, nil
}

// tell tells of messages that were queued and not told of.
func (q *Queue) tell(r *joined) {
	r.voice.Lock()
	defer r.voice.Unlock()
	q.mu.Lock()
	untold := r.untold
	r.untold = nil
	q.mu.Unlock()
	for _, e := range untold {
		r.tell(e)
	}
}

// take gives what is due: steering messages, and when the agent would stop the others too. One at a time, those that steer
// go first.
func (q *Queue) take(mode agents.QueueMode, stopping bool) []Waiting {
	q.mu.Lock()
	r := q.run
	q.mu.Unlock()
	if r != nil {
		q.tell(r)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	steers := func(w Waiting) bool { return w.Kind == Steering }
	if mode != agents.All {
		i := slices.IndexFunc(q.waiting, steers)
		if i < 0 && (!stopping || len(q.waiting) == 0) {
			return nil
		}
		i = max(i, 0)
		due := q.waiting[i]
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return []Waiting{due}
	}
	var due, rest []Waiting
	for _, w := range q.waiting {
		if stopping || steers(w) {
			due = append(due, w)
		} else {
			rest = append(rest, w)
		}
	}
	q.waiting = rest
	return due
}

// back puts messages that were taken and not delivered before those that wait.
func (q *Queue) back(ws []Waiting) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.Concat(ws, q.waiting)
}
