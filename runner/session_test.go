package runner_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

// brief is the messages of a conversation in one line each.
func brief(messages []providers.Message) []string {
	var out []string
	for _, m := range messages {
		var parts []string
		for _, p := range m.Parts {
			switch p := p.(type) {
			case providers.Text:
				parts = append(parts, p.Text)
			case providers.ToolCall:
				parts = append(parts, p.Name+string(p.Args))
			case providers.ToolResult:
				parts = append(parts, fmt.Sprintf("%s→%s", p.Name, p.Content))
			}
		}
		out = append(out, string(m.Role)+": "+strings.Join(parts, " | "))
	}
	return out
}

func newRunner(t *testing.T, s *scene, o *runner.Options) *runner.Runner {
	t.Helper()
	return runner.New(agents.Static(s.graph(t)), o)
}

func mustDo(t *testing.T, r *runner.Runner, req runner.Request, w *runner.RunOptions) *runner.Result {
	t.Helper()
	res, err := r.Do(t.Context(), req, w)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// counter answers with the number of messages it was sent, and calls add in its first turn.
func counter(t *testing.T) *scene {
	return &scene{agents: []*agents.Agent{worker(t,
		script.Rule{When: []script.When{{Turn: "1", Prompt: "add"}}, Reply: use(call("add", `{"a":1,"b":2}`))},
		script.Rule{Reply: say(`{{ len .Messages }} messages`)},
	)}}
}

func TestSessionGoesOn(t *testing.T) {
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	r := newRunner(t, counter(t), &runner.Options{Sessions: d})
	first := mustDo(t, r, runner.Request{Input: "add"}, nil)
	if first.Session == "" || first.Text() != "3 messages" {
		t.Fatalf("first run: %+v, %s", first, first.Text())
	}
	var resumed bool
	second := mustDo(t, r, runner.Request{Input: "and now?", Session: first.Session}, &runner.RunOptions{Sink: func(e event.Event) {
		if s, ok := e.(*event.RunStart); ok {
			resumed = s.SessionResumed
		}
	}})
	if second.Text() != "5 messages" || second.Session != first.Session || !resumed {
		t.Errorf("second run says %q in session %q, resumed %v", second.Text(), second.Session, resumed)
	}
	stored, err := d.Read(first.Session)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"user: add", `assistant: add{"a":1,"b":2}`, "tool: add→3", "assistant: 3 messages", "user: and now?", "assistant: 5 messages",
	}
	if diff := cmp.Diff(want, brief(session.Replay(stored.Records).Conversations["worker"])); diff != "" {
		t.Errorf("stored conversation (-want +got):\n%s", diff)
	}
	list, err := d.List()
	if err != nil || len(list) != 1 || list[0].Runs != 2 || list[0].State != "ok" || list[0].Turns != 3 {
		t.Errorf("list: %+v, %v", list, err)
	}
}

// TestOpenSession runs twice on one handle, as a chat does: nothing is read again in between, and what tools remember stays.
func TestOpenSession(t *testing.T) {
	h, err := session.New(nil, session.Head{ID: "chat"})
	if err != nil {
		t.Fatal(err)
	}
	type memo struct{ n int }
	s := counter(t)
	s.agents[0].Tools = []tools.Toolset{tools.Fixed(bare{"count", func(c *tools.Call) (tools.Result, error) {
		m := tools.Of[memo](c.State)
		m.n++
		return tools.Result{Content: fmt.Sprint("call ", m.n)}, nil
	}})}
	s.agents[0].Model = scripted(t, script.Rule{When: []script.When{{Turn: "1"}}, Reply: use(call("count", `{}`))}, script.Rule{Reply: say(`{{ (index .Results 0).Text }}`)})
	r := newRunner(t, s, nil)
	for n := 1; n <= 2; n++ {
		res := mustDo(t, r, runner.Request{Input: "go"}, &runner.RunOptions{Session: h})
		if want := fmt.Sprint("call ", n); res.Text() != want || res.Session != "" {
			t.Errorf("run %d says %q in session %q", n, res.Text(), res.Session)
		}
	}
}

func TestSessionFaults(t *testing.T) {
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	r := newRunner(t, counter(t), &runner.Options{Sessions: d})
	res := mustDo(t, r, runner.Request{Input: "go"}, nil)
	held, _, err := d.Open(res.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name     string
		sessions session.Store
		id, kind string
		exit     int
	}{
		{"unknown", d, "nowhere", "usage", 2},
		{"no id", d, "../x", "io", 1},
		{"held", d, res.Session, "io", 1},
		{"no store", nil, "s", "usage", 2},
		{"no folder", session.NewDir(filepath.Join(file, "sessions")), "", "io", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRunner(t, counter(t), &runner.Options{Sessions: tc.sessions})
			told := 0
			res, err := r.Do(t.Context(), runner.Request{Input: "go", Session: tc.id}, &runner.RunOptions{Sink: func(event.Event) { told++ }})
			if err == nil || res.Kind != tc.kind || res.ExitCode != tc.exit || told != 0 {
				t.Errorf("kind %q, exit %d, error %v, %d events; want %q, %d", res.Kind, res.ExitCode, err, told, tc.kind, tc.exit)
			}
		})
	}
}

// failing is a store whose log fails after some appends.
type failing struct {
	session.Store
	after int
}

type failingLog struct {
	session.Log
	left int
}

var errDisk = errors.New("no space left on device")

func (f failing) Create(h session.Head) (session.Log, error) {
	l, err := f.Store.Create(h)
	return &failingLog{l, f.after}, err
}

func (l *failingLog) Append(rs ...session.Record) error {
	if l.left--; l.left < 0 {
		return errDisk
	}
	return l.Log.Append(rs...)
}

// TestDiskFull lets each write of a run fail in turn: the run ends with kind io and exit 1, and says so in its last event.
func TestDiskFull(t *testing.T) {
	for after := range 6 {
		d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
		r := newRunner(t, counter(t), &runner.Options{Sessions: failing{d, after}})
		var last event.Event
		res, err := r.Do(t.Context(), runner.Request{Input: "add"}, &runner.RunOptions{Sink: func(e event.Event) { last = e }})
		if !errors.Is(err, errDisk) || res.Kind != "io" || res.ExitCode != 1 || res.Output != nil {
			t.Errorf("write %d: kind %q, exit %d, output %s, error %v", after+1, res.Kind, res.ExitCode, res.Output, err)
		}
		stop, ok := last.(*event.RunStop)
		if !ok || stop.Result.Kind != "io" {
			t.Errorf("write %d: the last event is %T", after+1, last)
		}
	}
}

// waiter is a tool that says that it waits, and waits.
type waiter struct{}

// waiting is what it says.
type waiting struct{}

func (waiting) Type() string { return "waiting" }

func (waiter) Spec() tools.Spec {
	return tools.NewSpec("wait", "Waits.", []byte(`{"type":"object"}`), false)
}

func (waiter) Call(ctx context.Context, c *tools.Call) (tools.Result, error) {
	c.Report(waiting{})
	<-ctx.Done()
	return tools.Result{}, ctx.Err()
}

// TestCancelledHistory cancels in the middle of a tool and of an answer: what is stored goes on without a dangling call.
func TestCancelledHistory(t *testing.T) {
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	s := &scene{agents: []*agents.Agent{worker(t,
		script.Rule{When: []script.When{{Prompt: "tool"}}, Reply: use(call("wait", `{}`))},
		script.Rule{When: []script.When{{Prompt: "answer"}}, Reply: script.Reply{Text: "one two three", ChunkDelay: time.Second}},
		script.Rule{Reply: say("here")},
	)}}
	s.agents[0].Streaming = true
	s.agents[0].Tools = []tools.Toolset{tools.Fixed(waiter{})}
	r := newRunner(t, s, &runner.Options{Sessions: d})
	id := ""
	for _, input := range []string{"tool", "answer"} {
		for e, err := range r.Run(t.Context(), runner.Request{Input: input, Session: id}, nil) {
			if err != nil {
				t.Fatal(err)
			}
			id = e.Head().Session
			if _, ok := e.(*event.ContentChunk); ok || e.Type() == "waiting" {
				break
			}
		}
	}
	if res := mustDo(t, r, runner.Request{Input: "still there?", Session: id}, nil); res.Text() != "here" {
		t.Errorf("the session says %q", res.Text())
	}
	stored, err := d.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	got := brief(session.Replay(stored.Records).Conversations["worker"])
	want := []string{
		"user: tool", `assistant: wait{}`, "tool: wait→Interrupted while it was running, outcome unknown: side effects are possible.",
		"user: answer", "assistant: one ", "user: still there?", "assistant: here",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored conversation (-want +got):\n%s", diff)
	}
	incomplete := 0
	for _, rec := range stored.Records {
		if rec.Incomplete {
			incomplete++
		}
	}
	if incomplete != 1 {
		t.Errorf("%d answers are marked incomplete, want 1", incomplete)
	}
}

func TestDelegateConversations(t *testing.T) {
	ask := func(in string) script.Call { return call("WorkWithHelper", in) }
	helper := &agents.Agent{Name: "helper", Prompt: "You help.", Model: scripted(t, script.Rule{Reply: say(`{{ len .Messages }}`)})}
	lead := &agents.Agent{Name: "lead", Prompt: "You lead.", Delegates: []agents.Delegate{{Agent: "helper", Keep: true}}, Model: scripted(t,
		script.Rule{When: []script.When{{Turn: "1"}}, Reply: use(ask(`{"message":"a"}`))},
		script.Rule{When: []script.When{{Turn: "2"}}, Reply: use(ask(`{"message":"b"}`))},
		script.Rule{When: []script.When{{Turn: "3"}}, Reply: use(ask(`{"message":"c","reset_context":true}`))},
		script.Rule{Reply: say(`{{ range .AllResults }}{{ .Text }} {{ end }}`)},
	)}
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	r := newRunner(t, &scene{agents: []*agents.Agent{lead, helper}}, &runner.Options{Sessions: d})
	res := mustDo(t, r, runner.Request{Input: "go"}, nil)
	if res.Text() != "1 3 1 " {
		t.Errorf("the delegate saw %q messages", res.Text())
	}
	again := mustDo(t, r, runner.Request{Input: "go", Session: res.Session}, nil)
	if again.Text() != "1 3 1 3 5 1 " {
		t.Errorf("in the resumed session it saw %q", again.Text())
	}
	stored, err := d.Read(res.Session)
	if err != nil {
		t.Fatal(err)
	}
	got := brief(session.Replay(stored.Records).Conversations["helper@lead"])
	if diff := cmp.Diff([]string{"user: c", "assistant: 1"}, got); diff != "" {
		t.Errorf("the delegate's conversation (-want +got):\n%s", diff)
	}
}

func TestLongResult(t *testing.T) {
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	s := &scene{agents: []*agents.Agent{worker(t,
		script.Rule{When: []script.When{{Turn: "1"}}, Reply: use(call("long", `{}`))},
		script.Rule{Reply: say("done")},
	)}}
	var got *event.ToolResult
	mustDo(t, newRunner(t, s, &runner.Options{Sessions: d}), runner.Request{Input: "go"}, &runner.RunOptions{Sink: func(e event.Event) {
		if r, ok := e.(*event.ToolResult); ok {
			got = r
		}
	}})
	whole, err := os.ReadFile(got.File)
	if err != nil || string(whole) != strings.Repeat("é", 100_001) {
		t.Errorf("%d bytes are kept, %v", len(whole), err)
	}
	shown, note, _ := strings.Cut(got.Result, "\n")
	if len([]rune(shown)) != 100_000 || !strings.Contains(note, "100000 of 100001 characters") || !strings.Contains(note, got.File) {
		t.Errorf("%d characters are shown, note %q", len([]rune(shown)), note)
	}
}

// TestRedactedSession looks for a secret in everything that a run leaves on disk.
func TestRedactedSession(t *testing.T) {
	const secret = "open-sesame-42"
	dir := filepath.Join(t.TempDir(), "sessions")
	s := &scene{secrets: []string{secret}, agents: []*agents.Agent{worker(t,
		script.Rule{When: []script.When{{Turn: "1"}}, Reply: use(script.Call{Name: "tell", Input: []byte(`{"x":{"y":["` + secret + `"]}}`)})},
		script.Rule{Reply: script.Reply{Thinking: "it is " + secret, Text: "it is " + secret}},
	)}}
	s.agents[0].Tools = []tools.Toolset{tools.Fixed(bare{"tell", func(c *tools.Call) (tools.Result, error) {
		if !strings.Contains(string(c.Input), secret) {
			return tools.Result{}, fmt.Errorf("the tool was called with %s", c.Input)
		}
		return tools.Result{Content: "it is " + secret, Full: strings.Repeat(secret+" ", 3)}, nil
	}})}
	res := mustDo(t, newRunner(t, s, &runner.Options{Sessions: session.NewDir(dir)}), runner.Request{Input: "say " + secret}, nil)
	if strings.Contains(res.Text(), secret) {
		t.Errorf("the answer is %q", res.Text())
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) {
			t.Errorf("%s holds the secret:\n%s", path, text)
		}
		return err
	})
	if err != nil || files != 3 { // the session, a long result, .gitignore
		t.Errorf("%d files, %v", files, err)
	}
}
