package cassette

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
)

// echo answers with the prompt, and counts.
type echo struct {
	name  string
	calls int
}

func (e *echo) Name() string { return e.name }

func (e *echo) Generate(_ context.Context, req *providers.Request, _ func(providers.Delta) error) (*providers.Response, error) {
	e.calls++
	return &providers.Response{
		Message:   providers.Message{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: req.Messages[0].Text()}}},
		Candidate: e.name, Finish: "stop",
	}, nil
}

func ask(t *testing.T, m providers.Model, tape *Tape, prompt string) (string, error) {
	t.Helper()
	req := &providers.Request{Messages: []providers.Message{providers.UserText(prompt)}, Caller: providers.Caller{Agent: "a", Turn: 1}}
	resp, err := Wrap(m).Generate(With(t.Context(), tape), req, nil)
	if err != nil {
		return "", err
	}
	return resp.Message.Text(), nil
}

// TestBook records three runs into one file: what one run has recorded answers the next, what none has used goes.
func TestBook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.yaml")
	m, other := &echo{name: "x/one"}, &echo{name: "x/two"}
	b := New(path, time.Unix(1e9, 0))
	for _, run := range []struct {
		model  *echo
		prompt string
		calls  int // of the model so far
	}{{m, "p", 1}, {m, "p", 1}, {m, "q", 2}, {other, "p", 1}} {
		if got, err := ask(t, run.model, b.Record(nil), run.prompt); err != nil || got != run.prompt || run.model.calls != run.calls {
			t.Fatalf("%s of %s: %q, %v, %d calls", run.prompt, run.model.name, got, err, run.model.calls)
		}
	}
	if err := b.Save(true); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}

	b, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.Len() != 3 {
		t.Errorf("%d entries", b.Len())
	}
	for range 2 { // each tape begins anew
		if _, err := ask(t, other, b.Replay(&Options{Strict: true}), "p"); err != nil {
			t.Error(err)
		}
	}
	if m.calls != 2 || other.calls != 1 {
		t.Error("a replay has asked")
	}
	if err := b.Save(false); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(before, now) {
		t.Error("the file was written although it says the same")
	}
	again, err := Open(path)
	if err != nil || again.Len() != 3 {
		t.Errorf("%v: what was not used is gone although the run did not end", err)
	}
	if err := b.Save(true); err != nil {
		t.Fatal(err)
	}
	if again, err = Open(path); err != nil || again.Len() != 1 {
		t.Errorf("%v: what was not used is still there", err)
	}
}

func TestMissSaysWhatChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.yaml")
	m := &echo{name: "x/one"}
	b := New(path, time.Unix(1e9, 0))
	base := func() *providers.Request {
		return &providers.Request{
			System: "s", Messages: []providers.Message{providers.UserText("p")}, Tools: []providers.ToolSpec{{Name: "Read"}},
			Caller: providers.Caller{Agent: "a", Turn: 1},
		}
	}
	if _, err := Wrap(m).Generate(With(t.Context(), b.Record(nil)), base(), nil); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*providers.Request)
		model  string
		want   []string
	}{
		"prompt": {func(r *providers.Request) { r.Messages[0] = providers.UserText("q") }, "x/one", []string{"the prompt"}},
		"tools":  {func(r *providers.Request) { r.Tools = nil; r.System = "t" }, "x/one", []string{"the agent's prompt", "tools"}},
		"limits": {func(r *providers.Request) { r.MaxOutput = 5 }, "x/one", []string{"parameters"}},
		"model":  {func(*providers.Request) {}, "x/two", []string{"model"}},
	} {
		tape, req := b.Replay(&Options{Strict: true}), base()
		tt.change(req)
		if _, err := Wrap(&echo{name: tt.model}).Generate(With(t.Context(), tape), req, nil); err == nil {
			t.Errorf("%s: it was answered", name)
			continue
		}
		if diff := cmp.Diff(tt.want, tape.Missed().Changed); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
