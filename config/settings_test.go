package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
)

// lines are findings as "file:line:column code".
func lines(ds diag.List) []string {
	out := []string{}
	for _, d := range ds.Sort() {
		out = append(out, fmt.Sprintf("%s %s", d.Range, d.Code))
	}
	return out
}

func workspace(text string) Layers {
	return Layers{Workspace: Source{"swarmrun.yaml", []byte(text)}}
}

const fullSettings = `version: 1
name: support
default_agent: triage
models:                         # names for model chains
  smart: [anthropic/claude-sonnet-4-5, openai/gpt-5]
  fast: openai/gpt-5-mini
  gpt-4.1: openai/gpt-4.1
  local: {provider: openai, model: qwen3, base_url: "http://127.0.0.1:8000/v1", api_key: "${LOCAL_KEY:-none}",
          context_window: 32768, price: {input: 0, output: 0}}
providers:
  openai: {api_key: "${OPENAI_API_KEY}", limits: {concurrency: 8, requests_per_minute: 500}}
defaults: {model: smart, max_turns: 50, timeout: 10m}
retry: {attempts: 4, deadline: 90s}
permissions: {deny: ["Bash(rm *)", "Read(.env)"], ask: ["Write"]}
budget: {cost: 2.00, tokens: 500000}
memory: {embedder: builtin}
sandbox: {mode: auto}
include: [claude, mcp.json, agents-skills]
`

func TestReadSettings(t *testing.T) {
	in := workspace(fullSettings)
	in.Env = []string{"OPENAI_API_KEY=sk-1"}
	s, ds := ReadSettings(in)
	if len(ds) != 0 {
		t.Fatalf("findings: %v", ds)
	}
	local := s.Models[2]
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"names of models", s.Models[0].Name.V + " " + s.Models[1].Name.V + " " + local.Name.V + " " + s.Models[3].Name.V, "fast gpt-4.1 local smart"},
		{"chain", texts(s.Models[3].Chain), []string{"anthropic/claude-sonnet-4-5", "openai/gpt-5"}},
		{"place in a chain", s.Models[3].Chain[1].At.String(), "swarmrun.yaml:5:40"},
		{"default of a variable", local.APIKey.V, "none"},
		{"window", local.ContextWindow.V, 32768},
		{"a price of zero is a price", local.Price.Set(), true},
		{"key", s.Providers[0].APIKey.V, "sk-1"},
		{"variable of the key", s.Providers[0].KeyVar, "OPENAI_API_KEY"},
		{"limits", s.Providers[0].Limits.V, Limits{Concurrency: 8, RequestsPerMinute: 500}},
		{"default model", texts(s.Defaults.Model.V), []string{"smart"}},
		{"default timeout", s.Defaults.Timeout.V, 10 * time.Minute},
		{"deadline", s.Retry.Deadline.V, 90 * time.Second},
		{"deny", texts(s.Permissions.Deny), []string{"Bash(rm *)", "Read(.env)"}},
		{"budget", s.Budget.V, Budget{Cost: 2, Tokens: 500000}},
		{"sandbox", s.Sandbox.Mode.V, "auto"},
		{"include", texts(s.Include.V), []string{"claude", "mcp.json", "agents-skills"}},
		{"without effect", texts(s.Inactive), []string{"memory"}},
		{"place of a value", s.DefaultAgent.At, diag.At("swarmrun.yaml", 3, 16, 6)},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestLayersAndOrigins(t *testing.T) {
	s, ds := ReadSettings(Layers{
		User:      Source{"/home/u/swarmrun.yaml", []byte("name: mine\nretry: {attempts: 2, base: 2s}\nmodels: {gpt-4.1: openai/a, b: openai/b}\n")},
		Workspace: Source{"swarmrun.yaml", []byte("retry: {attempts: 3}\nmodels: {gpt-4.1: [openai/c, openai/d]}\nproviders: {openai: {api_key: secret}}\n")},
		Env: []string{
			"SWARMRUN_RETRY__DEADLINE=3600", "SWARMRUN_BUDGET__COST=1.5", "SWARMRUN_ARG_NAME=x", "SWARMRUN_INCLUDE=claude,gemini",
			"SWARMRUN_RETRY__CHILD_DEADLINE=NaN", "SWARMRUN_RETRY__ATTEMPTS=99",
		},
		Flags: map[string]string{"defaults::max_turns": "7"},
	})
	if diff := cmp.Diff([]string{"$SWARMRUN_RETRY__ATTEMPTS E-VALUE-RANGE"}, lines(ds)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	var got []string
	for _, o := range s.Origins {
		if o.Layer != "default" {
			got = append(got, fmt.Sprintf("%s=%s %s %s", o.Path, o.Value, o.Layer, o.At))
		}
	}
	want := []string{
		"budget.cost=1.5 env $SWARMRUN_BUDGET__COST",
		"defaults.max_turns=7 flag flag defaults.max_turns",
		"include=claude,gemini env $SWARMRUN_INCLUDE",
		"models.b=openai/b user /home/u/swarmrun.yaml:3:32",
		"models.gpt-4.1=[openai/c, openai/d] workspace swarmrun.yaml:2:19",
		"name=mine user /home/u/swarmrun.yaml:1:7",
		"providers.openai.api_key= workspace swarmrun.yaml:3:31",
		"retry.attempts=3 workspace swarmrun.yaml:1:19",
		"retry.base=2s user /home/u/swarmrun.yaml:2:28",
		"retry.deadline=10m0s env $SWARMRUN_RETRY__DEADLINE",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("origins (-want +got):\n%s", diff)
	}
	if s.Override == nil || s.Override.MaxTurns.V != 7 || s.Override.Retry.Deadline.V != 600*time.Second || s.Override.Retry.ChildDeadline.Set() {
		t.Errorf("override %+v does not hold the flag and the clamped deadline", s.Override)
	}
	if s.Retry.Attempts.V != 3 || s.Retry.Base.V != 2*time.Second || s.Budget.V.Cost != 1.5 || len(s.Include.V) != 2 {
		t.Errorf("merged settings: retry %+v, budget %+v, include %v", s.Retry, s.Budget, s.Include.V)
	}
	for _, o := range s.Origins {
		if o.Path == "retry.jitter" && (o.Layer != "default" || o.Value != "1s") {
			t.Errorf("default of retry.jitter: %+v", o)
		}
	}
}

// TestDeadlinesOfTheEnvironment are never a reason to stop: what is out of range is clamped, what is no time is not set.
func TestDeadlinesOfTheEnvironment(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30": 30 * time.Second, "1.5": 1500 * time.Millisecond, "2m": 2 * time.Minute, "0.1": time.Second, "9999": 600 * time.Second, "-5": time.Second, "0": time.Second,
		"NaN": 0, "nan": 0, "inf": 0, "-Inf": 0, "1e400": 0, "abc": 0, "": 0,
	} {
		for _, name := range []string{"DEADLINE", "CHILD_DEADLINE"} {
			s, ds := ReadSettings(Layers{Env: []string{"SWARMRUN_RETRY__" + name + "=" + text}})
			var got time.Duration
			if r := s.Retry; r != nil && name == "DEADLINE" {
				got = r.Deadline.V
			} else if r != nil {
				got = r.ChildDeadline.V
			}
			if len(ds) > 0 || got != want {
				t.Errorf("%s=%q gives %s, want %s; %v", name, text, got, want, lines(ds))
			}
		}
	}
}

// TestEnvironmentWithoutNonsense has variables whose paths run through values.
func TestEnvironmentWithoutNonsense(t *testing.T) {
	s, ds := ReadSettings(Layers{Env: []string{"SWARMRUN_RETRY=4", "SWARMRUN_RETRY__ATTEMPTS=5", "SWARMRUN_NAME__X=y", "SWARMRUN_RETRY__DEDLINE=1"}})
	want := []string{
		"$SWARMRUN_NAME__X E-VALUE-TYPE", "$SWARMRUN_RETRY E-VALUE-TYPE", "$SWARMRUN_RETRY__DEDLINE E-KEY-UNKNOWN",
	}
	if diff := cmp.Diff(want, lines(ds)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if s.Retry == nil || s.Retry.Attempts.V != 5 {
		t.Errorf("retry: %+v", s.Retry)
	}
}

func TestVariables(t *testing.T) {
	in := workspace(`name: "${NAME} and $$HOME"
root: ${UNSET}
default_agent: ${EMPTY:-fallback}
models:
  gone: {provider: "${UNSET}", model: x}
  m: {provider: openai, model: x, context_window: "${WINDOW}", api_key: "${UNSET}"}
include: ["${UNSET}", claude]
providers: {openai: {base_url: "${URL:?give the address}"}}
sandbox: {env: ["$NAME", "${bad-name}"]}
`)
	in.Env = []string{"NAME=first", "NAME=n", "EMPTY=", "WINDOW=1000"}
	s, ds := ReadSettings(in)
	want := []string{
		"swarmrun.yaml:2:7 W-VAR-UNSET", "swarmrun.yaml:5:20 W-VAR-UNSET", "swarmrun.yaml:6:73 I-VAR-UNSET",
		"swarmrun.yaml:7:11 W-VAR-UNSET", "swarmrun.yaml:8:32 E-VAR-UNSET",
	}
	if diff := cmp.Diff(want, lines(ds)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if s.Name.V != "n and $HOME" || s.Root.Set() || s.DefaultAgent.V != "fallback" {
		t.Errorf("name %q, root %v, default agent %q", s.Name.V, s.Root, s.DefaultAgent.V)
	}
	if len(s.Models) != 1 || s.Models[0].ContextWindow.V != 1000 || !s.Models[0].APIKey.Set() || s.Models[0].APIKey.V != "" || s.Models[0].KeyVar != "UNSET" {
		t.Errorf("models: %+v", s.Models)
	}
	if got := strings.Join(texts(s.Sandbox.Env), " "); got != "$NAME ${bad-name}" {
		t.Errorf("what is no reference became %q", got)
	}
}

// TestNoSecretIsShown has keys, and variables that hold them, where they do not belong.
func TestNoSecretIsShown(t *testing.T) {
	const key = "sk-very-secret"
	in := workspace(`name: "is ${SECRET}"
retry: {attempts: "${SECRET}", base: "${SECRET}"}
budget: {cost: "${SECRET}"}
providers:
  openai: {api_key: {v: sk-very-secret}, headers: {a: [sk-very-secret]}, base_url: "${SECRET}", type: "${SECRET}"}
  other: {headers: sk-very-secret, api_key: sk-very-secret}
sandbox: {mode: "${SECRET}"}
`)
	in.Env = []string{"SECRET=" + key, "SWARMRUN_PROVIDERS__OPENAI__API_KEY=" + key}
	s, ds := ReadSettings(in)
	if len(ds) < 8 {
		t.Errorf("only %d findings: %v", len(ds), lines(ds))
	}
	for _, d := range ds {
		if text := fmt.Sprint(d); strings.Contains(text, key) {
			t.Errorf("a finding shows the key: %s", text)
		}
	}
	for _, o := range s.Origins {
		if strings.Contains(o.Value, key) {
			t.Errorf("show config shows the key: %+v", o)
		}
	}
	if s.Name.V != "is "+key {
		t.Errorf("name %q", s.Name.V)
	}
}

// TestBrokenEntryHidesNothing has a wrong value above a right one.
func TestBrokenEntryHidesNothing(t *testing.T) {
	s, ds := ReadSettings(Layers{
		User:      Source{"user.yaml", []byte("retry: {attempts: 2}\nname: a\n")},
		Workspace: Source{"swarmrun.yaml", []byte("retry: often\nname:\n")},
	})
	if diff := cmp.Diff([]string{"swarmrun.yaml:1:8 E-VALUE-TYPE", "swarmrun.yaml:2:1 W-VALUE-NULL"}, lines(ds)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if s.Retry == nil || s.Retry.Attempts.V != 2 || s.Name.V != "a" {
		t.Errorf("retry %+v, name %q", s.Retry, s.Name.V)
	}
}
