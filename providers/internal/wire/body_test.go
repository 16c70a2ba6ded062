package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
)

func TestBody(t *testing.T) {
	b := (&Client{Tap: NewTap(nil)}).NewBody(0, map[string]json.RawMessage{"mine": json.RawMessage(`1`), "a": json.RawMessage(`[2]`)})
	if !b.Key("text") {
		t.Fatal("text is free")
	}
	b.String("x\n" + strings.Repeat("é", 9) + "\x01")
	if b.Key("mine") {
		t.Fatal("mine is replaced")
	}
	b.Key("blob")
	b.Base64("data:image/png;base64,", []byte("img"))
	b.Key("list")
	b.Value([]string{"<&>"})
	const want = `{"text":"x\néééééééééSOH","blob":"data:image/png;base64,aW1n","list":["\u003c\u0026\u003e"],"a":[2],"mine":1}`
	if diff := cmp.Diff(strings.Replace(want, "SOH", `\u0001`, 1), string(b.End())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBodiesStayWhole has many exchanges use the same buffers, against a server that reads some of them late and answers
// others without reading: what it reads of each must be that exchange's own.
func TestBodiesStayWhole(t *testing.T) {
	var n, read atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%4 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var body struct{ Text string }
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return // the exchange was given up
		}
		if err := json.Unmarshal(raw, &body); err != nil || strings.Trim(body.Text, body.Text[:1]) != "" {
			t.Errorf("a body of several: %v, %.60q", err, raw)
		}
		read.Add(1)
		_, _ = io.WriteString(w, "data: a\n\ndata: end\n\n")
	}))
	defer srv.Close()
	tr := providers.NewTransport()
	defer tr.CloseIdleConnections()
	c := &Client{Tap: NewTap(tr)}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			for size := range 20 {
				ctx, a, end, err := providers.Join(t.Context(), providers.Identity{})
				if err != nil {
					t.Error(err)
					return
				}
				b := c.NewBody(10, nil)
				b.Key("text")
				b.String(strings.Repeat(fmt.Sprint(i%10), 1+size*5_000))
				x := &Exchange{Attempt: a, Stream: true, Body: b.End(), Decoder: &lines{}}
				_, _ = Run(ctx, x, ignore, func(ctx context.Context) error { return posts(c.Tap, x)(ctx, srv.URL) })
				end()
			}
		})
	}
	all.Wait()
	if read.Load() < 400 {
		t.Errorf("the server read %d bodies of 800", read.Load())
	}
}
