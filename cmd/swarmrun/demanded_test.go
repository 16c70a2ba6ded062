package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/loader/standard"
	"github.com/swarmrun/swarmrun/runner/event"
)

// TestDemanded: what run, dev and mcp serve ask before they begin refuses where nothing can be confined.
func TestDemanded(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"swarmrun.yaml": "sandbox: {mode: require}\n",
		"agents/a.md":   "---\nmodel: openai/gpt-5\ndescription: x\ntools: [Bash]\n---\nx\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	live, err := loader.Open(t.Context(), dir, &loader.Options{Env: standard.Environment(), Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{live: live, graph: g, release: release}
	defer w.release()
	for _, target := range []string{"", "a"} {
		f, ok := errors.AsType[*failed](w.demanded(target))
		if !ok || f.kind != event.KindPermissionDenied {
			t.Errorf("%q: got %v", target, f)
		}
	}
}
