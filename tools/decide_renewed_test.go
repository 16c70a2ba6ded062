package tools_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
)

// renewable is a tool that may not be what it was.
type renewable struct{ renewed bool }

func (renewable) Spec() tools.Spec {
	return tools.NewSpec("mcp__s__t", "", json.RawMessage(`{"type":"object"}`), false)
}

func (renewable) Call(context.Context, *tools.Call) (tools.Result, error) { return tools.Result{}, nil }

func (r renewable) Renewed() bool { return r.renewed }

func (renewable) Accept() {}

// TestRenewedTool: what a person approved for good does not count for a tool that changed since; rules of files do.
func TestRenewedTool(t *testing.T) {
	rule := func(text string) []tools.Rule {
		r, err := tools.ParseRule(text, tools.Native, diag.Range{})
		if err != nil {
			t.Fatal(err)
		}
		return []tools.Rule{r}
	}
	for _, tt := range []struct {
		name    string
		rules   tools.Rules
		renewed bool
		want    tools.Verdict
	}{
		{"approved", tools.Rules{All: true, Ask: rule("mcp__s__t"), Approved: rule("mcp__s__t")}, false, tools.Allow},
		{"approved and renewed", tools.Rules{All: true, Ask: rule("mcp__s__t"), Approved: rule("mcp__s__t")}, true, tools.Ask},
		{"allowed by a file and renewed", tools.Rules{All: true, Asking: true, Allow: rule("mcp__s__t")}, true, tools.Allow},
	} {
		if got := tt.rules.Decide(renewable{tt.renewed}, &tools.Call{Tool: "mcp__s__t", Input: json.RawMessage(`{}`)}, nil); got.Verdict != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
