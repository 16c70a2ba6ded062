package runner_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// strict is a model that refuses a history in which a call has no result.
type strict struct{ sent *int }

func (strict) Name() string { return "test/strict" }

func (m strict) Generate(_ context.Context, req *providers.Request, _ func(providers.Delta) error) (*providers.Response, error) {
	*m.sent++
	if fixed, _ := providers.RepairOrphans(req); fixed != nil {
		return nil, &providers.Error{Kind: providers.KindOrphan, Candidate: m.Name()}
	}
	return &providers.Response{
		Message: providers.Message{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: "done"}}},
		Finish:  providers.FinishStop, Candidate: m.Name(),
	}, nil
}

// TestRepairIsKept continues a session whose history a provider refuses: it is mended once, and stays mended.
func TestRepairIsKept(t *testing.T) {
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	log, err := d.Create(session.Head{ID: "s1", Created: event.Time{Time: time.Unix(0, 0)}, Target: "worker"})
	if err != nil {
		t.Fatal(err)
	}
	broken := []providers.Message{
		providers.UserText("add"),
		{Role: providers.Assistant, Parts: []providers.Part{providers.ToolCall{ID: "c1", Name: "add", Args: json.RawMessage(`{}`)}}},
		providers.UserText("well?"),
	}
	if err := log.Append(session.Record{Type: session.Compacted, Agent: "worker", Messages: broken}); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}

	sent := 0
	s := counter(t)
	s.agents[0].Model = providers.Retry(strict{&sent}, providers.DefaultPolicy())
	r := newRunner(t, s, &runner.Options{Sessions: d})
	mustDo(t, r, runner.Request{Input: "go on", Session: "s1"}, nil)
	if sent != 2 {
		t.Errorf("the mended run took %d sends, want 2", sent)
	}
	mustDo(t, r, runner.Request{Input: "once more", Session: "s1"}, nil)
	if sent != 3 {
		t.Errorf("the next run took %d sends, want 1", sent-2)
	}
	stored, err := d.Read("s1")
	if err != nil {
		t.Fatal(err)
	}
	got := session.Replay(stored.Records).Conversations["worker"]
	if fixed, _ := providers.RepairOrphans(&providers.Request{Messages: got}); fixed != nil {
		t.Errorf("the stored conversation still has an orphan:\n%v", brief(got))
	}
	if diff := cmp.Diff([]string{"assistant: done", "user: once more", "assistant: done"}, brief(got[len(got)-3:])); diff != "" {
		t.Errorf("end of the stored conversation (-want +got):\n%s", diff)
	}
}
