package mcp

//lint:file-ignore SA1019 sampling is deprecated in the newest version of the protocol, and spoken by all older ones

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain makes the test binary a server of its own where RUDE says which one.
func TestMain(m *testing.M) {
	mode := os.Getenv("RUDE")
	switch {
	case mode == "":
		os.Exit(m.Run())
	case mode == "polite":
		polite()
	default:
		rude(mode)
	}
}

type text struct {
	Text string `json:"text"`
}

func said(format string, args ...any) (*sdk.CallToolResult, any, error) {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, args...)}}}, nil, nil
}

// newPolite is a server that does all that a server may.
func newPolite() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "polite", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Says it again."}, func(_ context.Context, _ *sdk.CallToolRequest, in text) (*sdk.CallToolResult, any, error) {
		return said("%s", in.Text)
	})
	sdk.AddTool(s, &sdk.Tool{Name: "pid"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return said("%d", os.Getpid())
	})
	sdk.AddTool(s, &sdk.Tool{Name: "env"}, func(_ context.Context, _ *sdk.CallToolRequest, in text) (*sdk.CallToolResult, any, error) {
		return said("%s", os.Getenv(in.Text))
	})
	sdk.AddTool(s, &sdk.Tool{Name: "slow"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: 1, Total: 2, Message: "half\x1b[31m"})
		}
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "cancelled")
		return said("stopped")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "parts"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "a \x1b[31mred\x1b[0m word"}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")},
			&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("wav")}, &sdk.ResourceLink{URI: "note://1", Name: "one"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "note://2", Text: "two"}},
		}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "structured"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, map[string]int, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{}}, map[string]int{"n": 1}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "die"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		fmt.Fprintln(os.Stderr, "going down")
		os.Exit(3)
		return nil, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "ask"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}, "sure": map[string]any{"type": "boolean"}}, "required": []string{"n"},
		}})
		if err != nil {
			return nil, nil, err
		}
		return said("%s %v", got.Action, got.Content)
	})
	sdk.AddTool(s, &sdk.Tool{Name: "think"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		got, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{SystemPrompt: "Be short.", MaxTokens: 10, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "hi"}}}})
		if err != nil {
			return nil, nil, err
		}
		return said("%s", got.Content.(*sdk.TextContent).Text)
	})
	sdk.AddTool(s, &sdk.Tool{Name: "grow"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		sdk.AddTool(s, &sdk.Tool{Name: "grown"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return said("new")
		})
		return said("ok")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "fork"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		c := exec.Command("sh", "-c", "trap '' TERM; sleep 60 & echo $$ $!; wait")
		out, err := c.StdoutPipe()
		if err != nil || c.Start() != nil {
			return nil, nil, err
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			return nil, nil, err
		}
		return said("%s", strings.TrimSpace(line))
	})
	s.AddResource(&sdk.Resource{URI: "note://1", Name: "one"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "note://1", Text: "content of one"}}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "greet", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["who"]}}}}, nil
	})
	return s
}

func polite() {
	if pids := os.Getenv("PIDS"); pids != "" {
		f, err := os.OpenFile(pids, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(f, os.Getpid())
			f.Close()
		}
	}
	if d, err := time.ParseDuration(os.Getenv("SLOW_START")); err == nil {
		time.Sleep(d)
	}
	_ = newPolite().Run(context.Background(), &sdk.StdioTransport{})
	os.Exit(0)
}

// rude speaks the protocol by hand, badly.
func rude(mode string) {
	switch mode {
	case "dead":
		fmt.Fprintln(os.Stderr, "no key set")
		os.Exit(1)
	case "silent":
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
		select {}
	case "noise":
		junk := strings.Repeat("not json ", 1000)
		for {
			if _, err := fmt.Println(junk); err != nil {
				os.Exit(1)
			}
		}
	case "banner":
		fmt.Print("Starting server…\n\x1b[32mReady!\x1b[0m\n\n")
		fmt.Println(strings.Repeat("x", 1<<20))
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue
		}
		switch r.Method {
		case "initialize":
			answer(r.ID, `{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"rude","version":"0"}}`)
		case "tools/list":
			answer(r.ID, rudeTools(mode))
		case "tools/call":
			if mode == "frame" {
				fmt.Println(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":{"content":[{"type":"text","text":"` + strings.Repeat("y", maxFrame+1<<20) + `"}]}}`)
				continue
			}
			if mode == "chatty" {
				for range 3_000 {
					fmt.Println(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call-1","progress":1}}`)
					fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				}
			}
			answer(r.ID, `{"content":[{"type":"text","text":"\u001b]0;owned\u0007ok"}]}`)
		default:
			fmt.Println(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32601,"message":"no"}}`)
		}
	}
	os.Exit(0)
}

func answer(id json.RawMessage, result string) {
	fmt.Println(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + strings.ReplaceAll(result, "\n", " ") + `}`)
}

func rudeTools(mode string) string {
	ok := `{"name":"ok","description":"\u001b[31mred\u001b[0m\u202ehidden","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}}`
	switch mode {
	case "schema":
		huge := ""
		for i := range 4000 {
			huge += fmt.Sprintf(`"x%d":{"type":"string"},`, i)
		}
		return `{"tools":[` + ok + `,{"name":"huge","inputSchema":{"type":"object","properties":{` + strings.TrimSuffix(huge, ",") + `}}},
			{"name":"invalid","inputSchema":{"type":"object","properties":{"a":{"type":"nonsense"}}}},{"name":"list","inputSchema":{"type":"array"}},
			{"name":"ref","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/x"}}}},{"name":"","inputSchema":{}}]}`
	case "told":
		text, err := os.ReadFile(os.Getenv("TOLD"))
		if err != nil {
			text = nil
		}
		return `{"tools":[{"name":"tell","description":"` + string(text) + `","inputSchema":{"type":"object"}},` + ok + `]}`
	case "twice":
		return `{"tools":[` + ok + `,{"name":"a","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}},
			{"name":"b c","inputSchema":{"type":"object"}},{"name":"b_c","inputSchema":{"type":"object"}}]}`
	case "endless":
		return `{"tools":[` + ok + `],"nextCursor":"more"}`
	case "many":
		var b strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&b, `,{"name":"t%d","inputSchema":{"type":"object"}}`, i)
		}
		return `{"tools":[` + ok + b.String() + `]}`
	}
	return `{"tools":[` + ok + `]}`
}
