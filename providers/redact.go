package providers

import (
	"encoding/base64"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// minSecret is the shortest value that counts as a secret, and the shortest piece of one that is removed. Shorter keys are
// dummies of keyless servers ("none", "ollama"), whose removal would garble ordinary text.
const minSecret = 8

// Redactor removes secrets from text: the values it was told, whole, escaped, in base64 or as a piece of 8 or more
// characters from either end; tokens of known shapes (sk-…, AIza…, JWTs, …); values of credential headers and query
// parameters; user info of URLs. A nil Redactor knows no values and still removes the shapes. Safe for concurrent use.
type Redactor struct {
	mu   sync.Mutex
	told map[string]bool
	set  atomic.Pointer[secretSet]
}

// NewRedactor makes a redactor that knows secrets.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{told: map[string]bool{}}
	r.Add(secrets...)
	return r
}

// Add makes more values known, such as a key that was just looked up. Values under 8 bytes are no secrets.
func (r *Redactor) Add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := false
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= minSecret && !r.told[s] {
			r.told[s], changed = true, true
		}
	}
	if changed {
		r.set.Store(newSecretSet(r.told))
	}
}

// Text is s without secrets; s itself when there is none.
func (r *Redactor) Text(s string) string {
	spans, _ := r.scan(s)
	return cut(s, spans)
}

func (r *Redactor) scan(s string) (spans []span, open int) {
	var set *secretSet
	if r != nil {
		set = r.set.Load()
	}
	return (&scanner{text: s, set: set}).run()
}

// span is a stretch [from, to) of text to take out.
type span struct{ from, to int }

func cut(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, p := range spans {
		b.WriteString(s[at:p.from])
		b.WriteString(Redacted)
		at = p.to
	}
	b.WriteString(s[at:])
	return b.String()
}

// secretSet is every spelling of the known secrets, found by the first byte of its first and last 8 bytes.
type secretSet struct {
	heads, tails [256][]string
	first        [256]bool // bytes that any of those begin with, or a known shape
}

func newSecretSet(secrets map[string]bool) *secretSet {
	set := &secretSet{first: shapesBegin}
	seen := map[string]bool{}
	for secret := range secrets {
		for _, s := range spellings(secret) {
			if len(s) >= minSecret && !seen[s] {
				seen[s] = true
				set.heads[s[0]] = append(set.heads[s[0]], s)
				tail := s[len(s)-minSecret]
				set.tails[tail] = append(set.tails[tail], s)
				set.first[s[0]], set.first[tail] = true, true
			}
		}
	}
	return set
}

// spellings are the forms in which a secret turns up: as it is, escaped for a URL, and inside the base64 of user:secret,
// where the three ways to align it are cut to the characters that depend on the secret alone.
func spellings(secret string) []string {
	out := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
	for shift := range 3 {
		coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
		from := (shift*8 + 5) / 6
		to := (shift + len(secret)) * 8 / 6
		out = append(out, coded[from:to], strings.NewReplacer("+", "-", "/", "_").Replace(coded[from:to]))
	}
	return out
}
