package openai_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/openai"
)

// long is a streamed answer of n chunks.
func long(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word %d \"},\"finish_reason\":null}]}\n\n", i)
	}
	b.WriteString("data: " + end("stop") + "\n\ndata: " + usageChunk + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

func benchServer(b *testing.B, answer []byte) string {
	b.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(answer)
	}))
	b.Cleanup(srv.Close)
	return srv.URL
}

// BenchmarkStream10k is the one-shot client; its measure is BenchmarkBare10k, which reads the same stream with net/http, a
// line scanner and encoding/json. The client may take twice as long.
func BenchmarkStream10k(b *testing.B) {
	m, err := openai.New(providers.Candidate{Provider: "mine", Model: "m1", BaseURL: benchServer(b, long(10_000))})
	if err != nil {
		b.Fatal(err)
	}
	req := &providers.Request{Messages: []providers.Message{providers.UserText("hi")}}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if _, err := m.Generate(b.Context(), req, func(d providers.Delta) error { n += len(d.Text); return nil }); err != nil || n == 0 {
			b.Fatal(err)
		}
	}
}

func BenchmarkBare10k(b *testing.B) {
	url := benchServer(b, long(10_000))
	b.ReportAllocs()
	for b.Loop() {
		resp, err := http.Post(url, "application/json", strings.NewReader(`{"model":"m1"}`))
		if err != nil {
			b.Fatal(err)
		}
		var text strings.Builder
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok || data == "[DONE]" {
				continue
			}
			var chunk struct {
				Choices []struct {
					Delta        struct{ Content string }
					FinishReason string `json:"finish_reason"`
				}
				Usage *struct {
					Prompt int `json:"prompt_tokens"`
				}
			}
			if err := json.Unmarshal([]byte(data), &chunk); err != nil {
				b.Fatal(err)
			}
			if len(chunk.Choices) > 0 {
				text.WriteString(chunk.Choices[0].Delta.Content)
			}
		}
		_ = resp.Body.Close()
		if text.Len() == 0 {
			b.Fatal("no text")
		}
	}
}

// direct answers without a network, so that what the layers themselves cost can be seen.
type direct struct{ answer []byte }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(d.answer)), Request: r}, nil
}

// BenchmarkOneShot and BenchmarkChain differ by what Retry, Fallback and Scope cost on success: at most 50 µs and 60
// allocations.
func BenchmarkOneShot(b *testing.B) {
	benchCall(b, func(m providers.Model) providers.Model { return m })
}

func BenchmarkChain(b *testing.B) {
	benchCall(b, func(m providers.Model) providers.Model {
		return providers.Fallback(providers.DefaultPolicy(), providers.Retry(m, providers.DefaultPolicy()), m)
	})
}

func benchCall(b *testing.B, wrap func(providers.Model) providers.Model) {
	b.Helper()
	m, err := openai.New(providers.Candidate{Provider: "mine", Model: "m1", BaseURL: "http://x/v1", Transport: direct{long(3)}})
	if err != nil {
		b.Fatal(err)
	}
	m = wrap(m)
	ctx := providers.WithSink(b.Context(), func(providers.Event) {})
	req := &providers.Request{Messages: []providers.Message{providers.UserText("hi")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Generate(ctx, req, func(providers.Delta) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHistory is a request of 100 turns with a kilobyte each.
func BenchmarkHistory(b *testing.B) {
	m, err := openai.New(providers.Candidate{Provider: "mine", Model: "m1", BaseURL: "http://x/v1", Transport: direct{long(1)}})
	if err != nil {
		b.Fatal(err)
	}
	req := &providers.Request{Messages: []providers.Message{providers.UserText("hi")}}
	for range 100 {
		req.Messages = append(req.Messages,
			providers.Message{Role: providers.Assistant, Parts: []providers.Part{call("c", "Read", `{"file_path":"a.go"}`)}},
			providers.Message{Role: providers.Tool, Parts: []providers.Part{providers.ToolResult{CallID: "c", Name: "Read", Content: strings.Repeat("some line of text\n", 57)}}})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Generate(b.Context(), req, nil); err == nil || providers.KindOf(err) != providers.KindServer {
			b.Fatal(err)
		}
	}
}
