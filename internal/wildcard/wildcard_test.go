package wildcard_test

import (
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/internal/wildcard"
)

func TestMatch(t *testing.T) {
	many := strings.Repeat("*", 100)
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"bash", "bash", true},
		{"bash", "bashful", false},
		{"", "bash", false},
		{"*", "", true},
		{"web*", "webfetch", true},
		{"*fetch", "webfetch", true},
		{"w*b*h", "webfetch", true},
		{"w*b*b*h", "webfetch", false},
		{"ab*bc", "abc", false},
		{"*", "https://a.example/b", true},
		{"https://*.example/*", "https://a.example/b", true},
		{"https://*.example/*", "http://a.example/b", false},
		{many, "websearch", true},
		{many + "x", "websearch", false}, // at once: a file of a workspace may say so
	} {
		if got := wildcard.Match(tt.pattern, tt.text); got != tt.want {
			t.Errorf("%q of %q: %t, want %t", tt.text, tt.pattern, got, tt.want)
		}
	}
}
