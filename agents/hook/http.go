package hook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// maxReply is how much of an answer is read, in bytes.
const maxReply = 1 << 20

// HTTP is a hook that is an address: the event is posted, the answer is JSON. A status code alone never blocks.
type HTTP struct {
	URL        string
	Headers    map[string]string // $NAME and ${NAME} stand for a variable that AllowedEnv names, others for nothing
	AllowedEnv []string
	Lookup     func(name string) (string, bool)
	Transport  http.RoundTripper // nil = http.DefaultTransport
}

func (*HTTP) kind() string { return "http" }

// Run posts the event. A redirect is no answer: what headers hold goes to the address that was written.
func (h *HTTP) Run(ctx context.Context, in *Input, _ Host) (Result, error) {
	body, err := in.JSON()
	if err != nil {
		return Result{}, err
	}
	r, err := h.post(ctx, in, body)
	r.Stdin = body
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return r, err
}

func (h *HTTP) post(ctx context.Context, in *Input, body []byte) (Result, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return Result{}, &Failure{"http", "the address cannot be used"}
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range h.Headers {
		req.Header.Set(k, h.expand(v))
	}
	client := &http.Client{Transport: h.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return Result{}, &Failure{"http", "nobody answers: " + unaddressed(err)}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil:
		return Result{}, &Failure{"http", "the answer broke off: " + unaddressed(err)}
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return Result{Stdout: string(text)}, &Failure{"http", fmt.Sprintf("the answer has the status %d", resp.StatusCode)}
	case len(text) > maxReply:
		return Result{}, &Failure{"http", fmt.Sprintf("the answer is longer than %d KiB", maxReply>>10)}
	case spoken(string(text)) == "":
		return Result{}, nil
	case !isObject(string(text)):
		return Result{Stdout: string(text)}, badJSON(string(text), "the answer is no JSON object")
	}
	r, err := read(in, string(text))
	r.Stdout = string(text)
	return r, err
}

// unaddressed is the reason of an error without the address, which may hold a secret.
func unaddressed(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, `": `); i >= 0 {
		text = text[i+3:]
	}
	return text
}

// variable is $NAME or ${NAME}.
var variable = lazy.MustCompile(`\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)

func (h *HTTP) expand(text string) string {
	return variable.Get().ReplaceAllStringFunc(text, func(m string) string {
		name := strings.Trim(m, "${}")
		if h.Lookup == nil || !slices.Contains(h.AllowedEnv, name) {
			return ""
		}
		v, _ := h.Lookup(name)
		return v
	})
}
