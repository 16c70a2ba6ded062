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
  vllm: {base_url: "http://127.0.0.1:7/v1"}
models:
  n: {provider: mistral, model: n, api_key: "${NOWHERE}"}
  own: {provider: openai, model: own, base_url: "http://127.0.0.1:8/v1", api_key: own-secret-key}
  bare: {provider: anthropic, model: bare, base_url: "http://127.0.0.1:8"}
  unset: {provider: openai, model: unset, api_key: "${NOWHERE}"}
  lost: {provider: openai, model: lost, base_url: "http://127.0.0.1:8/v1", api_key: "${NOWHERE}"}
defaults:
  model: [own, bare, unset, lost, openai/gpt-5, anthropic/claude-sonnet-4-5, google/gemini-2.5-pro, ollama/qwen3, vllm/x, mine/x, groq/x, mistral/m, n]
`
	env, rec := testEnv(t)
	env.Endpoints = append(env.Endpoints, Endpoint{Family: "openai", Endpoint: providers.Endpoint{Name: "groq", KeyVars: []string{"GROQ_API_KEY"}}},
		Endpoint{Family: "openai", Endpoint: providers.Endpoint{Name: "vllm", Keyless: true, KeyVars: []string{"VLLM_API_KEY"}}},
		Endpoint{Family: "openai", Endpoint: providers.Endpoint{Name: "mistral", KeyVars: []string{"MISTRAL_API_KEY"}}})
	dir := write(t, t.TempDir(), SettingsFile, settings, "agents/a.md", agentFile("a", ""))
	live := open(t, dir, &Options{Env: env, Environ: []string{
		"MY_KEY=my-secret-key", "OPENAI_API_KEY=openai-secret", "GOOGLE_API_KEY=google-secret", "GEMINI_API_KEY=",
		"MISTRAL_API_KEY=mistral-secret", "VLLM_API_KEY=vllm-secret",
	}})
	for label, want := range map[string]string{
		"openai/own":                  "own-secret-key",
		"anthropic/bare":              "keyless",      // the key of Anthropic never goes to another host
		"openai/unset":                "key_withheld", // nor does that of OpenAI
		"openai/lost":                 "missing_key",
		"openai/gpt-5":                `key_withheld: the key of openai does not go to the base_url at swarmrun.yaml:4, which names none: if you trust the address, write api_key: "${OPENAI_API_KEY}" beside it`,
		"mistral/m":                   "mistral-secret",
		"mistral/n":                   "mistral-secret",
		"anthropic/claude-sonnet-4-5": "my-secret-key",
		"google/gemini-2.5-pro":       "google-secret",
		"ollama/qwen3":                "keyless",
		"vllm/x":                      "keyless",
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
	if a, b := rec.candidate(t, "mistral/m"), rec.candidate(t, "mistral/n"); a.KeyID != b.KeyID || a.KeyID == "" {
		t.Errorf("two candidates with one key have the ids %q and %q", a.KeyID, b.KeyID)
	}
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	got := g.Secrets()
	slices.Sort(got)
	if diff := cmp.Diff([]string{"google-secret", "mistral-secret", "my-secret-key", "openai-secret", "own-secret-key", "vllm-secret"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestWithheld: what the person's own settings hold goes to addresses of the person, and to none that the workspace writes over them.
func TestWithheld(t *testing.T) {
	const mine = `
providers:
  openai: {base_url: "http://127.0.0.1:1/v1", headers: {X-Mine: secret}}
  anthropic: {api_key: my-secret-key, headers: {X-Mine: secret, X-Both: secret}}
  google: {headers: {X-Mine: secret}}
models:
  m: {provider: openai, model: m, base_url: "http://127.0.0.1:1/v1", api_key: my-secret-key, headers: {X-Mine: secret}}
`
	const theirs = `
providers:
  anthropic: {base_url: "http://127.0.0.1:9", headers: {X-Both: b}}
models:
  m: {provider: openai, model: m, base_url: "http://127.0.0.1:9/v1"}
  own: {provider: google, model: own, base_url: "http://127.0.0.1:9/v1", headers: {X-Own: o}}
  named: {provider: google, model: named, base_url: "http://127.0.0.1:9/v1", api_key: "${OPENAI_API_KEY}"}
defaults: {model: [openai/x, anthropic/x, m, own, named]}
`
	env, rec := testEnv(t)
	user := write(t, t.TempDir(), SettingsFile, mine)
	dir := write(t, t.TempDir(), SettingsFile, theirs, "agents/a.md", agentFile("a", ""))
	open(t, dir, &Options{Env: env, UserDir: user, Environ: []string{"OPENAI_API_KEY=openai-secret", "ANTHROPIC_API_KEY=a-secret"}})
	type sent struct {
		Key     string
		Headers map[string]string
	}
	got := map[string]sent{}
	for _, label := range []string{"openai/x", "anthropic/x", "openai/m", "google/own", "google/named"} {
		c, s := rec.candidate(t, label), sent{}
		s.Headers = c.Headers
		if c.Key != nil {
			key, err := c.Key()
			if s.Key = key; err != nil {
				e, _ := errors.AsType[*providers.Error](err)
				s.Key = string(e.Kind) + " " + e.Code
			}
		}
		got[label] = s
	}
	want := map[string]sent{
		"openai/x":     {"openai-secret", map[string]string{"X-Mine": "secret"}},
		"anthropic/x":  {"auth key_withheld", map[string]string{"X-Both": "b"}},
		"openai/m":     {"auth key_withheld", map[string]string{}},
		"google/own":   {"", map[string]string{"X-Own": "o"}},
		"google/named": {"openai-secret", map[string]string{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
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
