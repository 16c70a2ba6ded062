package session

import (
	"sync"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
)

// Handle is a session in use by this process: its log, its conversations and what tools remember of them. It outlives the
// runs of a chat, and reloads. It is safe for concurrent use; a Conversation is used by who took it.
type Handle struct {
	id      string
	log     Log // nil: nothing is stored
	resumed bool
	torn    int
	open    []OpenCall

	mu     sync.Mutex
	opened bool
	ended  bool
	convs  map[string]*Conversation
}

// Conversation is an agent's messages in a session.
type Conversation struct {
	Agent    string // target@delegator for a delegate
	Messages []providers.Message
	State    *tools.State
	// Instructions are the texts of instruction files, fixed when the conversation began so that a model's cache holds;
	// nil = not read yet.
	Instructions *string
	// Guided are the instructions about single places that were given since.
	Guided map[string]bool
	// Skills are the texts of skills that stand whole in the prompt, fixed in the same way.
	Skills *string
	// Warned is the highest threshold of the context window that was told of, in percent.
	Warned int
	// Apart says that nobody continues it.
	Apart bool

	taken bool
}

// New begins a session in a store. Without a store the session is kept in memory only.
func New(s Store, h Head) (*Handle, error) {
	out := &Handle{id: h.ID, convs: map[string]*Conversation{}}
	if s == nil {
		return out, nil
	}
	log, err := s.Create(h)
	if err != nil {
		return nil, err
	}
	out.log = log
	return out, nil
}

// Resume goes on with a stored session.
func Resume(s Store, id string) (*Handle, error) {
	log, stored, err := s.Open(id)
	if err != nil {
		return nil, err
	}
	past := Replay(stored.Records)
	out := &Handle{
		id: id, log: log, resumed: true, torn: stored.Torn, open: past.Open,
		convs: make(map[string]*Conversation, len(past.Conversations)),
	}
	for agent, messages := range past.Conversations {
		out.convs[agent] = &Conversation{Agent: agent, Messages: messages, State: &tools.State{}}
	}
	return out, nil
}

// ID is the session's.
func (h *Handle) ID() string { return h.id }

// Stored tells whether the session outlives the process.
func (h *Handle) Stored() bool { return h.log != nil }

// Resumed tells whether the session had runs before this process took it.
func (h *Handle) Resumed() bool { return h.resumed }

// Open tells once that the session begins, or goes on, with this process.
func (h *Handle) Open() (first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first, h.opened = !h.opened, true
	return first
}

// End tells once that the session, which this process opened, ends with it.
func (h *Handle) End() (first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first, h.ended = h.opened && !h.ended, true
	return first
}

// Damage is what a crash left, told once: bytes of a torn last line and calls without a result.
func (h *Handle) Damage() (torn int, open []OpenCall) {
	h.mu.Lock()
	defer h.mu.Unlock()
	torn, open = h.torn, h.open
	h.torn, h.open = 0, nil
	return torn, open
}

// Take gives the agent's conversation to the caller until Release. It is a new one, apart, when that is asked for or when
// somebody else has the agent's; otherwise the one that goes on, which is there for the first caller too.
func (h *Handle) Take(agent string, apart bool) *Conversation {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.convs[agent]
	if apart || c != nil && c.taken {
		return &Conversation{Agent: agent, State: &tools.State{}, Apart: true}
	}
	if c == nil {
		c = &Conversation{Agent: agent, State: &tools.State{}}
		h.convs[agent] = c
	}
	c.taken = true
	return c
}

// Release gives a conversation back.
func (h *Handle) Release(c *Conversation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.taken = false
}

// Clear empties what an agent remembers. The conversation must be taken; the record is the caller's.
func (c *Conversation) Clear() {
	c.Messages, c.State, c.Instructions, c.Guided, c.Skills, c.Warned = nil, &tools.State{}, nil, nil, nil, 0
}

// Append stores records.
func (h *Handle) Append(rs ...Record) error {
	if h.log == nil || len(rs) == 0 {
		return nil
	}
	return h.log.Append(rs...)
}

// Sync returns when what was appended is on disk.
func (h *Handle) Sync() error {
	if h.log == nil {
		return nil
	}
	return h.log.Sync()
}

// Keep stores a long text beside the session and returns where; "" when nothing is stored.
func (h *Handle) Keep(name, text string) (string, error) {
	if h.log == nil {
		return "", nil
	}
	return h.log.Keep(name, text)
}

// Close lets go of the session.
func (h *Handle) Close() error {
	if h.log == nil {
		return nil
	}
	return h.log.Close()
}
