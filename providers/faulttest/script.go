package faulttest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Script is what a server does, request by request.
type Script struct {
	steps   []step
	forever bool // the last step repeats
}

// action is what a step does.
type action int

const (
	actStatus   action = iota // an error status with a body in the provider's shape
	actHTML                   // a status with an HTML body
	actEmpty                  // 200 with no body
	actInBand                 // 200 with an error in place of the answer
	actOK                     // a correct answer
	actStall                  // silence, then the connection ends
	actTrickle                // headers, then blanks now and then
	actRefuse                 // no connection
	actAccept                 // a connection that closes before it reads
	actReset                  // a connection that is reset after the request was read
	actRedirect               // 307
	actStream                 // frames
)

type step struct {
	action          action
	status          int
	code, typ, text string
	header          http.Header
	late            bool // headers first, then the stall
	wait            time.Duration
	n               int
	frames          []frame
	end             ending
}

// dialled tells steps that happen before a request is read.
func (s step) dialled() bool { return s.action == actRefuse || s.action == actAccept }

type ending int

const (
	endFIN ending = iota // a proper end of the body
	endCUT               // the connection closes inside a chunk
	endRST               // the connection is reset
)

// frame is one piece of a streamed answer: its letter in the language and its arguments.
type frame struct {
	kind   string
	args   []string
	wait   time.Duration
	repeat []frame // of a group that goes on for ever
}

// forever is a wait that only the client or the end of the test ends.
const forever = time.Duration(1<<63 - 1)

// Parse reads a script: "[step, step, …]", step i answering request i; a * after the last one repeats it.
//
//	503  503{Retry-After=12}  429(code,type,"message")   an error in the provider's shape, with headers; the codes
//	                                                     overflow, orphan, quota and content_filter stand for the
//	                                                     provider's own wording
//	502html  200html  200empty  200err(code)             an HTML body, no body, an error in a 200 answer
//	ok  ok"text"                                         a correct answer, whole or streamed as the request asks
//	stall(d)  hdr+stall(d)  trickle(n,d)                 silence for d, after the headers; n blanks every d
//	refuse  acceptclose  RST  redirect(url)              port closed; closed before reading; reset after; 307
//	sse[frame frame …]FIN                                a stream; it ends properly, with CUT inside a chunk, or by RST
//
// Frames are t"text", r"thought", m (metadata only), k (comment), p (ping), e(type,"message") (an error in the stream),
// c(index,id,name,'arguments') (a fragment of a tool call), u(in,out) (usage), f or f(reason) (finish), D (terminal
// marker), bad (malformed JSON), big(n) (one event of n bytes of text), w(d) (a pause) and (frame …)* (for ever).
// A duration d is as in Go, a number of seconds, or ∞. Header values may be quoted, headers may repeat.
func Parse(script string) (Script, error) {
	p := &parser{rest: script}
	s := p.script()
	if p.err != nil {
		return Script{}, fmt.Errorf("script %s: %w", script, p.err)
	}
	return s, nil
}

// at is the step that answers the nth request, counted from 0.
func (s Script) at(n int) (step, bool) {
	switch {
	case n < len(s.steps):
		return s.steps[n], true
	case s.forever:
		return s.steps[len(s.steps)-1], true
	}
	return step{}, false
}

// parser takes a script apart from the left; after its first error it consumes nothing.
type parser struct {
	rest string
	err  error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format+" at %q", append(args, p.rest)...)
	}
}

// take consumes a literal after blanks, if it is next.
func (p *parser) take(literal string) bool {
	if p.err != nil {
		return false
	}
	rest := strings.TrimLeft(p.rest, " \n\t")
	if !strings.HasPrefix(rest, literal) {
		return false
	}
	p.rest = rest[len(literal):]
	return true
}

func (p *parser) want(literal string) {
	if !p.take(literal) {
		p.fail("want %q", literal)
	}
}

// word consumes the characters up to one of the language's own.
func (p *parser) word() string {
	p.rest = strings.TrimLeft(p.rest, " \n\t")
	end := strings.IndexAny(p.rest, " \n\t,()[]{}\"'*=")
	if end < 0 {
		end = len(p.rest)
	}
	w := p.rest[:end]
	p.rest = p.rest[end:]
	return w
}

// value is a quoted text or everything up to one of the stops.
func (p *parser) value(stops string) string {
	p.rest = strings.TrimLeft(p.rest, " \n\t")
	if p.rest != "" && (p.rest[0] == '\'' || p.rest[0] == '"') {
		return p.quoted()
	}
	end := strings.IndexAny(p.rest, stops)
	if end < 0 {
		p.fail("want one of %q", stops)
		return ""
	}
	v := strings.TrimSpace(p.rest[:end])
	p.rest = p.rest[end:]
	return v
}

// quoted reads 'as it is' or "with Go's escapes".
func (p *parser) quoted() string {
	if strings.HasPrefix(p.rest, "'") {
		v, rest, ok := strings.Cut(p.rest[1:], "'")
		if !ok {
			p.fail("the quote is open")
		}
		p.rest = rest
		return v
	}
	prefix, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		p.fail("the quote is open")
		return ""
	}
	p.rest = p.rest[len(prefix):]
	v, err := strconv.Unquote(prefix)
	if err != nil {
		p.fail("%v", err)
	}
	return v
}

// args reads "(a, b, …)" if it is next.
func (p *parser) args() []string {
	if !p.take("(") {
		return nil
	}
	var args []string
	for p.err == nil {
		args = append(args, p.value(",)"))
		if p.take(")") {
			break
		}
		p.want(",")
	}
	return args
}

func (p *parser) duration(s string) time.Duration {
	if s == "∞" {
		return forever
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return time.Duration(n * float64(time.Second))
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		p.fail("%q is no duration", s)
	}
	return d
}

func (p *parser) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		p.fail("%q is no number", s)
	}
	return n
}
