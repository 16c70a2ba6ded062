package runner_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

// narrow is a model whose window holds so many characters.
type narrow struct {
	turner
	window int
	sent   *[]int // the size of every request
}

func (m narrow) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	size := len(req.System)
	for _, msg := range req.Messages {
		size += len(msg.Text())
		for _, p := range msg.Parts {
			if r, ok := p.(providers.ToolResult); ok {
				size += len(r.Content)
			}
		}
	}
	*m.sent = append(*m.sent, size)
	if size > m.window {
		return nil, &providers.Error{Kind: providers.KindOverflow, Candidate: m.Name()}
	}
	return m.turner.Generate(ctx, req, emit)
}

// TestOverflow fills a model's window: once in a turn old results are cut and the request is sent again, smaller.
func TestOverflow(t *testing.T) {
	for _, tc := range []struct {
		name   string
		window int // characters; a result has 5,000
		kind   string
		events []string
	}{
		{"old results make room", 41_000, "", []string{"context.overflow", "context.compacted"}},
		{"nothing old enough", 12_000, "context_overflow", []string{"context.overflow"}},
		{"not room enough", 25_500, "context_overflow", []string{"context.overflow", "context.compacted"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var sent []int
			a := worker(t)
			a.Context.Strategy = agents.TruncateTools
			a.Model = narrow{turner{turns: 10}, tc.window, &sent}
			a.Tools = []tools.Toolset{tools.Fixed(tools.Func("read", "Reads.", func(_ context.Context, in readIn) (string, error) {
				return strings.Repeat("0123456789"[in.N%10:in.N%10+1], 5_000), nil
			}))}
			d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
			var got []string
			res, _ := newRunner(t, &scene{agents: []*agents.Agent{a}}, &runner.Options{Sessions: d}).Do(t.Context(), runner.Request{Input: "go"},
				&runner.RunOptions{Sink: func(e event.Event) {
					if c, ok := e.(*event.ContextCompacted); ok && c.After >= c.Before {
						t.Errorf("compacted from %d to %d tokens", c.Before, c.After)
					}
					if strings.HasPrefix(e.Type(), "context.") {
						got = append(got, e.Type())
					}
				}})
			if res.Kind != tc.kind {
				t.Fatalf("kind %q: %s", res.Kind, res.Message)
			}
			if diff := cmp.Diff(tc.events, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if tc.kind == "" && res.Turns != 11 {
				t.Errorf("%d turns", res.Turns)
			}
			stored, err := d.Read(res.Session)
			if err != nil {
				t.Fatal(err)
			}
			size := 0
			for _, m := range session.Replay(stored.Records).Conversations["worker"] {
				for _, p := range m.Parts {
					if r, ok := p.(providers.ToolResult); ok {
						size += len(r.Content)
					}
				}
			}
			if tc.kind == "" && size > tc.window {
				t.Errorf("%d characters of results are stored, which do not fit", size)
			}
			if tc.kind != "" && size < 2*5_000 {
				t.Errorf("%d characters of results are stored: the history was changed", size)
			}
		})
	}
}
