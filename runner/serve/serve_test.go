package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/mcp"
)

// newServer serves agents: one that answers, one whose tool never ends by itself and says on told that it has begun and that it
// was stopped, one that fails.
func newServer(t *testing.T, told chan<- string, targets ...string) (*Server, error) {
	t.Helper()
	hang := tools.Func("hang", "Hangs.", func(ctx context.Context, _ struct{}) (string, error) {
		told <- "begun"
		<-ctx.Done()
		told <- "stopped"
		return "", ctx.Err()
	})
	model, err := script.New("script/all", []script.Rule{
		{When: []script.When{{Agent: "hangs", Turn: "1"}}, Reply: script.Reply{ToolCalls: []script.Call{{Name: "hang", Input: []byte(`{}`)}}}},
		{When: []script.When{{Agent: "shaped"}}, Reply: script.Reply{Text: `{"n": 3}`}},
		{When: []script.When{{Agent: "an swers"}}, Reply: script.Reply{Text: "You said: {{ .Prompt }}"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	agent := func(name string) *agents.Agent {
		return &agents.Agent{Name: name, Description: "It " + name, Model: model, Tools: []tools.Toolset{tools.Fixed(hang)}, Rules: tools.Rules{All: true}}
	}
	shaped := agent("shaped")
	shaped.Output = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	g, err := agents.New(agents.Spec{Name: "ws", Root: t.TempDir(), Agents: []*agents.Agent{agent("an swers"), agent("hangs"), agent("fails"), shaped, {Name: "lost"}}})
	if err != nil {
		t.Fatal(err)
	}
	return New(runner.New(agents.Static(g), nil), g, targets, nil)
}

// wire is a client and the server on two pipes.
func wire(t *testing.T, s *Server, o *sdk.ClientOptions) (*sdk.ClientSession, io.Closer) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- s.Stdio(ctx, inR, outW) }()
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, o).Connect(t.Context(), &sdk.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		inW.Close()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Error("the server does not end when its client goes")
		}
		cancel()
		outR.Close()
	})
	return cs, inW
}

func TestStdio(t *testing.T) {
	told := make(chan string, 4)
	s, err := newServer(t, told)
	if err != nil {
		t.Fatal(err)
	}
	notes := make(chan string, 64)
	cs, _ := wire(t, s, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { notes <- r.Params.Message }})
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if got := fmt.Sprint(names); got != "[an_swers fails hangs shaped]" { // lost has no model
		t.Errorf("tools %s", got)
	}
	call := func(ctx context.Context, tool, input string) (*sdk.CallToolResult, error) {
		p := &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(input)}
		p.SetProgressToken("p")
		return cs.CallTool(ctx, p)
	}
	for _, tt := range []struct {
		tool, input, want string
		fails             bool
	}{
		{"an_swers", `{"prompt":"hi"}`, "You said: hi", false},
		{"an_swers", `{"prompt":""}`, "needs a prompt", true},
		{"fails", `{"prompt":"hi"}`, "invalid_request", true},
		{"shaped", `{"prompt":"hi"}`, `"n"`, false},
	} {
		r, err := call(t.Context(), tt.tool, tt.input)
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Content[0].(*sdk.TextContent).Text; !strings.Contains(text, tt.want) || r.IsError != tt.fails {
			t.Errorf("%s: %q", tt.tool, text)
		}
		if tt.tool == "shaped" && fmt.Sprint(r.StructuredContent) != "map[n:3]" {
			t.Errorf("structured: %v", r.StructuredContent)
		}
	}
	if n := <-notes; !strings.Contains(n, "begins") {
		t.Errorf("progress: %q", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-told
		cancel()
	}()
	if _, err := call(ctx, "hangs", `{"prompt":"x"}`); err == nil {
		t.Error("the cancelled call has an answer")
	}
	select {
	case <-told:
	case <-time.After(5 * time.Second):
		t.Error("the run goes on after its call was cancelled")
	}
}

// TestClientGone: a run ends with the client that asked for it.
func TestClientGone(t *testing.T) {
	told := make(chan string, 4)
	s, err := newServer(t, told, "hangs")
	if err != nil {
		t.Fatal(err)
	}
	cs, in := wire(t, s, nil)
	go func() {
		_, _ = cs.CallTool(context.Background(), &sdk.CallToolParams{Name: "hangs", Arguments: map[string]any{"prompt": "x"}}) // ends with the connection
	}()
	<-told
	in.Close()
	select {
	case <-told:
	case <-time.After(5 * time.Second):
		t.Error("the run goes on")
	}
}

func TestTargets(t *testing.T) {
	for _, bad := range []string{"nobody", "lost"} {
		if _, err := newServer(t, nil, bad); err == nil {
			t.Errorf("%s is served", bad)
		}
	}
}

// TestHTTP: our client against our server, and who is turned away.
func TestHTTP(t *testing.T) {
	s, err := newServer(t, make(chan string, 4))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.HTTP(ctx, l, nil) }()
	address := "http://" + l.Addr().String() + Path
	var hub mcp.Hub
	server := mcp.Server{Name: "ws", URL: address, Required: true}
	c := hub.Client(server, mcp.Options{}, t.TempDir())
	ts, release, err := mcp.NewSet([]mcp.Use{{Client: c, Server: server}}, nil).Open(t.Context(), tools.Roots{})
	if err != nil {
		t.Fatal(err)
	}
	if len(ts) != 4 || ts[0].Spec().Name != "mcp__ws__an_swers" {
		t.Fatalf("tools: %v", ts)
	}
	r, err := ts[0].Call(t.Context(), &tools.Call{Input: json.RawMessage(`{"prompt":"hello"}`)})
	if err != nil || r.Content != "You said: hello" {
		t.Errorf("%+v %v", r, err)
	}
	release()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct{ name, host, origin, path string }{
		{"another name", "evil.example", "", Path},
		{"a page of another origin", "", "https://evil.example", Path},
		{"another path", "", "", "/"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+l.Addr().String()+tt.path, strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if tt.host != "" {
			req.Host = tt.host
		}
		if tt.origin != "" {
			req.Header.Set("Origin", tt.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: HTTP %d", tt.name, resp.StatusCode)
		}
	}
	cancel()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Error("the server does not end")
	}
}

// outside is a listener that other machines reach, by its own word.
type outside struct{ net.Listener }

func (outside) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8808} }

// TestDoor: beyond this machine requests need the token and the name of the address.
func TestDoor(t *testing.T) {
	s, err := newServer(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.HTTP(t.Context(), outside{l}, nil); !errors.Is(err, ErrOpen) {
		t.Fatalf("without a token: %v", err)
	}
	if s, err = newServer(t, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.HTTP(ctx, outside{l}, &Door{Token: "s3cret", Host: "agents.example"}) }()
	for _, tt := range []struct {
		host, auth string
		want       int
	}{
		{"192.0.2.7:8808", "Bearer s3cret", http.StatusOK},
		{"agents.example:8808", "Bearer s3cret", http.StatusOK},
		{"AGENTS.example", "Bearer s3cret", http.StatusOK},
		{"evil.example:8808", "Bearer s3cret", http.StatusForbidden},
		{"192.0.2.7:8808", "", http.StatusUnauthorized},
		{"192.0.2.7:8808", "Bearer s3cre", http.StatusUnauthorized},
		{"192.0.2.7:8808", "s3cret", http.StatusUnauthorized},
		{"localhost:8808", "Bearer other", http.StatusUnauthorized},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+l.Addr().String()+Path, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", tt.auth)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s %q: HTTP %d, want %d", tt.host, tt.auth, resp.StatusCode, tt.want)
		}
	}
	cancel()
	<-done
}

// counting tells how often it was called, and whether without a model.
type counting struct{}

func (counting) Spec() tools.Spec {
	return tools.NewSpec("count", "Counts its calls.", json.RawMessage(`{"type":"object"}`), true)
}

func (counting) Call(_ context.Context, c *tools.Call) (tools.Result, error) {
	n := tools.Of[atomic.Int32](c.State).Add(1)
	return tools.Result{Content: fmt.Sprint(n, c.Model == nil), Blobs: []tools.Blob{{MediaType: "image/png", Data: []byte("x")}}}, nil
}

// TestTools: tools as they are keep what one client did apart from another one's, and end with their call.
func TestTools(t *testing.T) {
	told := make(chan string, 4)
	model, err := script.New("script/m", []script.Rule{{Reply: script.Reply{Text: "hi"}}})
	if err != nil {
		t.Fatal(err)
	}
	caller := &agents.Agent{Name: "caller", Rules: tools.Rules{All: true}, Tools: []tools.Toolset{tools.Fixed(
		counting{},
		tools.Func("hang", "Hangs.", func(ctx context.Context, _ struct{}) (string, error) {
			told <- "begun"
			<-ctx.Done()
			told <- "stopped"
			return "", ctx.Err()
		}),
	)}}
	g, err := agents.New(agents.Spec{Name: "ws", Root: t.TempDir(), Agents: []*agents.Agent{caller, {Name: "answers", Model: model}, {Name: "count", Model: model}}})
	if err != nil {
		t.Fatal(err)
	}
	r := runner.New(agents.Static(g), nil)
	s, err := New(r, g, nil, &Options{Caller: "caller"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(r, g, []string{"answers"}, &Options{Caller: "caller"}); err != nil {
		t.Errorf("beside an agent: %v", err)
	}
	if _, err := New(r, g, []string{"count"}, &Options{Caller: "caller"}); err == nil || !strings.Contains(err.Error(), "same name") {
		t.Errorf("an agent and a tool of one name: %v", err)
	}
	one, _ := wire(t, s, nil)
	for _, want := range []string{"1 true", "2 true"} {
		res, err := one.CallTool(t.Context(), &sdk.CallToolParams{Name: "count"})
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Content[0].(*sdk.TextContent).Text; got != want || string(res.Content[1].(*sdk.ImageContent).Data) != "x" {
			t.Errorf("got %q, want %q: %v", got, want, res.Content)
		}
	}
	var all sync.WaitGroup
	h := r.Hands("caller", nil)
	for range 20 {
		all.Go(func() {
			if res, err := h.Call(t.Context(), "count", json.RawMessage(`{}`)); err != nil || res.IsError {
				t.Errorf("side by side: %+v %v", res, err)
			}
		})
	}
	all.Wait()
	if res, err := h.Call(t.Context(), "count", json.RawMessage(`{}`)); err != nil || res.Content != "21 true" {
		t.Errorf("another client counts %q, %v", res.Content, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-told
		cancel()
	}()
	if _, err := one.CallTool(ctx, &sdk.CallToolParams{Name: "hang"}); err == nil {
		t.Error("the cancelled call has a result")
	}
	select {
	case <-told:
	case <-time.After(5 * time.Second):
		t.Error("the tool goes on after its call was cancelled")
	}
	if _, err := r.Hands("nobody", nil).Call(t.Context(), "count", nil); !errors.Is(err, agents.ErrNoTarget) {
		t.Errorf("hands of nobody: %v", err)
	}
}
