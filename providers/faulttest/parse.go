package faulttest

import (
	"net/http"
	"strconv"
	"strings"
)

func (p *parser) script() Script {
	var s Script
	p.want("[")
	for p.err == nil {
		s.steps = append(s.steps, p.step())
		if p.take("*") {
			s.forever = true
			break
		}
		if !p.take(",") {
			break
		}
	}
	p.want("]")
	if p.err == nil && strings.TrimSpace(p.rest) != "" {
		p.fail("something follows")
	}
	return s
}

func (p *parser) step() step {
	name := p.word()
	if s, ok := p.statusStep(name); ok {
		return s
	}
	switch name {
	case "ok":
		s := step{action: actOK, status: http.StatusOK, text: "x"}
		if strings.HasPrefix(p.rest, `"`) {
			s.text = p.quoted()
		}
		return s
	case "stall", "hdr+stall":
		return step{action: actStall, late: name != "stall", wait: p.duration(p.one())}
	case "trickle":
		args := p.exactly(2)
		return step{action: actTrickle, n: p.number(args[0]), wait: p.duration(args[1])}
	case "refuse":
		return step{action: actRefuse}
	case "acceptclose":
		return step{action: actAccept}
	case "RST":
		return step{action: actReset}
	case "redirect":
		return step{action: actRedirect, text: p.one()}
	case "sse":
		return p.stream()
	}
	p.fail("%q is no step", name)
	return step{}
}

// statusStep reads the steps that begin with a status.
func (p *parser) statusStep(name string) (step, bool) {
	digits := strings.TrimRight(name, "abcdefghijklmnopqrstuvwxyz")
	status, err := strconv.Atoi(digits)
	if err != nil {
		return step{}, false
	}
	s := step{action: actStatus, status: status}
	switch kind := name[len(digits):]; kind {
	case "":
	case "html":
		s.action = actHTML
	case "empty":
		s.action = actEmpty
	case "err":
		s.action = actInBand
	default:
		p.fail("%q is no body", kind)
	}
	args := append(p.args(), "", "", "")
	if s.code, s.typ, s.text = args[0], args[1], args[2]; strings.Contains(s.code, " ") {
		s.code, s.text = "", s.code
	}
	s.header = p.headers()
	return s, true
}

func (p *parser) headers() http.Header {
	if !p.take("{") {
		return nil
	}
	h := http.Header{}
	for p.err == nil {
		key := p.word()
		p.want("=")
		h.Add(key, p.value(",}"))
		if p.take("}") {
			break
		}
		p.want(",")
	}
	return h
}

func (p *parser) stream() step {
	p.want("[")
	s := step{action: actStream, status: http.StatusOK, frames: p.frames("]")}
	switch {
	case p.take("CUT"):
		s.end = endCUT
	case p.take("RST"):
		s.end = endRST
	default:
		p.take("FIN")
	}
	return s
}

func (p *parser) frames(end string) []frame {
	var fs []frame
	for p.err == nil && !p.take(end) {
		if p.take("(") {
			fs = append(fs, frame{repeat: p.frames(")")})
			p.want("*")
			continue
		}
		fs = append(fs, p.frame())
	}
	return fs
}

func (p *parser) frame() frame {
	f := frame{kind: p.word()}
	switch f.kind {
	case "t", "r":
		if strings.HasPrefix(p.rest, `"`) {
			f.args = []string{p.quoted()}
			return f
		}
		p.fail("want a text in quotes")
	case "m", "k", "p", "D", "bad":
	case "e":
		f.args = append(p.args(), "", "")
	case "c":
		f.args = p.exactly(4)
		p.number(f.args[0])
	case "u":
		f.args = p.exactly(2)
		p.number(f.args[0])
		p.number(f.args[1])
	case "f":
		f.args = append(p.args(), "")
	case "big":
		f.args = []string{p.one()}
		p.number(f.args[0])
	case "w":
		f.wait = p.duration(p.one())
	default:
		p.fail("%q is no frame", f.kind)
	}
	return f
}

func (p *parser) one() string { return p.exactly(1)[0] }

func (p *parser) exactly(n int) []string {
	args := p.args()
	if len(args) != n {
		p.fail("want %d arguments, not %d", n, len(args))
		return make([]string, n)
	}
	return args
}
