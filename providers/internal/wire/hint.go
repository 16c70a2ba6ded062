package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/internal/lazy"
	"github.com/swarmrun/swarmrun/providers"
)

// maxHint is the longest time a server may ask for.
const maxHint = 600 * time.Second

// hint is how long the server asks to be left alone, from the first valid of its sources, and which it was. Odd values
// give no hint; nothing here fails.
func hint(kind providers.Kind, status int, h http.Header, f *facts, now time.Time) (time.Duration, string) {
	for _, name := range [...]string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		for _, v := range h.Values(name) {
			if ms, ok := number(v); ok {
				return clamp(ms / 1000), providers.SourceRetryAfter
			}
		}
	}
	for _, v := range h.Values("Retry-After") {
		if d, ok := retryAfter(v, h, now); ok {
			return d, providers.SourceRetryAfter
		}
	}
	if f.retry > 0 {
		return min(f.retry, maxHint), providers.SourceRetryAfter
	}
	if status == http.StatusTooManyRequests {
		if d, ok := textHint(f.text); ok {
			return d, providers.SourceRetryAfter
		}
	}
	if kind == providers.KindRateLimit {
		if d, ok := resetHint(h, now); ok {
			return d, providers.SourceRateLimitReset
		}
	}
	return 0, ""
}

func clamp(seconds float64) time.Duration {
	return time.Duration(min(seconds, maxHint.Seconds()) * float64(time.Second))
}

// number is a plain number of at most 20 characters, not negative, not NaN, not infinite.
func number(v string) (float64, bool) {
	v = strings.TrimSpace(v)
	if v == "" || len(v) > 20 || strings.Trim(v, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(v, 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
}

func retryAfter(v string, h http.Header, now time.Time) (time.Duration, bool) {
	if s, ok := number(v); ok {
		return clamp(s), true
	}
	t, err := http.ParseTime(strings.TrimSpace(v))
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return min(max(0, t.Sub(now)), maxHint), true
}

var tryAgainIn = lazy.MustCompile(`(?:try again|retry) in ((?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+)`)

func textHint(text string) (time.Duration, bool) {
	m := tryAgainIn.Get().FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	d, err := time.ParseDuration(m[1])
	return min(d, maxHint), err == nil && d >= 0
}

// resetHint is the smallest reset among the exhausted dimensions: those whose remaining is 0, or that tell none.
func resetHint(h http.Header, now time.Time) (time.Duration, bool) {
	var best time.Duration
	found := false
	for name := range h {
		lower := strings.ToLower(name)
		remaining, ok := remainingHeader(lower)
		if !ok {
			continue
		}
		if left, ok := number(h.Get(remaining)); ok && left > 0 {
			continue
		}
		if d, ok := resetValue(h.Get(name), now); ok && (!found || d < best) {
			best, found = d, true
		}
	}
	return min(best, maxHint), found
}

// remainingHeader is the header that tells what is left of the dimension whose reset this header tells.
func remainingHeader(reset string) (string, bool) {
	switch {
	case reset == "x-ratelimit-reset":
		return "X-Ratelimit-Remaining", true
	case strings.HasPrefix(reset, "x-ratelimit-reset-"):
		return "X-Ratelimit-Remaining-" + strings.TrimPrefix(reset, "x-ratelimit-reset-"), true
	case strings.HasPrefix(reset, "anthropic-ratelimit-") && strings.HasSuffix(reset, "-reset"):
		return strings.TrimSuffix(reset, "reset") + "remaining", true
	}
	return "", false
}

// resetValue reads 6m0s, seconds, epoch seconds, epoch milliseconds and RFC 3339.
func resetValue(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	if n, ok := number(v); ok {
		switch {
		case n >= 1e12:
			return max(0, time.UnixMilli(int64(n)).Sub(now)), true
		case n >= 1e9:
			return max(0, time.Unix(int64(n), 0).Sub(now)), true
		}
		return clamp(n), true
	}
	if d, err := time.ParseDuration(v); err == nil && d >= 0 {
		return d, true
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return max(0, t.Sub(now)), true
	}
	return 0, false
}
