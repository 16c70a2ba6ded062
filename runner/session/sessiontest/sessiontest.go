package sessiontest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// Run holds a store against the contract of session.Store and session.Log. open returns the store under test; called again
// in the same test it opens the same place anew, as another process would.
func Run(t *testing.T, open func(t *testing.T) session.Store) {
	t.Run("records come back", func(t *testing.T) { recordsComeBack(t, open) })
	t.Run("a session goes on", func(t *testing.T) { goesOn(t, open) })
	t.Run("one writer", func(t *testing.T) { oneWriter(t, open) })
	t.Run("ids", func(t *testing.T) { ids(t, open) })
	t.Run("long texts", func(t *testing.T) { longTexts(t, open) })
	t.Run("writers side by side", func(t *testing.T) { sideBySide(t, open) })
}

// Head is a head for tests.
func Head(id string) session.Head {
	return session.Head{ID: id, Created: event.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, Workspace: "test", Target: "worker"}
}

// Records is one record of every type, with every kind of part in its messages.
func Records() []session.Record {
	at := event.Time{Time: time.Date(2026, 1, 2, 3, 4, 6, 7_000_000, time.UTC)}
	user := providers.Message{Role: providers.User, Parts: []providers.Part{
		providers.Text{Text: "line\nbreak <&> \u2028 ☃"}, providers.Blob{MediaType: "image/png", Data: []byte{0, 1, 255}},
	}}
	answer := providers.Message{Role: providers.Assistant, Parts: []providers.Part{
		providers.Reasoning{Text: "hm", Provider: "p", Raw: json.RawMessage(`{"signature":"x"}`)},
		providers.Opaque{Provider: "p", Raw: json.RawMessage(`{"k":1}`)},
		providers.ToolCall{ID: "c1", Name: "Read", Args: json.RawMessage(`{"path":"a.go"}`)},
	}}
	record := func(r session.Record) session.Record {
		r.Time, r.Run, r.Agent = at, "r1", "worker"
		return r
	}
	return []session.Record{
		record(session.Record{Type: session.Message, Message: &user}),
		record(session.Record{Type: session.Message, Message: &answer}),
		record(session.Record{Type: session.Started, ToolCallID: "c1", Tool: "Read"}),
		record(session.Record{Type: session.ToolResult, ToolCallID: "c1", Tool: "Read", Content: "package a", IsError: true, File: "whole.txt"}),
		record(session.Record{Type: session.Cleared, Apart: true}),
		record(session.Record{Type: session.Compacted, Replaces: 2, Messages: []providers.Message{providers.UserText("short")}}),
		record(session.Record{Type: session.RunStop, Result: &event.Result{OK: true, Agent: "worker", Output: json.RawMessage(`"done"`), PerAgent: map[string]event.AgentUsage{}}}),
	}
}

func create(t *testing.T, s session.Store, id string) session.Log {
	t.Helper()
	l, err := s.Create(Head(id))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same compares by the JSON form.
func same(t *testing.T, what string, want, got any) {
	t.Helper()
	w, err := json.Marshal(want)
	check(t, err)
	g, err := json.Marshal(got)
	check(t, err)
	if string(w) != string(g) {
		t.Errorf("%s came back as\n%s, want\n%s", what, g, w)
	}
}

func reopen(t *testing.T, s session.Store, id string) (session.Log, *session.Stored) {
	t.Helper()
	l, stored, err := s.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	return l, stored
}

func recordsComeBack(t *testing.T, open func(*testing.T) session.Store) {
	l := create(t, open(t), "s1")
	want := Records()
	check(t, l.Append(want[0], want[1]))
	check(t, l.Sync())
	check(t, l.Append(want[2:]...))
	check(t, l.Append())
	check(t, l.Close())
	l, got := reopen(t, open(t), "s1")
	defer l.Close()
	same(t, "head", Head("s1"), got.Head)
	same(t, "bytes torn", 0, got.Torn)
	same(t, "records", len(want), len(got.Records))
	for i := range min(len(want), len(got.Records)) {
		same(t, fmt.Sprintf("record %d", i), want[i], got.Records[i])
	}
}

func goesOn(t *testing.T, open func(*testing.T) session.Store) {
	l := create(t, open(t), "s1")
	rs := Records()
	for i := range rs {
		check(t, l.Append(rs[i]))
		check(t, l.Close())
		var got *session.Stored
		l, got = reopen(t, open(t), "s1")
		if len(got.Records) != i+1 {
			t.Fatalf("%d records after %d appends", len(got.Records), i+1)
		}
	}
	check(t, l.Close())
}

func oneWriter(t *testing.T, open func(*testing.T) session.Store) {
	s := open(t)
	l := create(t, s, "s1")
	var held *session.HeldError
	if second, _, err := open(t).Open("s1"); !errors.As(err, &held) || held.ID != "s1" {
		t.Errorf("a second writer got %v and error %v, want a HeldError", second, err)
	}
	if _, err := s.Create(Head("s1")); err == nil {
		t.Error("a session was created twice")
	}
	create(t, s, "s2").Close()
	check(t, l.Append(Records()...))
	check(t, l.Close())
	l, got := reopen(t, open(t), "s1")
	defer l.Close()
	if len(got.Records) != len(Records()) {
		t.Errorf("%d records, want %d: the refused writer did harm", len(got.Records), len(Records()))
	}
}

func ids(t *testing.T, open func(*testing.T) session.Store) {
	s := open(t)
	if _, _, err := s.Open("nowhere"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("error of a session that does not exist is %v", err)
	}
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, "-x", strings.Repeat("x", 129), "a\x00b"} {
		if l, err := s.Create(Head(id)); err == nil {
			l.Close()
			t.Errorf("session %q was created", id)
		}
		if l, _, err := s.Open(id); err == nil {
			l.Close()
			t.Errorf("session %q was opened", id)
		}
	}
}

func longTexts(t *testing.T, open func(*testing.T) session.Store) {
	l := create(t, open(t), "s1")
	defer l.Close()
	paths := map[string]string{}
	for _, text := range []string{"first", "second", strings.Repeat("long", 100_000)} {
		path, err := l.Keep("result.txt", text)
		check(t, err)
		if _, twice := paths[path]; twice {
			t.Errorf("%s was given out twice", path)
		}
		paths[path] = text
	}
	for path, want := range paths {
		got, err := os.ReadFile(path)
		check(t, err)
		if string(got) != want {
			t.Errorf("%s holds %d bytes, want %d", path, len(got), len(want))
		}
	}
	for _, name := range []string{"", ".", "..", "../x", "a/b"} {
		if path, err := l.Keep(name, "x"); err == nil {
			t.Errorf("the name %q was kept as %s", name, path)
		}
	}
}

func sideBySide(t *testing.T, open func(*testing.T) session.Store) {
	l := create(t, open(t), "s1")
	const writers, each = 8, 50
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				r := session.Record{Type: session.Started, ToolCallID: fmt.Sprint(w, " ", i), Agent: strings.Repeat("x", 100*w)}
				if err := l.Append(r); err != nil {
					t.Error(err)
				}
				if i%10 == 0 {
					if err := l.Sync(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	check(t, l.Close())
	l, got := reopen(t, open(t), "s1")
	defer l.Close()
	seen := map[string]bool{}
	for _, r := range got.Records {
		seen[r.ToolCallID] = true
	}
	if len(got.Records) != writers*each || len(seen) != writers*each {
		t.Errorf("%d records, %d of them different, want %d", len(got.Records), len(seen), writers*each)
	}
}
