package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

const (
	errorBodyTime = 2 * time.Second       // for reading an error body: its status counts anyway
	drainTime     = 20 * time.Millisecond // for the rest of a complete answer, so that its connection can be used again
)

// Tap is the transport of a family client and the only judge of what was sent and received: it takes the attempt's unit,
// puts the body and the credential in, never follows a redirect, never lets net/http send again, and decodes the answer.
type Tap struct {
	base   http.RoundTripper
	bodies buffers // of requests
	events buffers // of streams
}

// NewTap taps base; nil means a transport of its own.
func NewTap(base http.RoundTripper) *Tap {
	if base == nil {
		base = providers.NewTransport()
	}
	return &Tap{base: base}
}

// Send makes the exchange: frame is a request without its content, which stays as it is. Every error that Send returns was
// recorded in x before.
func (t *Tap) Send(ctx context.Context, x *Exchange, frame *http.Request) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := x.request(t.reusing(ctx, x.Body), frame)
	if err := x.Attempt.Send(); err != nil {
		var e *providers.Error
		if errors.As(err, &e) {
			return x.fail(e)
		}
		return err
	}
	resp, err := t.base.RoundTrip(out) // not through an http.Client, which would follow a redirect
	if err != nil {
		return x.fail(Connection(err))
	}
	defer resp.Body.Close()
	return x.receive(ctx, cancel, resp, &t.events)
}

// reusing takes a body back as soon as it is written: a history would else be kept while the model thinks, for each agent that
// waits.
func (t *Tap) reusing(ctx context.Context, body []byte) context.Context {
	var once sync.Once
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		if i.Err == nil {
			once.Do(func() { t.bodies.put(body) })
		}
	}})
}

// request is what is sent: our body, no way for net/http to send it twice, the headers of this candidate only.
func (x *Exchange) request(ctx context.Context, frame *http.Request) *http.Request {
	out := frame.WithContext(ctx)
	out.Header = frame.Header.Clone()
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(x.Body)), int64(len(x.Body))
	out.GetBody = nil
	if x.Header != nil {
		x.Header(out.Header)
	}
	out.Header.Del("Idempotency-Key")
	out.Header.Del("X-Idempotency-Key")
	if x.Stream {
		out.Header.Set("Accept", "text/event-stream")
	}
	return out
}

func (x *Exchange) receive(ctx context.Context, cancel func(), resp *http.Response, events *buffers) error {
	if resp.StatusCode != http.StatusOK {
		return x.fail(x.refusal(cancel, resp))
	}
	form, head := x.form(resp)
	var e *providers.Error
	switch form {
	case formHTML, formEmpty:
		e = &providers.Error{Kind: providers.KindServer, Status: resp.StatusCode, Code: "unusable_answer"}
	case formStream:
		e = x.stream(ctx, resp, head, events)
	default:
		e = x.unary(resp, head)
	}
	if e != nil {
		return x.fail(e)
	}
	x.mu.Lock()
	x.done = true
	x.mu.Unlock()
	guard := time.AfterFunc(drainTime, cancel)
	defer guard.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, MaxErrorBody)
	return nil
}

// refusal classifies an answer other than 200. A body that stalls or breaks off does not hide the status.
func (x *Exchange) refusal(cancel func(), resp *http.Response) *providers.Error {
	guard := time.AfterFunc(errorBodyTime, cancel)
	defer guard.Stop()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, MaxErrorBody))
	if resp.StatusCode < 300 {
		return &providers.Error{Kind: providers.KindServer, Status: resp.StatusCode, Code: "unusable_answer"}
	}
	return Classify(x.Provider, resp.StatusCode, resp.Header, body, time.Now())
}

// form is how an answer is framed.
type form int

const (
	formUnary form = iota
	formStream
	formHTML
	formEmpty
)

// form looks at the content type and, where that says nothing, at the first bytes, which it returns.
func (x *Exchange) form(resp *http.Response) (form, []byte) {
	kind := strings.ToLower(resp.Header.Get("Content-Type"))
	switch {
	case strings.Contains(kind, "text/html"):
		return formHTML, nil
	case !x.Stream || strings.Contains(kind, "json") && !strings.Contains(kind, "ndjson"):
		return formUnary, nil
	case strings.Contains(kind, "event-stream"):
		return formStream, nil
	}
	head := make([]byte, 512)
	n, _ := io.ReadFull(resp.Body, head[:1])
	switch rest := bytes.TrimSpace(head[:n]); {
	case n == 0:
		return formEmpty, nil
	case len(rest) > 0 && rest[0] == '<':
		return formHTML, nil
	case len(rest) > 0 && (rest[0] == '{' || rest[0] == '['):
		return formUnary, head[:n]
	}
	return formStream, head[:n]
}

// unary reads a whole answer. It counts only when it is complete and parsed.
func (x *Exchange) unary(resp *http.Response, head []byte) *providers.Error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody+1-int64(len(head))))
	if len(head) > 0 {
		body = append(head, body...)
	}
	switch {
	case err != nil:
		return Connection(err)
	case len(body) > MaxBody:
		return Contract("answer_too_long")
	}
	return x.failure(x.Decoder.Body(body), resp.Header)
}

// failure turns a decoder's error into a verdict.
func (x *Exchange) failure(err error, h http.Header) *providers.Error {
	var inBand *InBandError
	var e *providers.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &inBand):
		return InBand(x.Provider, inBand.Raw, h, time.Now())
	case errors.As(err, &e):
		return e
	}
	return &providers.Error{Kind: providers.KindServer, Status: http.StatusOK, Code: "unusable_answer"}
}
