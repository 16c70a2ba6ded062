package loader

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
)

// codes are the errors and the W-STALE of a change.
func codes(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		if d.Severity == diag.Error || d.Code == "W-STALE" {
			out = append(out, string(d.Code))
		}
	}
	return out
}

func defined(list []agents.Definition) string {
	var out []string
	for _, d := range list {
		out = append(out, d.Kind+":"+d.Name)
	}
	return strings.Join(out, " ")
}

func served(t *testing.T, l *Live) (generation int, agents []string) {
	t.Helper()
	g, release, err := l.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, a := range g.Agents() {
		agents = append(agents, a.Name)
	}
	return g.Generation(), agents
}

func TestReload(t *testing.T) {
	env, _ := testEnv(t)
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""), "agents/b.md", agentFile("b", "delegates_to: [a]\n"), "notes/x.txt", "one\n")
	live := open(t, dir, &Options{Env: env, Environ: []string{}})
	defer live.Close()
	reload := func(files ...string) agents.Change {
		t.Helper()
		write(t, dir, files...)
		c, err := live.Reload(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	steps := []struct {
		name      string
		files     []string
		published bool
		rejected  bool
		added     string
		changed   string
		removed   string
		codes     []string
	}{
		{name: "nothing"},
		{name: "the same text", files: []string{"agents/a.md", agentFile("a", "")}},
		{name: "a prompt", files: []string{"agents/a.md", agentFile("a", "") + "More.\n"}, published: true, changed: "agent:a"},
		{name: "a new agent", files: []string{"agents/c.md", agentFile("c", "")}, published: true, added: "agent:c"},
		{name: "a rename in place", files: []string{"agents/c.md", agentFile("d", "")}, published: true, added: "agent:d", removed: "agent:c"},
		{name: "a broken save", files: []string{"agents/a.md", "---\nname: a\nname: a\n---\n"}, rejected: true, changed: "agent:a", codes: []string{"E-NO-DESCRIPTION", "E-YAML-DUPKEY", "W-STALE"}},
		{name: "still broken, otherwise", files: []string{"agents/a.md", "---\nname: a\n"}, rejected: true, changed: "agent:a", codes: []string{"E-FENCE-CLOSE", "W-STALE"}},
		{name: "undone", files: []string{"agents/a.md", agentFile("a", "") + "More.\n"}},
		{name: "an include", files: []string{"agents/a.md", agentFile("a", "") + "@../notes/x.txt\n"}, published: true, changed: "agent:a"},
		{name: "what is included", files: []string{"notes/x.txt", "two\n"}, published: true, changed: "agent:a"},
		{name: "settings", files: []string{"swarmrun.yaml", "default_agent: a\n"}, published: true},
		{name: "broken settings", files: []string{"swarmrun.yaml", "default_agnet: a\n"}, rejected: true, codes: []string{"E-KEY-UNKNOWN", "W-STALE"}},
		{name: "a file of nobody", files: []string{"swarmrun.yaml", "default_agent: a\n", "README.md", "x"}},
	}
	generation := 1
	for _, s := range steps {
		c := reload(s.files...)
		if s.published {
			generation++
		}
		if c.Published != s.published || c.Rejected != s.rejected || c.Generation != generation {
			t.Fatalf("%s: published %t, rejected %t, generation %d, want %d; %v", s.name, c.Published, c.Rejected, c.Generation, generation, c.Diagnostics)
		}
		if got := defined(c.Added) + "|" + defined(c.Changed) + "|" + defined(c.Removed); got != s.added+"|"+s.changed+"|"+s.removed {
			t.Errorf("%s: added|changed|removed is %s", s.name, got)
		}
		if diff := cmp.Diff(s.codes, codes(c.Diagnostics)); diff != "" {
			t.Errorf("%s: codes (-want +got):\n%s", s.name, diff)
		}
		if got, _ := served(t, live); got != generation {
			t.Errorf("%s: generation %d is served, want %d", s.name, got, generation)
		}
	}
}

// TestReloadPartial has a workspace that began with an error: that one keeps no save from being published, a new one does.
func TestReloadPartial(t *testing.T) {
	env, _ := testEnv(t)
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""), "agents/bad.md", "---\nname: bad\n---\nText.\n")
	live, err := Open(t.Context(), dir, &Options{Env: env, Environ: []string{}, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	for _, s := range []struct {
		file, text          string
		published, rejected bool
	}{
		{"agents/a.md", agentFile("a", "") + "More.\n", true, false},
		{"agents/bad.md", "---\nname: bad\n---\n\nThe same fault, elsewhere.\n", true, false},
		{"agents/a.md", "---\nname: a\n", false, true},
		{"agents/a.md", agentFile("a", ""), true, false},
		{"agents/bad.md", agentFile("bad", ""), true, false},
	} {
		write(t, dir, s.file, s.text)
		c, err := live.Reload(t.Context())
		if err != nil || c.Published != s.published || c.Rejected != s.rejected {
			t.Fatalf("%s: %+v, %v", s.text, c, err)
		}
	}
}

// TestReloadUnderLeases reloads while readers lease: each sees a whole generation, the counts never go back, and every
// generation closes once.
func TestReloadUnderLeases(t *testing.T) {
	env, _ := testEnv(t)
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""))
	live := open(t, dir, &Options{Env: env, Environ: []string{}})
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			last := 0
			for {
				select {
				case <-stop:
					return
				default:
				}
				g, release, err := live.Acquire()
				if err != nil {
					t.Error(err)
					return
				}
				if n := g.Generation(); n < last {
					t.Errorf("generation %d after %d", n, last)
				} else {
					last = n
				}
				if a, ok := g.Agent("a"); !ok || !strings.HasSuffix(a.Prompt, fmt.Sprintf("Save %d.\n", g.Generation())) && g.Generation() > 1 {
					t.Errorf("generation %d has another one's prompt", g.Generation())
				}
				release()
			}
		})
	}
	for n := 2; n < 60; n++ {
		write(t, dir, "agents/a.md", agentFile("a", "")+fmt.Sprintf("Save %d.\n", n))
		if c, err := live.Reload(t.Context()); err != nil || !c.Published || c.Generation != n {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	close(stop)
	readers.Wait()
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := live.Reload(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed workspace reloads: %v", err)
	}
}

// TestReloadFixtures plays the sequences of the format reference, through the watcher.
func TestReloadFixtures(t *testing.T) {
	var table struct {
		Reload []struct {
			Name, Path string
			Beside     []string
			Steps      []struct {
				Content    string
				FirstBytes int `json:"first_bytes"`
				PauseMS    int `json:"pause_ms"`
				Delete     bool
				Serves     []string
				State      string
				Diag       []string
			}
		}
	}
	readJSON(t, "SCENARIOS.json", &table)
	for _, sc := range table.Reload {
		t.Run(sc.Name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, ".claude/agents/README.md", "Agents.\n")
			for _, b := range sc.Beside {
				copyFixtures(t, filepath.Join(root, ".claude"), b)
			}
			env, _ := testEnv(t)
			live := open(t, root, &Options{Env: env, Environ: []string{}})
			defer live.Close()
			told := watched(t, live)
			path := filepath.Join(root, ".claude", filepath.FromSlash(sc.Path))
			for i, s := range sc.Steps {
				switch {
				case s.Delete:
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				default:
					src, err := os.ReadFile(filepath.Join(formats, filepath.FromSlash(s.Content)))
					if err != nil {
						t.Fatal(err)
					}
					if s.FirstBytes > 0 {
						write(t, filepath.Dir(path), filepath.Base(path), string(src[:s.FirstBytes]))
						time.Sleep(time.Duration(s.PauseMS) * time.Millisecond)
					}
					write(t, filepath.Dir(path), filepath.Base(path), string(src))
				}
				c := <-told
				if c.Published != (s.State == "current") || c.Rejected != (s.State == "stale") {
					t.Fatalf("step %d: %+v", i, c)
				}
				if diff := cmp.Diff(s.Diag, codes(c.Diagnostics)); diff != "" {
					t.Errorf("step %d (-want +got):\n%s", i, diff)
				}
				if _, got := served(t, live); !slices.Equal(got, s.Serves) {
					t.Errorf("step %d serves %v, want %v", i, got, s.Serves)
				}
			}
		})
	}
	if len(table.Reload) == 0 {
		t.Error("no sequences")
	}
}

// watched runs Watch until the test ends.
func watched(t *testing.T, live *Live) <-chan agents.Change {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	told, done := make(chan agents.Change, 100), make(chan error, 1)
	ready := make(chan struct{})
	go func() {
		done <- live.watch(ctx, func(c agents.Change) { told <- c }, nil, func() { close(ready) })
	}()
	<-ready
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch ended with %v", err)
		}
	})
	return told
}

// TestWatch has what people do to a workspace while it is watched.
func TestWatch(t *testing.T) {
	env, _ := testEnv(t)
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""))
	live := open(t, dir, &Options{Env: env, Environ: []string{}})
	defer live.Close()
	told := watched(t, live)
	for _, s := range []struct {
		name string
		act  func()
		want string
	}{
		{"a save", func() { write(t, dir, "agents/a.md", agentFile("a", "")+"More.\n") }, "2 agent:a"},
		{"a folder that comes later", func() {
			write(t, dir, "tools/deep/t.md", "---\nname: t\ndescription: A tool.\n---\n```sh\necho hi\n```\n")
		}, "3 tool:t"},
		{"settings that come later", func() { write(t, dir, SettingsFile, "default_agent: a\n") }, "4"},
		{"a foreign tree that comes later", func() { write(t, dir, ".claude/agents/c.md", agentFile("c", "")) }, "5 agent:c"},
		{"the folder is gone", func() { must(t, os.Rename(dir, dir+".away")) }, "5 rejected E-FILE-READ W-STALE"},
		{"and back as it was", func() { must(t, os.Rename(dir+".away", dir)) }, "5"},
		{"gone again", func() { must(t, os.Rename(dir, dir+".away")) }, "5 rejected E-FILE-READ W-STALE"},
		{"and back, with another text", func() {
			write(t, dir+".away", "agents/a.md", agentFile("a", "")+"Other.\n")
			must(t, os.Rename(dir+".away", dir))
		}, "6 agent:a"},
		{"half of a file", func() { write(t, dir, "agents/a.md", agentFile("a", "")[:20]) }, "6 rejected E-FENCE-CLOSE W-STALE"},
		{"an agent is deleted", func() { must(t, os.Remove(filepath.Join(dir, "agents/a.md"))) }, "6 rejected E-TARGET-UNKNOWN W-STALE"},
		{"an agent turned into a folder", func() {
			write(t, dir, "agents/a.md/x.md", agentFile("x", ""))
		}, "6 rejected E-TARGET-UNKNOWN W-STALE"},
		{"a circle of links", func() {
			must(t, os.RemoveAll(filepath.Join(dir, "agents/a.md")))
			must(t, os.Symlink("a.md", filepath.Join(dir, "agents/a.md")))
		}, "6 rejected E-FILE-READ E-TARGET-UNKNOWN W-STALE"},
		{"the agent again", func() {
			must(t, os.Remove(filepath.Join(dir, "agents/a.md")))
			write(t, dir, "agents/a.md", agentFile("a", ""))
		}, "7 agent:a"},
		{"a link that leads to itself", func() { must(t, os.Symlink("b.md", filepath.Join(dir, "agents/b.md"))) }, "7 rejected E-FILE-READ W-STALE"},
		{"nothing but that", func() { must(t, os.Remove(filepath.Join(dir, "agents/b.md"))) }, "7"},
		{"a first answer \"always\"", func() { write(t, dir, keptFile, "deny: [\"Read(.env)\"]\n") }, "8"},
		{"the answers, edited", func() { write(t, dir, keptFile, "deny: [\"Read(.env*)\"]\n") }, "9"},
	} {
		s.act()
		select {
		case c := <-told:
			got := fmt.Sprint(c.Generation)
			for _, part := range append([]string{map[bool]string{true: "rejected"}[c.Rejected]}, codes(c.Diagnostics)...) {
				if part != "" {
					got += " " + part
				}
			}
			if all := strings.TrimSpace(defined(c.Added) + " " + defined(c.Changed)); c.Published && all != "" {
				got += " " + all
			}
			if got != s.want {
				t.Errorf("%s: told %q, want %q; %v", s.name, got, s.want, c.Diagnostics)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: nothing was told", s.name)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
