package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// server answers chat completions as both sides of a comparison need them: turns tool calls that read a file, then a text.
type server struct {
	url  string
	http *http.Server
}

// startServer listens on loopback. Each answer begins after latency; file is what the model asks to read.
func startServer(turns int, file string, latency time.Duration) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + l.Addr().String() + "/v1"}
	s.http = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		time.Sleep(latency)
		w.Header().Set("Content-Type", "text/event-stream")
		done := bytes.Count(body, []byte(`"role":"tool"`))
		if done >= turns {
			writeText(w)
			return
		}
		writeCall(w, done, file)
	})}
	go s.http.Serve(l) //nolint:errcheck // ends with ErrServerClosed
	return s, nil
}

func (s *server) close() { s.http.Close() }

const head = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,`

func writeText(w io.Writer) {
	fmt.Fprintf(w, "%s\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n", head)
	for range 8 {
		fmt.Fprintf(w, "%s\"delta\":{\"content\":\"word \"},\"finish_reason\":null}]}\n\n", head)
	}
	finish(w, "stop")
}

func writeCall(w io.Writer, n int, file string) {
	fmt.Fprintf(w, "%s\"delta\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"call_%d\",\"type\":\"function\","+
		"\"function\":{\"name\":\"Read\",\"arguments\":%s}}]},\"finish_reason\":null}]}\n\n", head, n, strconv.Quote(fmt.Sprintf(`{"file_path":%q,"offset":%d}`, file, n+1)))
	finish(w, "tool_calls")
}

func finish(w io.Writer, reason string) {
	fmt.Fprintf(w, "%s\"delta\":{},\"finish_reason\":%q}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":8,\"total_tokens\":18}}\n\ndata: [DONE]\n\n", head, reason)
}
