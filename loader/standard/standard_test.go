package standard

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/tools/builtin"
)

func TestBuiltinToolsAreListed(t *testing.T) {
	var want []string
	for _, tool := range builtin.New(nil) {
		want = append(want, tool.Spec().Name)
	}
	slices.Sort(want)
	r, err := loader.Check(t.Context(), t.TempDir(), &loader.Options{Env: Environment(), Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range r.List(config.KindTool) {
		got = append(got, d.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEndpointsHaveAFamilyAndOneMeaning(t *testing.T) {
	env := Environment()
	seen := map[string]bool{}
	for _, e := range env.Endpoints {
		if env.Families[e.Family] == nil {
			t.Errorf("%s has no client", e.Name)
		}
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
	}
	for _, name := range []string{
		"openai", "anthropic", "google", "ollama", "mistral", "groq", "deepseek", "xai", "openrouter", "together", "azure",
	} {
		if !seen[name] {
			t.Errorf("%s is not built in", name)
		}
	}
}

// TestEveryProviderCompiles makes a client of every built-in provider, with no key anywhere.
func TestEveryProviderCompiles(t *testing.T) {
	env := Environment()
	dir := t.TempDir()
	agent := "---\ndescription: One of each.\nmodel:\n"
	for _, e := range env.Endpoints {
		agent += "  - " + e.Name + "/some-model\n"
	}
	if err := os.Mkdir(filepath.Join(dir, "agents"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agents", "all.md"), []byte(agent+"---\nBody.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	live, err := loader.Open(t.Context(), dir, &loader.Options{Env: env, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	a, err := g.Start("all")
	if err != nil {
		t.Fatal(err)
	}
	if a.Model == nil {
		t.Error("no model")
	}
}
