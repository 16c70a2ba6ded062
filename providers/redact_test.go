package providers_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/providers"
)

const key = "sk-CANARY-A-0123456789+/abc"

func TestRedactorText(t *testing.T) {
	r := providers.NewRedactor("none")
	r.Add(key)
	tests := []struct{ name, in, want string }{
		{"plain", "nothing to hide, task-force sk-learn", "nothing to hide, task-force sk-learn"},
		{"short values are no secrets", "none of it", "none of it"},
		{"exact", "key " + key + " end", "key [redacted] end"},
		{"twice", key + key, "[redacted]"},
		{"prefix", "see sk-CANARY-A- there", "see [redacted] there"},
		{"suffix", "see 6789+/abc there", "see [redacted] there"},
		{"inside a word", "x" + key + "y", "x[redacted]y"},
		{"query escaped", "?a=" + url.QueryEscape(key) + "&b=1", "?a=[redacted]&b=1"},
		{"openai shape", "use sk-abcdefghijklmnopqrstuv.", "use [redacted]."},
		{"anthropic shape", "use sk-ant-api03-abcd.", "use [redacted]."},
		{"google shape", "AIzaSyA1234567890abcdefghij", "[redacted]"},
		{"aws shape", "AKIAIOSFODNN7EXAMPLE!", "[redacted]!"},
		{"groq xai hf", "gsk_aaaaaaaaaaaaaaaaaaaa xai-aaaaaaaaaaaaaaaaaaaa hf_aaaaaaaaaaaaaaaaaaaa", "[redacted] [redacted] [redacted]"},
		{"jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl done", "[redacted] done"},
		{"bearer", "Authorization: Bearer abcdefgh12\nx", "Authorization: Bearer [redacted]\nx"},
		{"json header", `{"X-Api-Key": "abcdefgh12", "a": 1}`, `{"X-Api-Key": "[redacted]", "a": 1}`},
		{"go header dump", `map[Authorization:[Bearer abcdefgh12] Date:[x]]`, `map[Authorization:[Bearer [redacted]] Date:[x]]`},
		{"cookie", "Set-Cookie: a=b; c=dddddd\nnext", "Set-Cookie: [redacted]\nnext"},
		{"query key", "GET /v1?key=abcdefgh12&x=1", "GET /v1?key=[redacted]&x=1"},
		{"word key", "key=abcdefgh12", "key=abcdefgh12"},
		{"sigv4", "Credential=abc/2026/eu, Signature=0123456789abcdef", "Credential=[redacted], Signature=[redacted]"},
		{"url user info", "proxy http://user:pass@host:3128/x", "proxy http://[redacted]@host:3128/x"},
		{"url port", "http://host:3128/x@y", "http://host:3128/x@y"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.Text(tt.in); got != tt.want {
				t.Errorf("Text(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestRedactorBase64(t *testing.T) {
	r := providers.NewRedactor(key)
	for _, user := range []string{"", "u", "us", "use"} {
		coded := base64.StdEncoding.EncodeToString([]byte(user + ":" + key))
		got := r.Text("x " + coded + " y")
		if strings.Contains(got, coded[8:24]) || !strings.Contains(got, providers.Redacted) {
			t.Errorf("user %q: %q still holds the key", user, got)
		}
	}
}

func TestRedactorNil(t *testing.T) {
	var r *providers.Redactor
	if got, want := r.Text("gsk_aaaaaaaaaaaaaaaaaaaa"), providers.Redacted; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every way to split a text into two or three pieces gives what the whole text gives.
func TestRedactStreamSplits(t *testing.T) {
	r := providers.NewRedactor(key)
	for _, text := range []string{
		"the key " + key + " is split",
		"Authorization: Bearer abcdefgh12 and on",
		"token sk-abcdefghijklmnopqrstuvwx, then http://user:pass@host/ and GET /?key=abcdefgh12 end",
		"files with tests and yes, sk- too",
	} {
		want := r.Text(text)
		for i := range text {
			for j := i; j < len(text); j += 3 {
				s := r.Stream()
				got := s.Write(text[:i]) + s.Write(text[i:j]) + s.Write(text[j:]) + s.Flush()
				if got != want {
					t.Fatalf("%q | %q | %q\n got %q\nwant %q", text[:i], text[i:j], text[j:], got, want)
				}
			}
		}
	}
}

func TestRedactStreamGivesOrdinaryTextAtOnce(t *testing.T) {
	s := providers.NewRedactor(key).Stream()
	if got, want := s.Write("hello wor"), "hello wor"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRedactorHandler(t *testing.T) {
	var b bytes.Buffer
	r := providers.NewRedactor(key)
	log := slog.New(r.Handler(slog.NewTextHandler(&b, nil))).With("k", key).WithGroup("g")
	log.Error("msg "+key, "err", errors.New("bad "+key), slog.Group("h", "x", key))
	if out := b.String(); strings.Contains(out, "CANARY") || strings.Count(out, "[redacted]") != 4 {
		t.Errorf("log line: %s", out)
	}
}

func FuzzRedactStream(f *testing.F) {
	f.Add("key "+key+" end", 5, 9)
	f.Add("Cookie: abcdefghij\nAuthorization: Basic xxxxxxxxxxxx", 3, 30)
	f.Fuzz(func(t *testing.T, text string, i, j int) {
		if len(text) > 4<<10 {
			return
		}
		r := providers.NewRedactor(key)
		i = min(max(i, 0), len(text))
		j = min(max(j, i), len(text))
		s := r.Stream()
		got := s.Write(text[:i]) + s.Write(text[i:j]) + s.Write(text[j:]) + s.Flush()
		if strings.Contains(got, key) || strings.Contains(r.Text(text), key) {
			t.Errorf("%q leaks the key: %q", text, got)
		}
	})
}
