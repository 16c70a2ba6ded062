package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

// turner is a model that asks for one tool call in each of so many turns, and then answers.
type turner struct {
	turns   int
	latency time.Duration
}

func (turner) Name() string { return "bench/turner" }

func (turner) Capabilities() providers.Capabilities {
	return providers.Capabilities{ContextWindow: 1_000_000, Price: &providers.Price{Input: 1, Output: 1}}
}

func (m turner) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	if m.latency > 0 {
		select {
		case <-time.After(m.latency):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	resp := &providers.Response{Finish: providers.FinishStop, Usage: providers.Usage{Input: 1000, Output: 10}, Candidate: m.Name()}
	resp.Message.Role = providers.Assistant
	if emit != nil {
		if err := emit(providers.Delta{Text: "I look at the file."}); err != nil {
			return nil, err
		}
	}
	resp.Message.Parts = append(resp.Message.Parts, providers.Text{Text: "I look at the file."})
	if req.Caller.Turn <= m.turns {
		resp.Finish = providers.FinishToolCalls
		resp.Message.Parts = append(resp.Message.Parts, providers.ToolCall{
			ID: fmt.Sprintf("call_%d", req.Caller.Turn), Name: "read", Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, req.Caller.Turn)),
		})
	}
	return resp, nil
}

type readIn struct {
	N int `json:"n"`
}

func benchGraph(b testing.TB, m providers.Model) *agents.Graph {
	b.Helper()
	text := strings.Repeat("a line of a file, forty characters long\n", 50)
	read := tools.Func("read", "Reads.", func(_ context.Context, in readIn) (string, error) { return fmt.Sprint(in.N, text), nil })
	g, err := agents.New(agents.Spec{Name: "bench", Root: b.TempDir(), Generation: 1, Agents: []*agents.Agent{{
		Name: "worker", Prompt: "You work.", Model: m, Streaming: true, Rules: tools.Rules{All: true},
		Tools: []tools.Toolset{tools.Fixed(read)}, Limits: agents.Limits{MaxTurns: 100},
	}}})
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkTurns is a run of 50 tool turns of a model that takes no time: all of it is ours. The session is on disk, synced
// in every turn.
func BenchmarkTurns(b *testing.B) {
	for _, stored := range []bool{false, true} {
		b.Run(fmt.Sprintf("stored=%v", stored), func(b *testing.B) {
			o := &runner.Options{Sink: encode(b)}
			if stored {
				o.Sessions = session.NewDir(filepath.Join(b.TempDir(), "sessions"))
			}
			r := runner.New(agents.Static(benchGraph(b, turner{turns: 50})), o)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Do(b.Context(), runner.Request{Input: "go"}, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/50, "µs/turn")
		})
	}
}

// encode writes events as -o jsonl does, to nowhere.
func encode(b testing.TB) func(event.Event) {
	var buf []byte
	var mu sync.Mutex
	return func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		var err error
		if buf, err = event.Append(buf[:0], e, 1); err != nil {
			b.Error(err)
		}
	}
}

// BenchmarkSideBySide is 500 agents at once, 10 turns each, on a model that takes 50 ms.
func BenchmarkSideBySide(b *testing.B) {
	r := runner.New(agents.Static(benchGraph(b, turner{turns: 9, latency: 50 * time.Millisecond})), nil)
	b.ReportAllocs()
	for b.Loop() {
		var wg sync.WaitGroup
		for range 500 {
			wg.Go(func() {
				if _, err := r.Do(b.Context(), runner.Request{Input: "go"}, nil); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
	}
}
