package wire

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

func TestHint(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	skewed := now.Add(time.Hour)
	tests := []struct {
		name   string
		head   http.Header
		body   string
		status int
		want   time.Duration
		source string
	}{
		{"none", http.Header{}, "", 429, 0, ""},
		{"seconds", http.Header{"Retry-After": {"12"}}, "", 429, 12 * time.Second, "retry_after"},
		{"fraction", http.Header{"Retry-After": {"0.5"}}, "", 503, 500 * time.Millisecond, "retry_after"},
		{"zero", http.Header{"Retry-After": {"0"}}, "", 429, 0, "retry_after"},
		{"milliseconds first", http.Header{"Retry-After-Ms": {"1500"}, "Retry-After": {"30"}}, "", 429, 1500 * time.Millisecond, "retry_after"},
		{"azure milliseconds", http.Header{"X-Ms-Retry-After-Ms": {"1500"}, "Retry-After": {"30"}}, "", 429, 1500 * time.Millisecond, "retry_after"},
		{"date", http.Header{"Retry-After": {at(20 * time.Second)}}, "", 503, 20 * time.Second, "retry_after"},
		{"date against the server's clock", http.Header{"Date": {skewed.Format(http.TimeFormat)}, "Retry-After": {skewed.Add(20 * time.Second).Format(http.TimeFormat)}}, "", 503, 20 * time.Second, "retry_after"},
		{"past date", http.Header{"Retry-After": {at(-time.Hour)}}, "", 503, 0, "retry_after"},
		{"clamped", http.Header{"Retry-After": {"1000000000"}}, "", 429, 600 * time.Second, "retry_after"},
		{"first valid line", http.Header{"Retry-After": {"soon", "7"}}, "", 429, 7 * time.Second, "retry_after"},
		{"retry info", http.Header{}, `{"error":{"details":[{"retryDelay":"26s"}]}}`, 429, 26 * time.Second, "retry_after"},
		{"text", http.Header{}, `{"error":{"message":"Please try again in 17s."}}`, 429, 17 * time.Second, "retry_after"},
		{"text with minutes", http.Header{}, `{"error":{"message":"Please retry in 1m2.5s."}}`, 429, 62500 * time.Millisecond, "retry_after"},
		{"text elsewhere", http.Header{}, `{"error":{"message":"Please try again in 17s."}}`, 503, 0, ""},
		{"reset of the exhausted dimension", http.Header{"X-Ratelimit-Reset-Requests": {"1s"}, "X-Ratelimit-Remaining-Requests": {"5"}, "X-Ratelimit-Reset-Tokens": {"6m0s"}, "X-Ratelimit-Remaining-Tokens": {"0"}}, "", 429, 6 * time.Minute, "ratelimit_reset"},
		{"smallest reset", http.Header{"X-Ratelimit-Reset-Requests": {"2m59.56s"}, "X-Ratelimit-Reset-Tokens": {"500ms"}}, "", 429, 500 * time.Millisecond, "ratelimit_reset"},
		{"reset only for rate limits", http.Header{"X-Ratelimit-Reset": {"30"}}, "", 503, 0, ""},
		{"epoch seconds", http.Header{"X-Ratelimit-Reset": {"1767323075"}}, "", 429, 30 * time.Second, "ratelimit_reset"},
		{"epoch milliseconds", http.Header{"X-Ratelimit-Reset": {"1767323075000"}}, "", 429, 30 * time.Second, "ratelimit_reset"},
		{"anthropic", http.Header{"Anthropic-Ratelimit-Requests-Reset": {"2026-01-02T03:04:35Z"}, "Anthropic-Ratelimit-Requests-Remaining": {"0"}}, "", 429, 30 * time.Second, "ratelimit_reset"},
		{"anthropic not exhausted", http.Header{"Anthropic-Ratelimit-Requests-Reset": {"2026-01-02T03:04:35Z"}, "Anthropic-Ratelimit-Requests-Remaining": {"9"}}, "", 429, 0, ""},
	}
	for _, odd := range []string{"", "-5", "NaN", "inf", "soon", "12, 15", "1e3", "0x10", strings.Repeat("9", 10000)} {
		tests = append(tests, struct {
			name   string
			head   http.Header
			body   string
			status int
			want   time.Duration
			source string
		}{"odd " + odd[:min(len(odd), 8)], http.Header{"Retry-After": {odd}}, "", 429, 0, ""})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := Classify("openai", tt.status, tt.head, []byte(tt.body), now)
			if e.RetryAfter != tt.want || e.HintSource != tt.source {
				t.Errorf("%v from %q, want %v from %q", e.RetryAfter, e.HintSource, tt.want, tt.source)
			}
		})
	}
	if e := Classify("openai", 401, http.Header{"Retry-After": {"5"}}, nil, now); e.Kind != providers.KindAuth || e.RetryAfter != 0 {
		t.Errorf("auth with hint: %v %v", e.Kind, e.RetryAfter)
	}
}
