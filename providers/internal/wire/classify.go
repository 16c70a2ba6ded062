package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

// Classify says what an answer other than 200 means: from the status, the structured words of the body and the headers,
// and from the server's message only inside the gates of data/rules.txt. An unreadable body never hides the status. now is
// when the answer came.
func Classify(provider string, status int, h http.Header, body []byte, now time.Time) *providers.Error {
	f := readFacts(body)
	if t := h.Get("X-Amzn-Errortype"); t != "" {
		name, _, _ := strings.Cut(t, ":")
		f.word(name)
	}
	return decide(provider, status, h, f, now)
}

// InBand says what an error inside a 200 answer means; raw is the value of its error member, or the whole answer. Its
// words stand for a status.
func InBand(provider string, raw json.RawMessage, h http.Header, now time.Time) *providers.Error {
	f := readFacts(raw)
	return decide(provider, f.status(), h, f, now)
}

func decide(provider string, status int, h http.Header, f *facts, now time.Time) *providers.Error {
	e := &providers.Error{Kind: providers.KindUnknown, Status: status, Code: f.code}
	for i := range loadRules.Get() {
		r := &loadRules.Get()[i]
		if !r.holds(provider, status, f) {
			continue
		}
		if r.kind == providers.KindOverflow && status != http.StatusRequestEntityTooLarge && neverOverflow(f) {
			continue
		}
		if r.kind == providers.KindQuota && f.has("enforced_spend_limit_reached") && h.Get("Retry-After") != "" {
			continue
		}
		e.Kind, e.NoRepeat = r.kind, r.noRepeat
		break
	}
	if e.Kind.Transient() {
		e.RetryAfter, e.HintSource = hint(e.Kind, status, h, f, now)
		if strings.EqualFold(h.Get("X-Should-Retry"), "false") {
			e.NoRepeat = true
		}
	}
	return e
}

func neverOverflow(f *facts) bool {
	if f.has("string_above_max_length") || f.has("throttlingexception") {
		return true
	}
	for _, p := range loadNeverOverflow.Get() {
		if matchPart(p, f.text) {
			return true
		}
	}
	return false
}

// facts are what an error body says in its structured fields. Fields that echo the request are not among them.
type facts struct {
	words []string // codes, types, status names, reasons; lower-cased
	code  string   // the first that may be shown in events
	text  string   // the message, normalised
	retry time.Duration
}

func (f *facts) word(w string) {
	if w == "" {
		return
	}
	if f.code == "" {
		f.code = providers.SafeCode(w)
	}
	f.words = append(f.words, strings.ToLower(w))
}

func (f *facts) has(word string) bool {
	for _, w := range f.words {
		if w == word {
			return true
		}
	}
	return false
}

// status is the HTTP status that the words stand for.
func (f *facts) status() int {
	for _, w := range f.words {
		if s, ok := loadInBand.Get()[w]; ok {
			return s
		}
	}
	for _, w := range f.words {
		if s, err := strconv.Atoi(w); err == nil && s >= 400 && s <= 599 {
			return s
		}
	}
	return http.StatusInternalServerError
}

// readFacts reads every shape of error body that providers send; what it cannot read it leaves out.
func readFacts(body []byte) *facts {
	f := &facts{}
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' { // Gemini wraps the object in an array
		var all []json.RawMessage
		if json.Unmarshal(body, &all) != nil || len(all) == 0 {
			return f
		}
		body = all[0]
	}
	var outer errorBody
	if !loose(body, &outer) {
		return f
	}
	if inner, ok := outer.nested(); ok {
		f.add(inner)
	}
	f.add(&outer)
	return f
}

// errorBody is every field of the known shapes. What may be of several types stays raw.
type errorBody struct {
	Error      json.RawMessage `json:"error"`
	Type       string          `json:"type"`
	Code       json.RawMessage `json:"code"`
	Status     json.RawMessage `json:"status"`
	Message    json.RawMessage `json:"message"`
	Reason     string          `json:"reason"`
	Detail     json.RawMessage `json:"detail"`
	InnerError json.RawMessage `json:"innererror"`
	Inner      json.RawMessage `json:"inner_error"`
	Metadata   struct {
		Reasons   []json.RawMessage `json:"reasons"`
		ErrorType string            `json:"error_type"`
	} `json:"metadata"`
	Details []struct {
		Reason     string `json:"reason"`
		RetryDelay string `json:"retryDelay"`
		Violations []struct {
			QuotaID     string `json:"quotaId"`
			QuotaMetric string `json:"quotaMetric"`
		} `json:"violations"`
	} `json:"details"`
}

// nested is the error member, which is an object or, at xAI and Ollama, the message itself.
func (b *errorBody) nested() (*errorBody, bool) {
	raw := bytes.TrimSpace(b.Error)
	if len(raw) == 0 {
		return nil, false
	}
	var inner errorBody
	if raw[0] == '{' {
		return &inner, loose(raw, &inner)
	}
	inner.Message = raw
	return &inner, true
}

// loose decodes JSON in which a member may have another type than expected: the others still count.
func loose(raw []byte, into any) bool {
	err := json.Unmarshal(raw, into)
	var wrongType *json.UnmarshalTypeError
	return err == nil || errors.As(err, &wrongType)
}

func (f *facts) add(b *errorBody) {
	f.word(scalar(b.Code))
	f.word(b.Type)
	f.word(scalar(b.Status))
	f.word(b.Reason)
	f.word(b.Metadata.ErrorType)
	if len(b.Metadata.Reasons) > 0 {
		f.word("moderation")
	}
	for _, raw := range []json.RawMessage{b.InnerError, b.Inner} {
		var in struct {
			Code json.RawMessage `json:"code"`
		}
		if json.Unmarshal(raw, &in) == nil {
			f.word(scalar(in.Code))
		}
	}
	for _, d := range b.Details {
		f.word(d.Reason)
		for _, v := range d.Violations {
			f.word(v.QuotaID)
			f.word(v.QuotaMetric)
		}
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && f.retry == 0 {
			f.retry = wait
		}
	}
	if f.text == "" {
		f.text = normalise(message(b))
	}
}

// message is the server's own words: of detail[] the msg fields only, since its input fields echo the request.
func message(b *errorBody) string {
	for _, raw := range []json.RawMessage{b.Message, b.Detail} {
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
		var parts []struct {
			Msg string `json:"msg"`
		}
		if json.Unmarshal(raw, &parts) == nil && len(parts) > 0 {
			return parts[0].Msg
		}
	}
	return ""
}

func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

func normalise(s string) string {
	s = strings.NewReplacer("`", "", "\"", "").Replace(strings.ToLower(s))
	s = strings.NewReplacer(" '", " ", "' ", " ", "'.", ".", "',", ",").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}
