package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

func says(role providers.Role, agent string, parts ...providers.Part) Record {
	return Record{Type: Message, Run: "r1", Agent: agent, Message: &providers.Message{Role: role, Parts: parts}}
}

// forkable is a session of three turns, of which the first asked a delegate and had a long result. Its writer is at work.
func forkable(t *testing.T) (d *Dir, long string) {
	t.Helper()
	d = NewDir(filepath.Join(t.TempDir(), "sessions"))
	l, err := d.Create(Head{ID: "source", Workspace: "ws", Target: "lead"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if long, err = l.Keep("r1-c1.txt", "the whole"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Keep("r1-c9.txt", "of a record that is gone"); err != nil {
		t.Fatal(err)
	}
	err = l.Append(
		says(providers.User, "lead", providers.Text{Text: "go"}),
		says(providers.Assistant, "lead", providers.Reasoning{Text: "signed " + long}, providers.ToolCall{ID: "c1", Name: "Bash", Args: []byte(`{}`)}),
		Record{Type: Started, Run: "r1", Agent: "lead", ToolCallID: "c1", Tool: "Bash"},
		says(providers.User, "helper@lead", providers.Text{Text: "help"}),
		says(providers.Assistant, "helper@lead", providers.Text{Text: "done"}),
		Record{Type: ToolResult, Run: "r1", Agent: "lead", ToolCallID: "c1", Tool: "Bash", Content: "the\n[The whole result is in " + long + ".]", File: long},
		says(providers.Assistant, "lead", providers.Text{Text: "first answer"}),
		Record{Type: RunStop, Run: "r1", Agent: "lead", Result: &event.Result{OK: true, Turns: 3}},
		Record{Type: Compacted, Run: "r2", Agent: "lead", Replaces: 3, Messages: []providers.Message{{Role: providers.User, Parts: []providers.Part{providers.Text{Text: "see " + long}}}}},
		says(providers.User, "lead", providers.Text{Text: "again"}),
		says(providers.Assistant, "lead", providers.Text{Text: "second answer"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(d.Path("source"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"type":"todo","time":"2026-01-02T15:04:05.000Z","run":"r2","agent":"lead","of":"a later version, ` + long + `"}` + "\n" + `{"type":"mess`); err != nil {
		t.Fatal(err)
	}
	return d, long
}

func TestFork(t *testing.T) {
	d, long := forkable(t)
	before, err := os.ReadFile(d.Path("source"))
	if err != nil {
		t.Fatal(err)
	}
	now := event.Time{Time: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)}
	for _, tt := range []struct {
		id            string
		turn, records int
		last          Type
	}{
		{"all", 0, 12, "todo"},
		{"first", 1, 6, ToolResult},
		{"second", 2, 8, RunStop},
		{"third", 3, 12, "todo"},
	} {
		if err := d.Fork(Origin{ID: "source", Turn: tt.turn}, tt.id, now); err != nil {
			t.Fatal(err)
		}
		got, err := d.Read(tt.id)
		if err != nil {
			t.Fatal(err)
		}
		source, err := d.Read("source")
		if err != nil {
			t.Fatal(err)
		}
		if want := (Head{ID: tt.id, Created: now, Workspace: "ws", Target: "lead", ForkedFrom: &Origin{"source", tt.turn}}); !cmp.Equal(want, got.Head) {
			t.Errorf("%s: %s", tt.id, cmp.Diff(want, got.Head))
		}
		if n := len(got.Records); n != tt.records || got.Records[n-1].Type != tt.last {
			t.Errorf("%s: %d records, the last a %s", tt.id, n, got.Records[n-1].Type)
			continue
		}
		moved := filepath.Join(filepath.Dir(long), "..", tt.id, filepath.Base(long))
		for i, r := range got.Records {
			want := source.Records[i]
			if want.Raw == nil {
				want.move(strings.NewReplacer(long, moved))
			}
			if !cmp.Equal(want, r) {
				t.Errorf("%s: record %d: %s", tt.id, i, cmp.Diff(want, r))
			}
		}
		if r := got.Records[5]; r.File != moved || !strings.Contains(r.Content, moved) {
			t.Errorf("%s: the long result is said to be in %s: %s", tt.id, r.File, r.Content)
		}
		if text, err := os.ReadFile(moved); err != nil || string(text) != "the whole" {
			t.Errorf("%s: the long result: %q, %v", tt.id, text, err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(moved), "r1-c9.txt")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a result that no record names was copied: %v", tt.id, err)
		}
		if tt.id == "third" && !strings.Contains(got.Records[8].Messages[0].Parts[0].(providers.Text).Text, moved) {
			t.Errorf("what was compacted names the old place: %+v", got.Records[8].Messages)
		}
	}
	if after, err := os.ReadFile(d.Path("source")); err != nil || string(after) != string(before) {
		t.Errorf("the source was changed: %v", err)
	}
}

// TestForkFails: a fork that cannot be whole leaves nothing.
func TestForkFails(t *testing.T) {
	d, long := forkable(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(long); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, long); err != nil {
		t.Skip("Windows lets only administrators make links:", err)
	}
	var turn *TurnError
	for name, fails := range map[string]bool{
		"a link out of the folder": d.Fork(Origin{ID: "source"}, "copy", event.Time{}) == nil,
		"no such turn":             !errors.As(d.Fork(Origin{ID: "source", Turn: 4}, "copy", event.Time{}), &turn) || turn.Turns != 3,
		"no such session":          !errors.Is(d.Fork(Origin{ID: "nobody"}, "copy", event.Time{}), ErrNotFound),
		"a name that is taken":     d.Fork(Origin{ID: "source"}, "source", event.Time{}) == nil,
		"no id":                    d.Fork(Origin{ID: "../source"}, "copy", event.Time{}) == nil,
	} {
		if fails {
			t.Error(name)
		}
	}
	list, err := d.List()
	if err != nil || len(list) != 1 {
		t.Errorf("sessions: %+v, %v", list, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(long), "..", "copy")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something lies beside the session that was not made: %v", err)
	}
}
