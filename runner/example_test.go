package runner_test

import (
	"context"
	"fmt"
	"log"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
)

// A graph built in Go, without any file: one agent with one tool, and a model made of rules.
func ExampleRunner_Run() {
	type in struct {
		Order int `json:"order"`
	}
	lookup := tools.Func("lookup_order", "Look up an order.", func(_ context.Context, in in) (string, error) {
		return fmt.Sprintf("order %d is on its way", in.Order), nil
	})
	model, err := script.New("script/support", []script.Rule{
		{When: []script.When{{Turn: "1"}}, Reply: script.Reply{ToolCalls: []script.Call{{Name: "lookup_order", Input: []byte(`{"order": 42}`)}}}},
		{Reply: script.Reply{Text: `{{ (index .Results 0).Text }}`}},
	})
	if err != nil {
		log.Fatal(err)
	}
	graph, err := agents.New(agents.Spec{Name: "support", Agents: []*agents.Agent{{
		Name: "triage", Prompt: "You answer customers.", Model: model,
		Tools: []tools.Toolset{tools.Fixed(lookup)}, Rules: tools.Rules{All: true},
	}}})
	if err != nil {
		log.Fatal(err)
	}
	r := runner.New(agents.Static(graph), nil)
	for ev, err := range r.Run(context.Background(), runner.Request{Target: "triage", Input: "Where is order 42?"}, nil) {
		if err != nil {
			log.Fatal(err)
		}
		switch ev := ev.(type) {
		case *event.ToolCall:
			fmt.Println("calls", ev.Tool, string(ev.Arguments))
		case *event.RunStop:
			fmt.Println("answers", ev.Result.Text())
		}
	}
	// Output:
	// calls lookup_order {"order":42}
	// answers order 42 is on its way
}
