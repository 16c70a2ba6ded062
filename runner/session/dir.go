package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/runner/event"
)

const ext = ".jsonl"

// Dir is the store in a folder: <id>.jsonl and, for long texts, <id>/. The folder is made at the first write, and the one
// that it is in where that is missing, 0700; files are 0600.
type Dir struct {
	path  string
	group group
}

// NewDir is the store in a folder, which need not exist.
func NewDir(path string) *Dir { return &Dir{path: path} }

// Path is where the file of a session lies.
func (d *Dir) Path(id string) string { return filepath.Join(d.path, id+ext) }

// Create begins a session.
func (d *Dir) Create(h Head) (Log, error) {
	if err := CheckID(h.ID); err != nil {
		return nil, err
	}
	if err := d.make(); err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	f, err := os.OpenFile(d.Path(h.ID), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	l := &fileLog{id: h.ID, f: f, beside: filepath.Join(d.path, h.ID), group: &d.group, fresh: true}
	if err := l.begin(h); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return l, nil
}

// Open holds a session and drops what a crash left of a last line.
func (d *Dir) Open(id string) (Log, *Stored, error) {
	if err := CheckID(id); err != nil {
		return nil, nil, err
	}
	f, err := d.file(id, os.O_RDWR|os.O_APPEND)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("session: %w", err)
	}
	l := &fileLog{id: id, f: f, beside: filepath.Join(d.path, id), group: &d.group}
	s, err := l.load()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return l, s, nil
}

// Read returns what a session has without holding it: a writer may be at work.
func (d *Dir) Read(id string) (*Stored, error) {
	text, err := d.Export(id)
	if err != nil {
		return nil, err
	}
	s, err := Decode(text)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return s, nil
}

// Export returns the lines of a session as they are stored, but for a torn last one.
func (d *Dir) Export(id string) ([]byte, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	text, err := d.read(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	return text[:bytes.LastIndexByte(text, '\n')+1], nil
}

// Remove deletes a session and what lies beside it. A session that somebody writes is a *HeldError.
func (d *Dir) Remove(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	f, err := d.file(id, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	defer f.Close()
	if err := hold(f, id); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(d.path, id)); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	if err := os.Remove(d.Path(id)); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	return nil
}

// Summary is a line of a list of sessions.
type Summary struct {
	ID      string      `json:"id"`
	Target  string      `json:"target"`
	Created event.Time  `json:"created"`
	Updated event.Time  `json:"updated"`
	Runs    int         `json:"runs"` // ended ones
	Turns   int         `json:"turns"`
	Usage   event.Usage `json:"usage"`
	State   string      `json:"state"` // the last run: ok, a kind of failure, open (at work, or killed), damaged
}

// List tells of all sessions, the one written last first. A damaged one is in the list; an error is one of the folder.
func (d *Dir) List() ([]Summary, error) {
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	var list []Summary
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ext)
		info, err := e.Info()
		if !ok || err != nil || !info.Mode().IsRegular() || CheckID(id) != nil {
			continue
		}
		sum := Summary{ID: id, Updated: event.Time{Time: info.ModTime().UTC()}, State: "damaged"}
		if s, err := d.Read(id); err == nil {
			updated := sum.Updated
			sum = s.Summary()
			sum.Updated = updated
		}
		list = append(list, sum)
	}
	slices.SortFunc(list, func(a, b Summary) int {
		if c := b.Updated.Compare(a.Updated.Time); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return list, nil
}

// Summary is what the records say; when they were written the file says. Runs of delegates stand in the usage of the run above
// them.
func (s *Stored) Summary() Summary {
	sum := Summary{ID: s.Head.ID, Target: s.Head.Target, Created: s.Head.Created, State: "open"}
	for i := range s.Records {
		r := &s.Records[i]
		switch {
		case r.Type != RunStop:
			sum.State = "open"
		case r.Result != nil && !r.Delegated():
			sum.Runs++
			sum.Turns += r.Result.Turns
			sum.Usage = sum.Usage.Add(r.Result.Usage)
			sum.State = "ok"
			if !r.Result.OK {
				sum.State = r.Result.Kind
			}
		}
	}
	return sum
}

// Latest is the id of the session that was written last; ErrNotFound when there is none.
func (d *Dir) Latest() (string, error) {
	list, err := d.List()
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", fmt.Errorf("%w: there are none yet", ErrNotFound)
	}
	return list[0].ID, nil
}
