package session

import (
	"errors"
	"fmt"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// Store keeps sessions. Dir is the one on disk.
type Store interface {
	// Create begins a session, which must not exist, and holds it for writing.
	Create(h Head) (Log, error)
	// Open holds a session for writing and returns what it has. ErrNotFound when there is none; a *HeldError when
	// somebody else writes it.
	Open(id string) (Log, *Stored, error)
}

// Log is a session that is held for writing. It is safe for concurrent use.
type Log interface {
	// Append adds records, all or none. When it returns they outlive the process; Sync makes them outlive the machine.
	Append(rs ...Record) error
	// Sync returns when all that was appended before is on disk.
	Sync() error
	// Keep stores a long text beside the session and returns where. The name is a file name without a folder.
	Keep(name, text string) (path string, err error)
	// Close syncs and lets go of the session.
	Close() error
}

// ErrNotFound is the error for a session that does not exist.
var ErrNotFound = errors.New("no such session")

// HeldError tells who writes a session.
type HeldError struct {
	ID  string
	PID int // 0 when unknown
}

// Error names the holder.
func (e *HeldError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("session %s is in use", e.ID)
	}
	return fmt.Sprintf("session %s is in use by process %d", e.ID, e.PID)
}

var idForm = lazy.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// CheckID tells whether an id can be a session's: letters, digits, dot, underscore and hyphen, at most 128, a letter or digit
// first.
func CheckID(id string) error {
	if len(id) > 128 || !idForm.Get().MatchString(id) {
		return fmt.Errorf("%q is no session id: use letters, digits, dots, hyphens and underscores", id)
	}
	return nil
}
