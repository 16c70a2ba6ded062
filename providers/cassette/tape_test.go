package cassette_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/cassette"
	"github.com/swarmrun/swarmrun/providers/faulttest"
	"github.com/swarmrun/swarmrun/providers/openai"
	"github.com/swarmrun/swarmrun/providers/script"
)

var update = flag.Bool("update", false, "write the golden cassette")

const secret = "sk-test-0123456789abcdefghij"

// live is a model that answers by rules; calls counts what reaches it.
type live struct {
	providers.Model
	calls int
}

func (l *live) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	l.calls++
	return l.Model.Generate(ctx, req, emit)
}

func model(t *testing.T, name string, rules ...script.Rule) *live {
	t.Helper()
	m, err := script.New(name, rules)
	if err != nil {
		t.Fatal(err)
	}
	return &live{Model: m}
}

func reviewer(t *testing.T) *live {
	t.Helper()
	return model(t, "script/review",
		script.Rule{Name: "ask", When: []script.When{{Turn: "1", Prompt: `review (?P<file>\S+)`}}, Reply: script.Reply{
			Thinking: "I need the file.", ToolCalls: []script.Call{{Name: "Read", ID: "x-9", Input: json.RawMessage(`{"file_path":"{{ .Match.file }}","limit":5}`)}}}},
		script.Rule{Name: "tell", When: []script.When{{Tool: "Read"}}, Reply: script.Reply{
			Text: "In {{ (index .Results 0).Input.file_path }}:\n{{ (index .Results 0).Text }}", Usage: &providers.Usage{Input: 100, Output: 7, CachedInput: 3}}},
		script.Rule{Name: "fail", When: []script.When{{Prompt: "fail"}}, Reply: script.Reply{Text: "half", Error: &script.Failure{Kind: providers.KindServer, After: 2}}},
		script.Rule{Name: "more", Reply: script.Reply{Text: "{{ .Prompt }}!"}},
	)
}

func options(ws string) *cassette.Options {
	return &cassette.Options{
		Workspace: ws, Home: "/home/someone", Temp: "/tmp", Redactor: providers.NewRedactor(secret),
		Now: func() time.Time { return time.Date(2026, 11, 29, 10, 4, 11, 0, time.UTC) },
	}
}

// turn is one model call of a conversation and its streamed pieces.
type turn struct {
	Response *providers.Response
	Pieces   []providers.Delta
}

// converse has a run of two turns in a workspace: ask, read a file, tell; then another prompt.
func converse(ctx context.Context, t *testing.T, m providers.Model, ws string) []turn {
	t.Helper()
	req := &providers.Request{
		System:   "You work in " + ws + ".",
		Messages: []providers.Message{providers.UserText("review " + ws + "/cart/total.go")},
		Tools: []providers.ToolSpec{{Name: "Read", Description: "Reads a file.",
			Schema: json.RawMessage(`{"type":"object","required":["file_path"],"properties":{"limit":{"type":"integer"},"file_path":{"type":"string"}}}`)}},
		Caller: providers.Caller{Run: "r", Agent: "reviewer", Turn: 1},
	}
	var turns []turn
	say := func() {
		t.Helper()
		var pieces []providers.Delta
		resp, err := m.Generate(ctx, req, func(d providers.Delta) error { pieces = append(pieces, d); return nil })
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn{resp, pieces})
		req.Messages = append(req.Messages, resp.Message)
		req.Caller.Turn++
	}
	say()
	asked := turns[0].Response.Message.ToolCalls()[0]
	req.Messages = append(req.Messages, providers.Message{Role: providers.Tool, Parts: []providers.Part{providers.ToolResult{
		CallID: asked.ID, Name: "Read", Content: "package cart // of " + ws + "\nvar key = \"" + secret + "\"\n"}}})
	say()
	req.Messages = append(req.Messages, providers.UserText("Thanks, it costs $HOME and more"))
	say()
	return turns
}

func TestRecordAndReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cassettes", "review.yaml")
	tape, err := cassette.Record(path, options("/home/someone/ws"))
	if err != nil {
		t.Fatal(err)
	}
	m := reviewer(t)
	recorded := converse(cassette.With(t.Context(), tape), t, cassette.Wrap(m), "/home/someone/ws")
	if err := tape.Save(true); err != nil {
		t.Fatal(err)
	}
	golden(t, path)

	again, err := cassette.Replay(path, options("/srv/checkout"))
	if err != nil {
		t.Fatal(err)
	}
	if again.Recorded() != time.Date(2026, 11, 29, 10, 4, 11, 0, time.UTC) {
		t.Errorf("recorded at %v", again.Recorded())
	}
	var events []providers.Event
	ctx := providers.WithSink(t.Context(), func(ev providers.Event) { events = append(events, ev) })
	silent := model(t, "script/review")
	replayed := converse(cassette.With(ctx, again), t, cassette.Wrap(silent), "/srv/checkout")
	if silent.calls != 0 {
		t.Errorf("the model was asked %d times", silent.calls)
	}
	if diff := cmp.Diff(elsewhere(t, recorded), replayed); diff != "" {
		t.Error(diff)
	}
	for i, ev := range events {
		end, ok := ev.(providers.CallEnd)
		if !ok || !end.OK || !end.Replayed || end.Attempts != 0 || end.Candidate != "script/review" || end.Rule != recorded[i].Response.Rule {
			t.Errorf("event %d: %+v", i, ev)
		}
	}
	if len(events) != 3 {
		t.Errorf("%d events", len(events))
	}
	if err := again.Save(true); err != nil {
		t.Error(err)
	}
}

// golden compares a written cassette with the one in testdata.
func golden(t *testing.T, path string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"/home/someone", secret[:11], secret[len(secret)-8:]} {
		if strings.Contains(string(got), s) {
			t.Errorf("%q is in the file", s)
		}
	}
	file := filepath.Join("testdata", "review.yaml")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

// elsewhere is what was recorded as it plays on another machine: its folder, its call ids, no secret, the same pieces.
func elsewhere(t *testing.T, turns []turn) []turn {
	t.Helper()
	out := []turn{turns[0], turns[1], turns[2]}
	for i := range out {
		r := *out[i].Response
		b, err := json.Marshal(r.Message)
		if err != nil {
			t.Fatal(err)
		}
		moved := strings.NewReplacer("/home/someone/ws", "/srv/checkout", secret, providers.Redacted, "x-9", "call_1").Replace(string(b))
		r.Message = providers.Message{}
		if err := json.Unmarshal([]byte(moved), &r.Message); err != nil {
			t.Fatal(err)
		}
		out[i].Response = &r
	}
	out[1].Pieces = recut(out[1].Pieces) // the others hold no folder and no secret
	return out
}

// recut is the pieces of a text that became another one: as long as they were, the last one with what is left.
func recut(pieces []providers.Delta) []providers.Delta {
	var text string
	var lengths []int
	for _, p := range pieces {
		text += p.Text
		lengths = append(lengths, len(p.Text))
	}
	text = strings.NewReplacer("/home/someone/ws", "/srv/checkout", secret, providers.Redacted).Replace(text)
	var out []providers.Delta
	for _, n := range lengths {
		n = min(n, len(text))
		if n > 0 {
			out = append(out, providers.Delta{Text: text[:n]})
		}
		text = text[n:]
	}
	if text != "" {
		out = append(out, providers.Delta{Text: text})
	}
	return out
}

// TestChainBehind records what a real client answers at its second attempt, and replays it without key and network.
func TestChainBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "c.yaml")
		s := faulttest.Start(t, faulttest.OpenAIChat, `[503, sse[t"he" t"llo" u(3,2) f D]FIN]`)
		c := providers.Candidate{Provider: "openai", Model: "gpt-5", BaseURL: s.BaseURL(), Transport: s.Transport(), Key: func() (string, error) { return secret, nil }}
		speak := func(ctx context.Context, c providers.Candidate) turn {
			t.Helper()
			m, err := openai.New(c)
			if err != nil {
				t.Fatal(err)
			}
			var said turn
			said.Response, err = cassette.Wrap(providers.Retry(m, providers.DefaultPolicy())).Generate(ctx,
				&providers.Request{Messages: []providers.Message{providers.UserText("say it")}}, func(d providers.Delta) error {
					said.Pieces = append(said.Pieces, d)
					return nil
				})
			if err != nil {
				t.Fatal(err)
			}
			return said
		}
		tape, ctx := record(t, path)
		want := speak(ctx, c)
		if err := tape.Save(true); err != nil {
			t.Fatal(err)
		}
		c.Key = func() (string, error) { return "", providers.MissingKey("openai", "OPENAI_API_KEY") }
		got := speak(replay(t, path), c)
		want.Response.Attempts = 0 // a replay sends nothing
		if diff := cmp.Diff(want, got); diff != "" || len(s.Requests()) != 2 {
			t.Errorf("%d requests, %s", len(s.Requests()), diff)
		}
	})
}

func TestMiss(t *testing.T) {
	tape, err := cassette.Replay(filepath.Join("testdata", "review.yaml"), options("/ws"))
	if err != nil {
		t.Fatal(err)
	}
	m := cassette.Wrap(model(t, "script/review"))
	var end providers.CallEnd
	ctx := providers.WithSink(cassette.With(t.Context(), tape), func(ev providers.Event) { end, _ = ev.(providers.CallEnd) })
	req := &providers.Request{
		System: "You work in /ws.", Messages: []providers.Message{providers.UserText("review /ws/cart/price.go")},
		Caller: providers.Caller{Agent: "reviewer", Turn: 1},
	}
	_, err = m.Generate(ctx, req, nil)
	var e *providers.Error
	if !errors.As(err, &e) || e.Kind != providers.KindInvalidRequest || e.Code != cassette.CodeMiss || !e.Terminal {
		t.Fatalf("got %#v", e)
	}
	if end.OK || !end.Replayed || end.Kind != providers.KindInvalidRequest {
		t.Errorf("event %+v", end)
	}
	for _, want := range []string{
		`testdata/review.yaml has no answer for call 1 of agent "reviewer" (key `, "run it with --record", "The nearest entry is at testdata/review.yaml:4 ",
		"\n  system: You work in $WORKSPACE.\n- tool Read: Reads a file.\n", "\n- user: review $WORKSPACE/cart/total.go\n+ user: review $WORKSPACE/cart/price.go",
	} {
		if !strings.Contains(e.Hint, want) {
			t.Errorf("%q is not in\n%s", want, e.Hint)
		}
	}
	if strings.Contains(e.Error(), "cart") {
		t.Errorf("the text shows what was asked: %v", e)
	}
}

// ask sends a prompt of an agent.
func ask(ctx context.Context, t *testing.T, m providers.Model, agent, prompt string) (string, error) {
	t.Helper()
	resp, err := m.Generate(ctx, &providers.Request{Messages: []providers.Message{providers.UserText(prompt)}, Caller: providers.Caller{Agent: agent, Turn: 1}}, nil)
	if err != nil {
		return "", err
	}
	return resp.Message.Text(), nil
}

func counter(t *testing.T, name string) *live {
	t.Helper()
	return model(t, name, script.Rule{Times: 1, Reply: script.Reply{Text: "first of " + name}}, script.Rule{Times: 1, Reply: script.Reply{Text: "second of " + name}},
		script.Rule{Reply: script.Reply{Text: "third of " + name}})
}

func record(t *testing.T, path string) (*cassette.Tape, context.Context) {
	t.Helper()
	tape, err := cassette.Record(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tape, cassette.With(t.Context(), tape)
}

func replay(t *testing.T, path string) context.Context {
	t.Helper()
	tape, err := cassette.Replay(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cassette.With(t.Context(), tape)
}

func TestEqualKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	tape, ctx := record(t, path)
	a, b := cassette.Wrap(counter(t, "script/a")), cassette.Wrap(counter(t, "script/b"))
	for _, m := range []providers.Model{a, a, b} {
		if _, err := ask(ctx, t, m, "x", "again"); err != nil {
			t.Fatal(err)
		}
	}
	if err := tape.Save(true); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		asks []providers.Model
		want []string
	}{
		{"in recorded order, each once", []providers.Model{a, a}, []string{"first of script/a", "second of script/a"}},
		{"a repetition starts anew", []providers.Model{a}, []string{"first of script/a"}},
		{"the same model first", []providers.Model{b, a}, []string{"first of script/b", "first of script/a"}},
		{"another model where there is no more", []providers.Model{b, b, b}, []string{"first of script/b", "first of script/a", "second of script/a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := replay(t, path)
			for i, m := range tt.asks {
				if got, err := ask(ctx, t, m, "x", "again"); err != nil || got != tt.want[i] {
					t.Errorf("answer %d: %q, %v", i, got, err)
				}
			}
		})
	}
	ctx = replay(t, path)
	for range 3 {
		if _, err := ask(ctx, t, a, "x", "again"); err != nil {
			t.Fatal(err)
		}
	}
	var e *providers.Error
	if _, err := ask(ctx, t, a, "x", "again"); !errors.As(err, &e) || !strings.Contains(e.Hint, "each entry with this key has answered once ("+path+":4, ") {
		t.Errorf("got %v %+v", err, e)
	}
}

func TestRecordingKeepsWhatIsUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	m := counter(t, "script/a")
	w := cassette.Wrap(m)
	prompts := func(ended bool, prompts ...string) (asked int) {
		t.Helper()
		tape, ctx := record(t, path)
		before := m.calls
		for _, p := range prompts {
			if _, err := ask(ctx, t, w, "x", p); err != nil {
				t.Fatal(err)
			}
		}
		if err := tape.Save(ended); err != nil {
			t.Fatal(err)
		}
		return m.calls - before
	}
	steps := []struct {
		ended   bool
		prompts []string
		asked   int
	}{
		{true, []string{"a", "b", "c"}, 3},
		{true, []string{"a", "b", "c"}, 0},
		{false, []string{"d", "b"}, 1}, // stopped: a and c might have come
		{true, []string{"a", "b", "c", "d"}, 0},
		{true, []string{"d", "e"}, 1}, // ended: a, b and c are gone
		{true, []string{"a", "d", "e"}, 1},
	}
	for i, s := range steps {
		if asked := prompts(s.ended, s.prompts...); asked != s.asked {
			t.Errorf("step %d asked the model %d times, not %d", i, asked, s.asked)
		}
	}
}

func TestFailuresAreNotRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	tape, ctx := record(t, path)
	m := reviewer(t)
	for range 2 {
		if _, err := ask(ctx, t, cassette.Wrap(m), "x", "fail"); !errors.Is(err, providers.ErrServer) {
			t.Errorf("got %v", err)
		}
	}
	if err := tape.Save(true); err != nil || m.calls != 2 {
		t.Errorf("%d calls, %v", m.calls, err)
	}
	if b, err := os.ReadFile(path); err != nil || !strings.Contains(string(b), "calls: []") {
		t.Errorf("%s%v", b, err)
	}
}

func TestSideBySide(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	m, err := script.New("script/x", []script.Rule{{Reply: script.Reply{Text: "{{ .Prompt }}!"}}})
	if err != nil {
		t.Fatal(err)
	}
	w := cassette.Wrap(m)
	all := func(ctx context.Context) {
		var calls sync.WaitGroup
		for i := range 40 {
			calls.Go(func() {
				prompt := fmt.Sprint("number ", i/2) // each twice
				if got, err := ask(ctx, t, w, fmt.Sprint("agent ", i%3), prompt); err != nil || got != prompt+"!" {
					t.Errorf("%q, %v", got, err)
				}
			})
		}
		calls.Wait()
	}
	tape, ctx := record(t, path)
	all(ctx)
	if err := tape.Save(true); err != nil {
		t.Fatal(err)
	}
	all(replay(t, path))
}

func TestWithoutTape(t *testing.T) {
	m := reviewer(t)
	for _, ctx := range []context.Context{t.Context(), cassette.With(replay(t, filepath.Join("testdata", "review.yaml")), nil)} {
		m.calls = 0
		if got, err := ask(ctx, t, cassette.Wrap(m), "x", "hello"); got != "hello!" || err != nil || m.calls != 1 {
			t.Errorf("%q, %v, %d calls", got, err, m.calls)
		}
	}
	if c := cassette.Wrap(m).(providers.Capable).Capabilities(); c.Price != nil {
		t.Error("live hides what its model can") // embedding an interface loses the optional methods
	}
	if c := cassette.Wrap(m.Model).(providers.Capable).Capabilities(); c.Price == nil {
		t.Error("the price is lost")
	}
}

func TestMask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte("version: 1\nrecorded: 2026-11-29T10:04:11Z\nmask: ['\\d{4}-\\d\\d-\\d\\d']\ncalls: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tape, ctx := record(t, path)
	w := cassette.Wrap(reviewer(t))
	if _, err := ask(ctx, t, w, "x", "today is 2026-11-29"); err != nil {
		t.Fatal(err)
	}
	if err := tape.Save(true); err != nil {
		t.Fatal(err)
	}
	if got, err := ask(replay(t, path), t, w, "x", "today is 2027-01-01"); err != nil || got != "today is 2026-11-29!" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestMaskAddedLater changes what a request normalises to after it was recorded.
func TestMaskAddedLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	tape, ctx := record(t, path)
	w := cassette.Wrap(reviewer(t))
	if _, err := ask(ctx, t, w, "x", "call 41"); err != nil {
		t.Fatal(err)
	}
	if err := tape.Save(true); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(src), "calls:", "mask: ['\\d+']\ncalls:", 1)
	if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ask(replay(t, path), t, w, "x", "call 42"); err != nil || got != "call 41!" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSignedThinking(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	want := providers.Message{Role: providers.Assistant, Parts: []providers.Part{
		providers.Reasoning{Text: "hm", Provider: "anthropic", Raw: json.RawMessage(`{"signature":"c2ln","type":"thinking"}`)},
		providers.Text{Text: "a"}, providers.ToolCall{ID: "call_1", Name: "Clock", Args: json.RawMessage(`{"zone":"UTC"}`)},
		providers.Opaque{Provider: "anthropic", Raw: json.RawMessage(`{"data":"x"}`)}, providers.Text{Text: "b"},
	}}
	m := fixed{&providers.Response{Message: want, Finish: providers.FinishToolCalls, Candidate: "fast", Provider: "anthropic", Model: "claude"}}
	tape, ctx := record(t, path)
	if _, err := ask(ctx, t, cassette.Wrap(m), "x", "go"); err != nil {
		t.Fatal(err)
	}
	if err := tape.Save(true); err != nil {
		t.Fatal(err)
	}
	got, err := cassette.Wrap(m).Generate(replay(t, path), &providers.Request{Messages: []providers.Message{providers.UserText("go")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.resp, got); diff != "" {
		t.Error(diff)
	}
}

type fixed struct{ resp *providers.Response }

func (fixed) Name() string { return "fast" }
func (f fixed) Generate(context.Context, *providers.Request, func(providers.Delta) error) (*providers.Response, error) {
	return f.resp, nil
}

func TestConsumerLeaves(t *testing.T) {
	path := filepath.Join("testdata", "review.yaml")
	tape, err := cassette.Replay(path, options("/ws"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(cassette.With(t.Context(), tape))
	cancel()
	req := &providers.Request{Messages: []providers.Message{providers.UserText("x")}}
	if _, err := cassette.Wrap(model(t, "script/review")).Generate(ctx, req, nil); !errors.Is(err, providers.ErrInvalidRequest) {
		t.Errorf("a miss is told whatever happens: %v", err)
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec, recCtx := record(t, file)
	w := cassette.Wrap(reviewer(t))
	if _, err := ask(recCtx, t, w, "", "a b"); err != nil {
		t.Fatal(err)
	}
	if err := rec.Save(true); err != nil {
		t.Fatal(err)
	}
	same := &providers.Request{Messages: []providers.Message{providers.UserText("a b")}}
	for name, ctx := range map[string]context.Context{"emit": replay(t, file), "ctx": func() context.Context {
		ctx, cancel := context.WithCancel(replay(t, file))
		cancel()
		return ctx
	}()} {
		resp, err := w.Generate(ctx, same, func(providers.Delta) error {
			if name == "emit" {
				return errors.New("gone")
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || resp == nil || !resp.Incomplete {
			t.Errorf("%s: %+v, %v", name, resp, err)
		}
	}
}

func TestFaults(t *testing.T) {
	const head = "version: 1\nrecorded: 2026-11-29T10:04:11Z\n"
	call := func(s string) string { return head + "calls:\n  - " + s + "\n" }
	tests := []struct{ name, src, at, want string }{
		{"version", "version: 2\ncalls: []\n", "1:10", "version 2"},
		{"no yaml", head + "calls: [\n", "", ""},
		{"unknown key", head + "cals: []\n", "1:1", `unknown field "cals"`},
		{"type", head + "calls: 1\n", "3:8", "a number cannot stand here"},
		{"mask", head + "mask: [a, '(']\ncalls: []\n", "3:11", "no regular expression"},
		{"no answer", call("{key: a}"), "4:5", "needs key, answer"},
		{"no finish", call("{key: a, answer: {text: x}}"), "4:5", "needs key, answer"},
		{"key of a call", call("{key: a, answr: {}}"), "4:5", `unknown field "answr"`},
		{"type in a call", call("{key: a, answer: {finish: stop, chunks: x}}"), "4:45", "a string cannot stand here"},
		{"time", "version: 1\nrecorded: soon\ncalls: []\n", "1:1", "parsing time"},
		{"tag", head + "calls: [!x a]\n", "3:9", "want a plain value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.yaml")
			if err := os.WriteFile(path, []byte(tt.src), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := cassette.Replay(path, nil)
			var list *diag.ListError
			if !errors.As(err, &list) || len(list.List) != 1 {
				t.Fatalf("got %v", err)
			}
			d := list.List[0]
			if at := d.Range.Start; tt.at != "" && (tt.at != posText(at) || !strings.Contains(d.Summary, tt.want) || d.Code != "E-CASSETTE") {
				t.Errorf("%s %s: %s", posText(at), d.Code, d.Summary)
			}
		})
	}
	if _, err := cassette.Replay(filepath.Join(t.TempDir(), "none.yaml"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func posText(p diag.Pos) string {
	b, _ := json.Marshal([]int{int(p.Line), int(p.Column)})
	return strings.ReplaceAll(strings.Trim(string(b), "[]"), ",", ":")
}

func TestSaveLeavesTheOldFileWhenItFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	if err := os.Mkdir(path, 0o755); err != nil { // nothing can be renamed over a folder with something in it
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := cassette.Record(path, nil); err == nil {
		t.Error("a folder was opened as a cassette")
	}
	tape, _ := record(t, filepath.Join(dir, "new.yaml"))
	if err := os.Mkdir(filepath.Join(dir, "new.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "new.yaml", "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tape.Save(true); err == nil {
		t.Error("saving over a folder succeeded")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("something was left behind: %v, %v", entries, err)
	}
}
