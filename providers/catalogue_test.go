package providers

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLookup(t *testing.T) {
	sonnet := Capabilities{ContextWindow: 200000, MaxOutput: 64000, Images: true, Thinking: true,
		Price: &Price{Input: 3, Output: 15, CachedInput: 0.3, CacheWrite: 3.75}}
	gpt5 := Capabilities{ContextWindow: 400000, MaxOutput: 128000, Images: true, Thinking: true,
		Price: &Price{Input: 1.25, Output: 10, CachedInput: 0.125, CacheWrite: 1.25}}
	tests := []struct {
		provider, model string
		want            *Capabilities
	}{
		{"anthropic", "claude-sonnet-4-5-20250929", &sonnet},
		{"anthropic", "claude-sonnet-4-5", &sonnet},
		{"anthropic", "claude-sonnet-4-5-latest", &sonnet},
		{"anthropic", "claude-sonnet-4-5-20990101", nil},
		{"openai", "gpt-5", &gpt5},
		{"openai", "gpt-5-2025-08-07", &gpt5},
		{"openai", "gpt-5-latest", &gpt5},
		{"openai", "gpt-", nil},
		{"openai", "", nil},
		{"openai", "gpt-5\t400000", nil},
		{"nobody", "gpt-5", nil},
		{"", "gpt-5", nil},
		{"script", "review", nil},
	}
	for _, tt := range tests {
		t.Run(tt.provider+"/"+tt.model, func(t *testing.T) {
			got, ok := Lookup(tt.provider, tt.model)
			if ok != (tt.want != nil) {
				t.Fatalf("found: %v", ok)
			}
			if ok {
				if diff := cmp.Diff(*tt.want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestLookupPrice(t *testing.T) {
	free, ok := Lookup("openrouter", modelEnding(t, "openrouter", ":free"))
	if !ok || free.Price == nil || *free.Price != (Price{}) {
		t.Errorf("a free model has the price 0: %+v %v", free, ok)
	}
	unknown, ok := Lookup("copilot", Models("copilot")[0])
	if !ok || unknown.Price != nil {
		t.Errorf("an unknown price is nil, not 0: %+v %v", unknown, ok)
	}
	if alias, ok := Lookup("gemini", "gemini-2.5-pro"); !ok || alias.ContextWindow == 0 {
		t.Errorf("gemini is google: %+v %v", alias, ok)
	}
}

func modelEnding(t *testing.T, provider, suffix string) string {
	t.Helper()
	for _, m := range Models(provider) {
		if strings.HasSuffix(m, suffix) {
			return m
		}
	}
	t.Fatalf("no model of %s ends in %s", provider, suffix)
	return ""
}

func TestCovers(t *testing.T) {
	for provider, want := range map[string]bool{
		"openai": true, "anthropic": true, "google": true, "gemini": true, "xai": true, "openrouter": true,
		"azure": false, "ollama": false, "script": false, "": false, "open": false,
	} {
		if got := Covers(provider); got != want {
			t.Errorf("Covers(%q) = %v", provider, got)
		}
	}
}

func TestModels(t *testing.T) {
	got := Models("anthropic")
	if !slices.IsSorted(got) || !slices.Contains(got, "claude-sonnet-4-5-20250929") {
		t.Errorf("got %q", got)
	}
	if got := Models("nobody"); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestCurrent(t *testing.T) {
	for _, line := range []string{"sonnet", "opus", "haiku"} {
		model, ok := Current(line)
		if !ok || !strings.HasPrefix(model, "claude-"+line+"-") {
			t.Fatalf("Current(%q) = %q, %v", line, model, ok)
		}
		if _, ok := Lookup("anthropic", model); !ok {
			t.Errorf("%s is not in the table", model)
		}
	}
	for _, line := range []string{"", "sonnet-4", "gpt", "claude"} {
		if model, ok := Current(line); ok {
			t.Errorf("Current(%q) = %q", line, model)
		}
	}
}

func TestReleaseOrder(t *testing.T) {
	ascending := []string{"4-20250514", "4-1-20250805", "4-5", "4-5-20250929", "4-5-20251101", "4-10", "5", "5-1-20270101", "10"}
	var before release
	for _, s := range ascending {
		r, ok := parseRelease(s)
		if !ok || slices.Compare(before[:], r[:]) >= 0 {
			t.Errorf("%s is not after the one before it", s)
		}
		before = r
	}
	for _, s := range []string{"", "x", "4-5-6", "preview-4"} {
		if _, ok := parseRelease(s); ok {
			t.Errorf("%q is no release", s)
		}
	}
}

// TestCatalogueParses holds the table to what capabilities takes for granted.
func TestCatalogueParses(t *testing.T) {
	models := 0
	for i, l := range strings.Split(strings.TrimSuffix(catalogue, "\n"), "\n") {
		if l[0] == '#' || l[0] == '@' {
			continue
		}
		models++
		fields := strings.Split(l, "\t")
		if len(fields) != 8 {
			t.Fatalf("line %d has %d fields", i+1, len(fields))
		}
		for _, f := range fields[1:7] {
			if n, err := strconv.ParseFloat(f, 64); f != "" && (err != nil || n < 0) {
				t.Errorf("line %d: %q", i+1, f)
			}
		}
	}
	if models < 1000 {
		t.Errorf("only %d models", models)
	}
}
