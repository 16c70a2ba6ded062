package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/internal/lazy"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
)

// Options of a Server; nil means the defaults.
type Options struct {
	Version string            // of the program; "" = dev
	Sink    func(event.Event) // hears of every run
	Caller  string            // an agent whose tools are offered as they are; "" = none. Without targets nothing else is
}

// Server is agents as tools. Make one with New; it is safe for concurrent use.
type Server struct {
	runner *runner.Runner
	mcp    *sdk.Server
	sink   func(event.Event)
	chosen []string // targets; empty = every agent that can be started
	caller string
	mu     sync.Mutex
	tools  map[string]offer // by name
	hands  map[*sdk.ServerSession]*runner.Hands
	runs   sync.WaitGroup
	quit   chan struct{} // closed when no call goes on
	once   sync.Once
}

// unclean is what the name of a tool cannot hold.
var unclean = lazy.MustCompile(`[^A-Za-z0-9_-]`)

// New makes a server of targets, or of every agent that can be started. A target that cannot gives a *diag.ListError or
// agents.ErrNoTarget.
func New(r *runner.Runner, g *agents.Graph, targets []string, o *Options) (*Server, error) {
	if o == nil {
		o = &Options{}
	}
	s := &Server{runner: r, sink: o.Sink, chosen: targets, caller: o.Caller, hands: map[*sdk.ServerSession]*runner.Hands{}, quit: make(chan struct{})}
	s.mcp = sdk.NewServer(&sdk.Implementation{Name: g.Name(), Version: cmp.Or(o.Version, "dev")}, &sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{}})
	if err := s.Follow(g); err != nil {
		return nil, err
	}
	return s, nil
}

// choose finds the agents. Without names those that cannot be started are left out.
func choose(g *agents.Graph, targets []string) ([]*agents.Agent, error) {
	var out []*agents.Agent
	if len(targets) == 0 {
		var last error
		for _, a := range g.Agents() {
			if _, err := g.Start(a.Name); err != nil {
				last = err
				continue
			}
			out = append(out, a)
		}
		if len(out) == 0 {
			if last == nil {
				last = fmt.Errorf("%w: the workspace has none", agents.ErrNoTarget)
			}
			return nil, last
		}
		return out, nil
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(targets))) {
		a, err := g.Start(name)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// toolName is what the tool of an agent is called: other characters than letters, digits, _ and - become _.
func toolName(agent string) string {
	name := unclean.Get().ReplaceAllString(agent, "_")
	if len(name) > agents.MaxToolName {
		return agents.ToolName("", agent)
	}
	return name
}

const promptSchema = `{"type":"object","properties":{"prompt":{"type":"string","description":"What the agent shall do. It knows nothing else of your conversation."}},"required":["prompt"],"additionalProperties":false}`

// add adds a tool, or puts it in the place of the one that it was.
func (s *Server) add(tool string, o offer) {
	t := &sdk.Tool{Name: tool, Description: o.description, InputSchema: json.RawMessage(o.input)}
	if o.output != "" {
		t.OutputSchema = json.RawMessage(o.output)
	}
	if o.readOnly {
		t.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: true}
	}
	s.mcp.AddTool(t, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, done := s.begin(ctx)
		defer done()
		if o.agent == "" {
			return s.callTool(ctx, r, tool), nil
		}
		return s.call(ctx, r, o.agent, o.output != ""), nil
	})
}

// isObject tells whether a schema is of an object, which alone can be structured content.
func isObject(schema json.RawMessage) bool {
	var s struct{ Type any }
	return len(schema) > 0 && json.Unmarshal(schema, &s) == nil && s.Type == "object"
}

// begin keeps the server from ending before a call has, and cancels the call where the server ends.
func (s *Server) begin(ctx context.Context) (context.Context, func()) {
	s.runs.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-s.quit:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		s.runs.Done()
	}
}

// call runs the agent.
func (s *Server) call(ctx context.Context, r *sdk.CallToolRequest, agent string, object bool) *sdk.CallToolResult {
	var in struct{ Prompt string }
	if json.Unmarshal(r.Params.Arguments, &in) != nil || in.Prompt == "" {
		return failure("the input needs a prompt, a text that is not empty")
	}
	p := newProgress(r)
	defer p.stop()
	res, _ := s.runner.Do(ctx, runner.Request{Target: agent, Input: in.Prompt}, &runner.RunOptions{Sink: func(e event.Event) {
		p.event(e)
		if s.sink != nil {
			s.sink(e)
		}
	}})
	if !res.OK {
		return failure(res.Kind + ": " + res.Message)
	}
	out := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: res.Text()}}}
	if object {
		out.StructuredContent = res.Output
	}
	return out
}

func failure(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// end cancels what still runs and waits for it.
func (s *Server) end() {
	s.stop()
	s.runs.Wait()
}

// stop cancels what still runs.
func (s *Server) stop() { s.once.Do(func() { close(s.quit) }) }
