package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/jsontext"
	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

// Origin says of which session another one began as a copy.
type Origin struct {
	ID   string `json:"id"`
	Turn int    `json:"turn,omitempty"` // the last one of the copy, as Answer counts them; 0 = all there was
}

// TurnError is the error for a turn that a session does not have.
type TurnError struct{ Turn, Turns int }

// Error says how many there are.
func (e *TurnError) Error() string {
	return fmt.Sprintf("there is no turn %d, the session has %d", e.Turn, e.Turns)
}

// Answer tells whether a record is a model's answer to whoever asked for the run. A turn of a session is such an answer with the
// results of its calls; those of delegates belong to the turn that asked them.
func (r *Record) Answer() bool {
	return r.Type == Message && r.Message != nil && r.Message.Role == providers.Assistant && !r.Delegated()
}

// Delegated tells whether a record is of an agent that another one asked.
func (r *Record) Delegated() bool { return strings.Contains(r.Agent, "@") }

// upTo is how many records there are to the end of a turn: what follows begins with the next message, or with what was done for
// it.
func (s *Stored) upTo(turn int) (int, error) {
	turns := 0
	for i := range s.Records {
		r := &s.Records[i]
		if turns == turn && !r.Delegated() {
			switch r.Type {
			case Message, Compacted, Repaired, Cleared:
				return i, nil
			}
		}
		if r.Answer() {
			turns++
		}
	}
	if turns < turn {
		return 0, &TurnError{turn, turns}
	}
	return len(s.Records), nil
}

// Fork begins a session as a copy of another one, with the long results beside it. The other one is only read, and may be at
// work. A turn that it does not have is a *TurnError.
func (d *Dir) Fork(from Origin, id string, now event.Time) error {
	text, err := d.Export(from.ID)
	if err != nil {
		return err
	}
	s, err := Decode(text)
	if err != nil {
		return fmt.Errorf("session %s: %w", from.ID, err)
	}
	n := len(s.Records)
	if from.Turn != 0 {
		if n, err = s.upTo(from.Turn); err != nil {
			return err
		}
	}
	h := s.Head
	h.ID, h.Created, h.ForkedFrom = id, now, &from
	made, err := d.Create(h)
	if err != nil {
		return err
	}
	l := made.(*fileLog)
	err = l.copy(filepath.Join(d.path, from.ID), bytes.SplitAfter(text, []byte("\n"))[1:n+1], s.Records[:n])
	if err = errors.Join(err, l.Close()); err != nil {
		return errors.Join(err, os.RemoveAll(l.beside), os.Remove(d.Path(id)))
	}
	return nil
}

// copy writes records of another session as they are, but for the places of the long results, which it copies too: whoever reads
// on in one must find it when the other session is gone.
func (l *fileLog) copy(beside string, lines [][]byte, records []Record) error {
	was, is := beside+string(filepath.Separator), l.beside+string(filepath.Separator)
	stored := inJSON(was)
	var err error
	for i, line := range lines {
		if records[i].Raw == nil && bytes.Contains(line, stored) {
			records[i].move(strings.NewReplacer(was, is))
			if lines[i], err = appendRecord(nil, &records[i]); err != nil {
				return fmt.Errorf("session %s: %w", l.id, err)
			}
		}
	}
	l.buf = bytes.Join(lines, nil)
	if err := l.copyBeside(filepath.Base(beside)); err != nil {
		return err
	}
	return l.flush()
}

// inJSON is a text as it stands within a string of JSON.
func inJSON(text string) []byte {
	quoted := jsontext.AppendString(nil, text)
	return quoted[1 : len(quoted)-1]
}

// move changes places in what a model was told. What it said itself stays: some providers sign that.
func (r *Record) move(places *strings.Replacer) {
	r.Content, r.File = places.Replace(r.Content), places.Replace(r.File)
	if r.Message != nil {
		moveIn(r.Message, places)
	}
	for i := range r.Messages {
		moveIn(&r.Messages[i], places)
	}
}

func moveIn(m *providers.Message, places *strings.Replacer) {
	if m.Role == providers.Assistant {
		return
	}
	for i, p := range m.Parts {
		switch p := p.(type) {
		case providers.Text:
			p.Text = places.Replace(p.Text)
			m.Parts[i] = p
		case providers.ToolResult:
			p.Content = places.Replace(p.Content)
			m.Parts[i] = p
		}
	}
}

// copyBeside copies the files beside another session of the folder that the buffer names. A link that leaves the folder, which
// may come with somebody else's repository, is refused.
func (l *fileLog) copyBeside(id string) error {
	root, err := os.OpenRoot(filepath.Dir(l.beside))
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	defer root.Close()
	dir, err := root.Open(id)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	names, err := dir.Readdirnames(-1)
	if err = errors.Join(err, dir.Close()); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		if !bytes.Contains(l.buf, inJSON(filepath.Join(l.beside, name))) {
			continue
		}
		text, err := wholefile.ReadIn(root, filepath.Join(id, name), maxSession)
		if err == nil {
			_, err = l.Keep(name, string(text))
		}
		if err != nil {
			return fmt.Errorf("session: %s beside session %s cannot be copied: %w", name, id, err)
		}
	}
	return nil
}
