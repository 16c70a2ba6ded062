package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/internal/wire"
)

const (
	defaultMaxOutput = 8192 // max_tokens is required; where neither request nor model tells
	minBudget        = 1024 // the smallest thinking budget that is accepted
	ephemeral        = `,"cache_control":{"type":"ephemeral"}`
)

// body is the JSON of a request. The prompt is cached up to the end of the system text, the tools and the last message.
func (c *client) body(req *providers.Request, stream bool) []byte {
	b := c.NewBody(1024+5*req.EstimateTokens(), c.Extra(req, map[string]string{"stop": "stop_sequences"}, typedParameters(req)...))
	thinking := c.thinking(req)
	b.Key("model")
	b.String(c.Model)
	if b.Key("max_tokens") {
		b.Value(c.maxTokens(req, thinking))
	}
	b.Key("messages")
	messages(b, req, c.Provider)
	schema, guide := c.output(req)
	if system := strings.TrimSpace(req.System + guide); system != "" {
		b.Key("system")
		b.Raw(`[{"type":"text","text":`)
		b.String(system)
		b.Raw(ephemeral + `}]`)
	}
	tools(b, req)
	options(b, req, thinking)
	c.outputConfig(b, thinking, schema)
	if stream {
		b.Key("stream")
		b.Raw("true")
	}
	return b.End()
}

func typedParameters(req *providers.Request) []string {
	var names []string
	if req.Temperature != nil {
		names = append(names, "temperature")
	}
	if req.TopP != nil {
		names = append(names, "top_p")
	}
	if req.MaxOutput > 0 {
		names = append(names, "max_tokens")
	}
	if len(req.Stop) > 0 {
		names = append(names, "stop_sequences")
	}
	if req.Thinking != nil {
		names = append(names, "thinking")
	}
	if req.Thinking != nil || req.Output != nil {
		names = append(names, "output_config")
	}
	return names
}

// plan is how thinking is asked for: with a budget, or with an effort where the model divides its tokens itself.
type plan struct {
	budget int
	effort string
}

// thinking plans the request's thinking. With a tool that must be called there is none: the API refuses both at once.
func (c *client) thinking(req *providers.Request) plan {
	t := req.Thinking
	forced := req.ToolChoice != "" && req.ToolChoice != "auto" && req.ToolChoice != "none"
	switch {
	case t == nil || forced:
		return plan{}
	case t.Budget == 0 && adaptive(c.Model):
		return plan{effort: t.Effort}
	case t.Budget > 0:
		return plan{budget: max(t.Budget, minBudget)}
	case t.Effort == "low":
		return plan{budget: 2048}
	case t.Effort == "high":
		return plan{budget: 24576}
	}
	return plan{budget: 8192}
}

// fixedBudget are the models that know thinking with a budget only; later ones divide their tokens themselves.
var fixedBudget = [...]string{"claude-2", "claude-3", "-4-0", "-4-1", "-4-2025", "-4-5"}

func adaptive(model string) bool {
	for _, old := range fixedBudget {
		if strings.Contains(model, old) {
			return false
		}
	}
	return strings.Contains(model, "claude")
}

// formats tells whether the model can be held to a JSON Schema.
func formats(model string) bool {
	for _, old := range [...]string{"claude-2", "claude-3", "-4-0", "-4-2025"} {
		if strings.Contains(model, old) {
			return false
		}
	}
	return strings.Contains(model, "claude")
}

func (c *client) maxTokens(req *providers.Request, p plan) int {
	n := req.MaxOutput
	if n == 0 {
		n = c.Limits.MaxOutput
	}
	if n == 0 {
		n = defaultMaxOutput
	}
	if p.budget >= n { // the budget is part of it
		n += p.budget
	}
	return n
}

// output is the schema for the API, or, where it cannot be given one, a sentence for the system text.
func (c *client) output(req *providers.Request) (schema json.RawMessage, guide string) {
	if req.Output == nil {
		return nil, ""
	}
	if formats(c.Model) {
		if closed, ok := closedSchema(req.Output); ok {
			return closed, ""
		}
	}
	return nil, "\n\nAnswer with one JSON value that holds to this JSON Schema, and nothing else:\n" + string(req.Output)
}

func (c *client) outputConfig(b *wire.Body, p plan, schema json.RawMessage) {
	if p.effort == "" && schema == nil || !b.Key("output_config") {
		return
	}
	b.Raw("{")
	if p.effort != "" {
		b.Raw(`"effort":`)
		b.String(p.effort)
		if schema != nil {
			b.Raw(",")
		}
	}
	if schema != nil {
		b.Raw(`"format":{"type":"json_schema","schema":`)
		b.Bytes(schema)
		b.Raw("}")
	}
	b.Raw("}")
}

func options(b *wire.Body, req *providers.Request, p plan) {
	switch {
	case p.budget > 0 && b.Key("thinking"):
		b.Raw(`{"type":"enabled","budget_tokens":`)
		b.Value(p.budget)
		b.Raw("}")
	case p.effort != "" && b.Key("thinking"):
		b.Raw(`{"type":"adaptive"}`)
	}
	if req.Temperature != nil && p == (plan{}) && b.Key("temperature") { // thinking fixes it
		b.Value(*req.Temperature)
	}
	if req.TopP != nil && b.Key("top_p") {
		b.Value(*req.TopP)
	}
	if len(req.Stop) > 0 && b.Key("stop_sequences") {
		b.Value(req.Stop)
	}
}

func tools(b *wire.Body, req *providers.Request) {
	if len(req.Tools) == 0 || !b.Key("tools") {
		return
	}
	b.Raw("[")
	for i, t := range req.Tools {
		if i > 0 {
			b.Raw(",")
		}
		b.Raw(`{"name":`)
		b.String(t.Name)
		b.Raw(`,"description":`)
		b.String(t.Description)
		b.Raw(`,"input_schema":`)
		if len(t.Schema) == 0 {
			b.Raw(`{"type":"object"}`)
		} else {
			b.Bytes(t.Schema)
		}
		if i == len(req.Tools)-1 {
			b.Raw(ephemeral)
		}
		b.Raw("}")
	}
	b.Raw("]")
	if req.ToolChoice == "" || !b.Key("tool_choice") {
		return
	}
	switch req.ToolChoice {
	case "auto", "none":
		b.Raw(`{"type":`)
		b.String(req.ToolChoice)
		b.Raw("}")
	case "required":
		b.Raw(`{"type":"any"}`)
	default:
		b.Raw(`{"type":"tool","name":`)
		b.String(req.ToolChoice)
		b.Raw("}")
	}
}
