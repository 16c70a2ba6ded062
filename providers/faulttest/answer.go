package faulttest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answering is one answer on its way out.
type answering struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	seen   *Request
	step   step
	stream bool // the request asked for a stream
}

func (a *answering) play() {
	for key, values := range a.step.header {
		a.w.Header()[http.CanonicalHeaderKey(key)] = values
	}
	switch a.step.action {
	case actStatus, actInBand:
		a.write("application/json", a.framing.failure(a.step.status, a.step.code, a.step.typ, a.step.text, a.echo()).String())
	case actHTML:
		a.write("text/html; charset=utf-8", "<html><body><h1>HTML-CANARY</h1>"+a.echo()+"</body></html>")
	case actEmpty:
		a.write("application/json", "")
	case actRedirect:
		a.w.Header().Set("Location", a.step.text)
		a.w.WriteHeader(http.StatusTemporaryRedirect)
	case actOK:
		a.frames(terminal(a.step.text))
	case actStream:
		a.frames(a.step.frames)
	case actTrickle:
		a.trickle()
	case actStall:
		if a.step.late {
			a.begin()
		}
		a.sleep(a.step.wait)
		a.cut(endFIN)
	case actReset:
		a.cut(endRST)
	default: // refuse and acceptclose on a connection that was kept alive
		a.cut(endCUT)
	}
}

func (a *answering) write(contentType, body string) {
	a.w.Header().Set("Content-Type", contentType)
	a.w.WriteHeader(a.step.status)
	_, _ = a.w.Write([]byte(body))
}

// echo is what a careless provider says back of a request.
func (a *answering) echo() string {
	var b strings.Builder
	for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key"} {
		if v := a.r.Header.Get(name); v != "" {
			fmt.Fprintf(&b, " (%s: %s)", name, v)
		}
	}
	if strings.Contains(string(a.seen.Body), PromptCanary) {
		b.WriteString(" " + PromptCanary)
	}
	return b.String()
}

// sleep waits in the answer; it is false when the client left or the test ended.
func (a *answering) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-a.r.Context().Done():
	case <-a.done:
	}
	return false
}

func (a *answering) begin() {
	if a.stream {
		a.w.Header().Set("Content-Type", "text/event-stream")
	} else {
		a.w.Header().Set("Content-Type", "application/json")
	}
	a.w.WriteHeader(http.StatusOK)
	a.flush()
}

func (a *answering) flush() { _ = http.NewResponseController(a.w).Flush() }

func (a *answering) trickle() {
	a.begin()
	for a.sleep(a.step.wait) {
		if _, err := a.w.Write([]byte(strings.Repeat("\n", a.step.n))); err != nil {
			return
		}
		a.flush()
	}
}

// frames sends a stream frame by frame, or what it adds up to where no stream was asked for.
func (a *answering) frames(fs []frame) {
	if !a.stream {
		a.unary(fs)
		return
	}
	a.begin()
	enc := a.framing.encoder()
	if !a.send(enc, fs) {
		return
	}
	if a.step.end != endFIN {
		a.cut(a.step.end)
	}
}

func (a *answering) send(enc encoder, fs []frame) bool {
	for _, f := range fs {
		for f.repeat != nil {
			if !a.send(enc, f.repeat) {
				return false
			}
		}
		if f.kind == "w" {
			if !a.sleep(f.wait) {
				return false
			}
			continue
		}
		if f.kind == "e" {
			f.args = []string{f.args[0], f.args[1] + a.echo()}
		}
		if _, err := a.w.Write([]byte(enc.encode(f))); err != nil {
			return false
		}
		a.flush()
		if f.kind == "D" {
			a.note(func() { a.seen.Complete = true })
		}
	}
	return true
}

// unary sends half of the body before each pause and before a cut, the rest after it.
func (a *answering) unary(fs []frame) {
	var sum answer
	var pauses []time.Duration
	broken := false
	for _, f := range fs {
		switch f.kind {
		case "w":
			pauses = append(pauses, f.wait)
		case "bad":
			broken = true
		case "":
			pauses = append(pauses, forever)
		default:
			sum.add(f)
		}
	}
	body := a.framing.body(&sum).String()
	if sum.fault != nil {
		body = a.framing.failure(http.StatusOK, sum.fault.args[0], sum.fault.args[0], sum.fault.args[1], a.echo()).String()
	}
	if broken {
		body = body[:len(body)/2]
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	a.w.WriteHeader(http.StatusOK)
	half := len(body) / 2
	_, _ = a.w.Write([]byte(body[:half]))
	a.flush()
	for _, d := range pauses {
		if !a.sleep(d) {
			return
		}
	}
	if a.step.end != endFIN {
		a.cut(a.step.end)
		return
	}
	_, err := a.w.Write([]byte(body[half:]))
	a.note(func() { a.seen.Complete = err == nil && sum.finish != "" && !broken && sum.fault == nil })
}

// cut ends the connection under the answer.
func (a *answering) cut(end ending) {
	c, _, err := http.NewResponseController(a.w).Hijack()
	if err != nil {
		a.t.Errorf("the connection cannot be cut: %v", err)
		return
	}
	if end == endCUT && a.stream && a.step.action == actStream {
		_, _ = c.Write([]byte("40\r\nnot a whole chunk"))
	}
	if end == endRST {
		reset(c)
		return
	}
	_ = c.Close()
}
