package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/runner/session/sessiontest"
)

func TestDir(t *testing.T) {
	sessiontest.Run(t, func(t *testing.T) session.Store {
		return session.NewDir(filepath.Join(dirOf(t), "sessions"))
	})
}

// dirOf is one folder for each test, so that a store can be opened twice.
func dirOf(t *testing.T) string {
	dir := filepath.Join(os.TempDir(), "swarmrun-"+fmt.Sprint(os.Getpid()), strings.ReplaceAll(t.Name(), "/", "_"))
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(dir)) })
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, d *session.Dir, id string, rs ...session.Record) {
	t.Helper()
	l, err := d.Create(sessiontest.Head(id))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(rs...); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestStoredVersion reads a file that version 1 wrote, with a record from the future in it.
func TestStoredVersion(t *testing.T) {
	d := session.NewDir("testdata")
	got, err := d.Read("v1")
	if err != nil {
		t.Fatal(err)
	}
	want := sessiontest.Records()
	if diff := cmp.Diff(want, got.Records[:len(want)], cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	last := got.Records[len(want)]
	if last.Type != "mood" || string(last.Raw) != `{"type":"mood","time":"2027-01-01T00:00:00Z","run":"r9","agent":"worker","value":"good"}` {
		t.Errorf("the unknown record is %s %s", last.Type, last.Raw)
	}
	stored, err := os.ReadFile(d.Path("v1"))
	if err != nil {
		t.Fatal(err)
	}
	exported, err := d.Export("v1")
	if err != nil || !bytes.Equal(stored, exported) {
		t.Errorf("export differs from the file: %v", err)
	}

	fresh := session.NewDir(t.TempDir())
	write(t, fresh, "v1", want...)
	written, err := os.ReadFile(fresh.Path("v1"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(stored, written) {
		t.Errorf("this version writes another form:\n%s", cmp.Diff(strings.Split(string(stored), "\n"), strings.Split(string(written), "\n")))
	}
}

func TestFaultyFiles(t *testing.T) {
	const head = `{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05Z","workspace_name":"w","target":"t"}` + "\n"
	const record = `{"type":"tool_started","time":"2026-01-02T03:04:05Z","run":"r","agent":"a","tool_call_id":"c"}` + "\n"
	for _, tc := range []struct {
		name, text, fault string
		records, torn     int
	}{
		{name: "whole", text: head + record, records: 1},
		{name: "torn record", text: head + record + record[:40], records: 1, torn: 40},
		{name: "no line break", text: head + record[:len(record)-1], torn: len(record) - 1},
		{name: "empty", text: "", fault: "line 1 is damaged"},
		{name: "torn head", text: head[:20], fault: "line 1 is damaged"},
		{name: "no session", text: record, fault: "line 1 is damaged"},
		{name: "newer version", text: strings.Replace(head, `"version":1`, `"version":2`, 1), fault: "version 2"},
		{name: "damage in the middle", text: head + "{\n" + record, fault: "line 2 is damaged"},
		{name: "NULs in the middle", text: head + "\x00\x00\n" + record, fault: "line 2 is damaged"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := session.NewDir(t.TempDir())
			if err := os.WriteFile(d.Path("s"), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			l, got, err := d.Open("s")
			if tc.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fault) {
					t.Fatalf("error %v, want %q", err, tc.fault)
				}
				if after, _ := os.ReadFile(d.Path("s")); string(after) != tc.text {
					t.Error("the file was changed")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Records) != tc.records || got.Torn != tc.torn {
				t.Errorf("%d records, %d bytes torn; want %d, %d", len(got.Records), got.Torn, tc.records, tc.torn)
			}
			if err := errors.Join(l.Append(sessiontest.Records()[0]), l.Close()); err != nil {
				t.Fatal(err)
			}
			if got, err := d.Read("s"); err != nil || len(got.Records) != tc.records+1 || got.Torn != 0 {
				t.Errorf("after one more record: %+v, %v", got, err)
			}
		})
	}
}

// TestEveryCut cuts a session off at every byte, as a crash of the machine can.
func TestEveryCut(t *testing.T) {
	d := session.NewDir(t.TempDir())
	write(t, d, "s", sessiontest.Records()...)
	whole, err := os.ReadFile(d.Path("s"))
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.IndexByte(whole, '\n') + 1
	for n := head; n <= len(whole); n++ {
		if err := os.WriteFile(d.Path("s"), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := d.Read("s")
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if want := bytes.Count(whole[head:n], []byte{'\n'}); len(got.Records) != want {
			t.Errorf("cut at %d: %d records, want %d", n, len(got.Records), want)
		}
	}
}

func TestListAndRemove(t *testing.T) {
	d := session.NewDir(filepath.Join(t.TempDir(), "none", "yet"))
	if list, err := d.List(); list != nil || err != nil {
		t.Errorf("a folder that does not exist lists %v, %v", list, err)
	}
	if _, err := d.Latest(); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("latest of nothing: %v", err)
	}
	stop := func(agent string, ok bool) session.Record {
		r := &event.Result{OK: ok, Turns: 2, Usage: event.Usage{Usage: providers.Usage{Input: 10}, Cost: 0.5}}
		if !ok {
			r.Kind, r.Message = "turn_limit", "stopped"
		}
		return session.Record{Type: session.RunStop, Agent: agent, Result: r}
	}
	write(t, d, "good", stop("helper@worker", true), stop("worker", true), stop("worker", true))
	write(t, d, "failed", stop("worker", false))
	write(t, d, "open", stop("worker", true), sessiontest.Records()[0])
	if err := os.WriteFile(d.Path("bad"), []byte("no session\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"good", "failed", "open", "bad"} {
		at := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(d.Path(id), at, at); err != nil {
			t.Fatal(err)
		}
	}
	got, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	var brief []string
	for _, s := range got {
		brief = append(brief, fmt.Sprintf("%s %s %d runs %d turns $%.1f", s.ID, s.State, s.Runs, s.Turns, s.Usage.Cost))
	}
	want := []string{"bad damaged 0 runs 0 turns $0.0", "open open 1 runs 2 turns $0.5", "failed turn_limit 1 runs 2 turns $0.5", "good ok 2 runs 4 turns $1.0"}
	if diff := cmp.Diff(want, brief); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if id, err := d.Latest(); id != "bad" || err != nil {
		t.Errorf("latest is %q, %v", id, err)
	}

	l, _, err := d.Open("good")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Keep("x.txt", "x"); err != nil {
		t.Fatal(err)
	}
	var held *session.HeldError
	if err := d.Remove("good"); !errors.As(err, &held) {
		t.Errorf("removing a session that is written: %v", err)
	}
	if err := errors.Join(l.Close(), d.Remove("good"), d.Remove("bad")); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove("good"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("removing it twice: %v", err)
	}
	if err := d.Remove("../open"); err == nil {
		t.Error("an id led out of the folder")
	}
	left, err := os.ReadDir(filepath.Dir(d.Path("x")))
	if err != nil || len(left) != 3 { // failed, open, .gitignore
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes here")
	}
	dir := filepath.Join(t.TempDir(), "sessions")
	d := session.NewDir(dir)
	l, err := d.Create(sessiontest.Head("s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	kept, err := l.Keep("x.txt", "x")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{
		dir: 0o700, d.Path("s"): 0o600, filepath.Join(dir, "s"): 0o700, kept: 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}
