package cassette

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// version is that of the file's form.
const version = 1

// maxRequests bounds the texts of all requests together, in bytes. In the file each stands as what it adds to the one before,
// and each is read whole for its key.
const maxRequests = 1 << 30

// recording is a file in memory.
type recording struct {
	recorded time.Time
	mask     []string
	patterns []*regexp.Regexp
	entries  []*entry
}

// fileForm is the top of a cassette file.
type fileForm struct {
	Version  int               `json:"version"`
	Recorded time.Time         `json:"recorded"`
	Mask     []string          `json:"mask,omitempty"`
	Calls    []json.RawMessage `json:"calls"`
}

// parse reads a file. Faults carry their place; the recording is nil when there is one.
func parse(src []byte, file string) (*recording, diag.List) {
	return (&parser{file: file, room: maxRequests}).parse(src)
}

func (p *parser) parse(src []byte) (*recording, diag.List) {
	var ds diag.List
	if p.doc, ds = frontmatter.ParseYAML(src, p.file); ds.HasErrors() {
		return nil, ds
	}
	rec := p.recording()
	ds.Add(p.ds...)
	if ds.HasErrors() {
		return nil, ds
	}
	return rec, ds
}

type parser struct {
	file   string
	room   int // what requests may still take up
	doc    *frontmatter.Document
	masked func(string) string
	ds     diag.List
}

func (p *parser) fault(path []string, format string, args ...any) {
	p.ds.Add(diag.New("E-CASSETTE", p.doc.Range(p.doc.Lookup(path...)), format, args...))
}

func (p *parser) recording() *recording {
	var form fileForm
	if !p.decode(&form) {
		return nil
	}
	if form.Version != version {
		p.fault([]string{"version"}, "version %d of cassettes is not known, only %d", form.Version, version)
		return nil
	}
	rec := &recording{recorded: form.Recorded, mask: form.Mask}
	for i, m := range form.Mask {
		re, err := regexp.Compile(m)
		if err != nil {
			p.fault([]string{"mask", strconv.Itoa(i)}, "the pattern is no regular expression: %v", err)
			continue
		}
		rec.patterns = append(rec.patterns, re)
	}
	p.masked = (&scrubber{mask: rec.patterns}).masked
	seen := requests{}
	for i, raw := range form.Calls {
		if e := p.entry(raw, seen, "calls", strconv.Itoa(i)); e != nil {
			rec.entries = append(rec.entries, e)
		}
		if p.room < 0 {
			break
		}
	}
	return rec
}

func (p *parser) entry(raw json.RawMessage, seen requests, path ...string) *entry {
	var w written
	if !p.strict(raw, &w, path...) {
		return nil
	}
	if w.Key == "" || w.Answer == nil || w.Answer.Finish == "" {
		p.fault(path, "a call needs key, answer and answer.finish")
		return nil
	}
	e := &entry{key: w.Key, agent: w.Agent, models: w.Models, answer: *w.Answer, line: p.doc.Lookup(path...).Line}
	seen[w.Agent] = w.Request.apply(seen.before(w.Agent))
	if p.room -= seen[w.Agent].size(); p.room < 0 {
		p.fault(path, "the requests up to here come to more than %d MiB: give cases cassettes of their own", maxRequests>>20)
		return nil
	}
	e.request = seen[w.Agent].rewritten(p.masked) // mask may have been changed since
	e.made = e.request.key()
	return e
}

func (p *parser) decode(into any) bool {
	raw, unfit := frontmatter.JSON(p.doc.Root)
	for _, bad := range unfit {
		p.ds.Add(diag.New("E-CASSETTE", p.doc.Range(bad.Node), "this is no plain value: want %s", bad.Want))
	}
	return len(unfit) == 0 && p.strict(raw, into)
}

// strict decodes JSON that came from the node at path. A wrong type is a fault at its own place, an unknown key one of the node.
func (p *parser) strict(raw json.RawMessage, into any, path ...string) bool {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		return true
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		p.fault(append(path, strings.Split(wrong.Field, ".")...), "a %s cannot stand here", wrong.Value)
		return false
	}
	p.fault(path, "%s", strings.TrimPrefix(err.Error(), "json: "))
	return false
}

// encode writes a recording.
func (rec *recording) encode() ([]byte, error) {
	form := fileForm{Version: version, Recorded: rec.recorded.UTC().Truncate(time.Second), Mask: rec.mask, Calls: []json.RawMessage{}}
	seen := requests{}
	for i, e := range rec.entries {
		w := written{Key: e.made, Agent: e.agent, Models: e.models, Request: difference(seen.before(e.agent), e.request), Answer: &e.answer}
		raw, err := json.Marshal(w)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i, err)
		}
		form.Calls = append(form.Calls, raw)
		seen[e.agent] = e.request
	}
	raw, err := json.Marshal(form)
	if err != nil {
		return nil, err
	}
	return frontmatter.EncodeYAML(raw)
}
