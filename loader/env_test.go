package loader

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/swarmrun/swarmrun/loader/claude"
	"github.com/swarmrun/swarmrun/loader/copilot"
	"github.com/swarmrun/swarmrun/loader/gemini"
	"github.com/swarmrun/swarmrun/loader/opencode"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

var update = flag.Bool("update", false, "write the golden parts of testdata/*.txtar")

// fixtureTools are the tools that the fixtures of the formats expect to exist, beside Agent.
var fixtureTools = []string{"Read", "Grep", "Glob", "Bash", "Edit", "Write", "WebFetch"}

// recorder is a family whose clients keep what they were made of.
type recorder struct {
	mu   sync.Mutex
	made []providers.Candidate
}

type recorded struct{ c providers.Candidate }

func (r recorded) Name() string { return r.c.Label }

func (r recorded) Capabilities() providers.Capabilities { return r.c.Limits }

func (r recorded) Generate(context.Context, *providers.Request, func(providers.Delta) error) (*providers.Response, error) {
	if r.c.Key != nil {
		if _, err := r.c.Key(); err != nil {
			return nil, err
		}
	}
	return &providers.Response{Message: providers.Message{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: r.c.Label}}}}, nil
}

func (r *recorder) family(c providers.Candidate) (providers.Model, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made = append(r.made, c)
	return recorded{c}, nil
}

// candidate finds what a client was made of.
func (r *recorder) candidate(t *testing.T, label string) providers.Candidate {
	t.Helper()
	for _, c := range r.made {
		if c.Label == label {
			return c
		}
	}
	t.Fatalf("no client was made for %s", label)
	return providers.Candidate{}
}

// noDial fails the test when anything is sent.
type noDial struct{ t testing.TB }

func (n noDial) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("a load sent a request to %s", r.URL)
	return nil, errors.New("no network in this test")
}

// testEnv is an environment of fixed tools and two providers whose clients are recorded.
func testEnv(t testing.TB) (*Environment, *recorder) {
	t.Helper()
	rec := &recorder{}
	env := &Environment{
		Families: map[string]providers.Family{"openai": rec.family, "anthropic": rec.family},
		Endpoints: []Endpoint{
			{Family: "openai", Endpoint: providers.Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1", KeyVars: []string{"OPENAI_API_KEY"}}},
			{Family: "anthropic", Endpoint: providers.Endpoint{Name: "anthropic", KeyVars: []string{"ANTHROPIC_API_KEY"}}},
			{Family: "openai", Endpoint: providers.Endpoint{Name: "google", Aliases: []string{"gemini"}, KeyVars: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}}},
			{Family: "openai", Endpoint: providers.Endpoint{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", Keyless: true}},
			{Family: "openai", Endpoint: providers.Endpoint{Name: "azure", BaseURLVar: "AZURE_OPENAI_ENDPOINT", KeyVars: []string{"AZURE_OPENAI_API_KEY"}}},
		},
		HTTP: noDial{t},
	}
	for _, f := range claude.Formats() {
		env.Formats = append(env.Formats, f)
	}
	env.Formats = append(env.Formats, copilot.Format{}, gemini.Format{}, opencode.Format{})
	env.Builtin = func(sandbox.Launcher) []tools.Tool {
		var ts []tools.Tool
		for _, name := range fixtureTools {
			ts = append(ts, named(name))
		}
		return ts
	}
	return env, rec
}

// named is a tool that is only there.
type named string

func (n named) Spec() tools.Spec {
	readOnly := n == "Read" || n == "Grep" || n == "Glob"
	return tools.NewSpec(string(n), "the tool "+string(n), []byte(`{"type":"object"}`), readOnly)
}

func (n named) Call(context.Context, *tools.Call) (tools.Result, error) {
	return tools.Result{Content: string(n)}, nil
}

// write puts files, given as path, text pairs, under a folder.
func write(t testing.TB, dir string, files ...string) string {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// agentFile is a small agent; extra is more frontmatter, each line with its line break.
func agentFile(name, extra string) string {
	return "---\nname: " + name + "\ndescription: Does " + name + ".\n" + extra + "---\nYou are " + name + ".\n"
}
