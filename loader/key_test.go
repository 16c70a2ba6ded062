package loader

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
)

// TestKeys: where the key of each candidate comes from, asked for when something is sent.
func TestKeys(t *testing.T) {
	const settings = `
providers:
  anthropic: {api_key: "${MY_KEY}"}
  openai: {base_url: "http://127.0.0.1:9/v1"}
  mine: {base_url: "http://127.0.0.1:9/v1"}
models:
  own: {provider: openai, model: own, base_url: "http://127.0.0.1:8/v1", api_key: own-secret-key}
  bare: {provider: anthropic, model: bare, base_url: "http://127.0.0.1:8"}
  unset: {provider: openai, model: unset, api_key: "${NOWHERE}"}
  lost: {provider: openai, model: lost, base_url: "http://127.0.0.1:8/v1", api_key: "${NOWHERE}"}
defaults:
  model: [own, bare, unset, lost, openai/gpt-5, anthropic/claude-sonnet-4-5, google/gemini-2.5-pro, ollama/qwen3, mine/x, groq/x]
`
	env, rec := testEnv(t)
	env.Endpoints = append(env.Endpoints, Endpoint{Family: "openai", Endpoint: providers.Endpoint{Name: "groq", KeyVars: []string{"GROQ_API_KEY"}}})
	dir := write(t, t.TempDir(), SettingsFile, settings, "agents/a.md", agentFile("a", ""))
	live := open(t, dir, &Options{Env: env, Environ: []string{
		"MY_KEY=my-secret-key", "OPENAI_API_KEY=openai-secret", "GOOGLE_API_KEY=google-secret", "GEMINI_API_KEY=",
	}})
	for label, want := range map[string]string{
		"openai/own":                  "own-secret-key",
		"anthropic/bare":              "keyless", // the key of Anthropic never goes to another host
		"openai/unset":                "openai-secret",
		"openai/lost":                 "missing_key",
		"openai/gpt-5":                "openai-secret",
		"anthropic/claude-sonnet-4-5": "my-secret-key",
		"google/gemini-2.5-pro":       "google-secret",
		"ollama/qwen3":                "keyless",
		"mine/x":                      "keyless",
		"groq/x":                      "GROQ_API_KEY",
	} {
		c := rec.candidate(t, label)
		got := "keyless"
		if c.Key != nil {
			key, err := c.Key()
			if got = key; err != nil {
				if e, ok := errors.AsType[*providers.Error](err); ok {
					got = e.Code + ": " + e.Hint
				}
			}
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
	}
	if a, b := rec.candidate(t, "openai/gpt-5"), rec.candidate(t, "openai/unset"); a.KeyID != b.KeyID || a.KeyID == "" {
		t.Errorf("two candidates with one key have the ids %q and %q", a.KeyID, b.KeyID)
	}
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	got := g.Secrets()
	slices.Sort(got)
	if diff := cmp.Diff([]string{"google-secret", "my-secret-key", "openai-secret", "own-secret-key"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCandidateSettings(t *testing.T) {
	const settings = `
providers:
  openai: {headers: {X-Team: a, X-Both: a}, api_version: v1, limits: {concurrency: 3}, breaker: {failures: 2, open_for: 1m}}
models:
  m: {provider: openai, model: m, headers: {X-Both: b}, parameters: {temperature: 0.5, max_tokens: 9, custom: [1]}, context_window: 1000}
`
	env, rec := testEnv(t)
	dir := write(t, t.TempDir(), SettingsFile, settings, "agents/a.md", agentFile("a", "model: [m, azure/deployed]\n"))
	open(t, dir, &Options{Env: env, Environ: []string{"AZURE_OPENAI_ENDPOINT=https://here.example"}})
	if diff := cmp.Diff([]providers.LimitState{{Provider: "openai", Options: providers.LimitOptions{Concurrency: 3, BreakerFailures: 2, BreakerOpenFor: time.Minute}}},
		env.limits.State()); diff != "" {
		t.Error(diff)
	}
	c := rec.candidate(t, "openai/m")
	if diff := cmp.Diff(map[string]string{"X-Team": "a", "X-Both": "b"}, c.Headers); diff != "" {
		t.Error(diff)
	}
	params := map[string]string{}
	for k, v := range c.Parameters {
		params[k] = string(v)
	}
	if diff := cmp.Diff(map[string]string{"temperature": "0.5", "max_tokens": "9", "custom": "[1]"}, params); diff != "" {
		t.Error(diff)
	}
	if c.APIVersion != "v1" || c.Limits.ContextWindow != 1000 || c.BaseURL != "https://api.openai.com/v1" {
		t.Errorf("version %q, window %d, base %q", c.APIVersion, c.Limits.ContextWindow, c.BaseURL)
	}
	if got := rec.candidate(t, "azure/deployed").BaseURL; got != "https://here.example" {
		t.Errorf("azure is at %q", got)
	}
}

func TestModelsAtRunTime(t *testing.T) {
	env, _ := testEnv(t)
	dir := write(t, t.TempDir(), SettingsFile, "models: {smart: [openai/gpt-5, anthropic/claude-sonnet-4-5], ring: [ring]}\n",
		"models/r.yaml", "version: 1\nrules: [{reply: {text: hi}}]\n", "models/bad.yaml", "rules: 3\n")
	live := open(t, dir, &Options{Env: env, Environ: []string{}, Partial: true})
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for ref, want := range map[string]string{
		"smart": "openai/gpt-5, anthropic/claude-sonnet-4-5", "openai/gpt-5-mini": "openai/gpt-5-mini", "script/r": "script/r",
		"smrt": `did you mean "smart"`, "opnai/x": `did you mean "openai"`, "script/bad": "E-VALUE-TYPE", "ring": "invalid", "script/x": "no rule file",
	} {
		m, err := g.Model(ref)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = m.Name()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
}
