package loader

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// names lists definitions as file status.
func definitions(r *Report, kind config.Kind) []string {
	var out []string
	for _, d := range r.Definitions {
		if d.Kind == kind {
			out = append(out, d.File+" "+string(d.Status))
		}
	}
	return out
}

func check(t *testing.T, dir string, o *Options) *Report {
	t.Helper()
	if o.Env == nil {
		o.Env, _ = testEnv(t)
	}
	if o.Environ == nil {
		o.Environ = []string{}
	}
	r, err := Check(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// TestLinks: links are followed, a file that is reached twice loads once, circles and dangling links are no harm.
func TestLinks(t *testing.T) {
	outside := write(t, t.TempDir(), "far.md", agentFile("far", ""), "deep/farther.md", agentFile("farther", ""))
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""), "agents/sub/b.md", agentFile("b", ""))
	link(t, filepath.Join(dir, "agents", "a.md"), filepath.Join(dir, "agents", "z.md"))
	link(t, filepath.Join(outside, "far.md"), filepath.Join(dir, "agents", "far.md"))
	link(t, filepath.Join(outside, "deep"), filepath.Join(dir, "agents", "linked"))
	link(t, filepath.Join(dir, "agents"), filepath.Join(dir, "agents", "sub", "loop"))
	link(t, filepath.Join(dir, "nowhere.md"), filepath.Join(dir, "agents", ".#a.md"))
	link(t, filepath.Join(dir, "nowhere.md"), filepath.Join(dir, "agents", "dangling.md"))
	if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(dir, "agents"), filepath.Join(dir, ".claude", "agents"))
	r := check(t, dir, &Options{})
	want := []string{"agents/a.md loaded", "agents/far.md loaded", "agents/linked/farther.md loaded", "agents/sub/b.md loaded"}
	got := definitions(r, config.KindAgent)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Diagnostics.HasErrors() {
		t.Error(r.Diagnostics)
	}
}

// TestOddFiles: what is no regular file, too large or not readable never hangs a load or takes others down.
func TestOddFiles(t *testing.T) {
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""), "agents/huge.md", "", "agents/locked.md", agentFile("locked", ""),
		"agents/folder.md/inner.md", agentFile("inner", ""), "agents/.hidden.md", agentFile("hidden", ""), "agents/a.md~", "old")
	if err := os.Truncate(filepath.Join(dir, "agents", "huge.md"), maxFileSize+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "agents", "locked.md"), 0); err != nil {
		t.Fatal(err)
	}
	must(t, exec.CommandContext(t.Context(), "mkfifo", filepath.Join(dir, "agents", "pipe.md")).Run())
	locked := "agents/locked.md broken"
	if os.Geteuid() == 0 {
		locked = "agents/locked.md loaded" // nothing is locked for root
	}
	r := check(t, dir, &Options{})
	got := definitions(r, config.KindAgent)
	slices.Sort(got)
	want := []string{"agents/a.md loaded", "agents/folder.md/inner.md loaded", "agents/huge.md broken", locked}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, d := range r.Diagnostics {
		if d.Range.File == "agents/huge.md" && !strings.Contains(d.Summary, "larger than 4 MiB") {
			t.Errorf("huge: %s", d.Summary)
		}
	}
}

func TestRootAndInclude(t *testing.T) {
	dir := write(t, t.TempDir(),
		SettingsFile, "root: team\ninclude: []\n",
		"team/agents/a.md", agentFile("a", ""), "agents/not.md", agentFile("not", ""), ".claude/agents/c.md", agentFile("c", ""))
	r := check(t, dir, &Options{})
	if diff := cmp.Diff([]string{"team/agents/a.md loaded"}, definitions(r, config.KindAgent)); diff != "" {
		t.Error(diff)
	}
	write(t, dir, SettingsFile, "root: nowhere\n")
	r = check(t, dir, &Options{})
	if len(r.Diagnostics) == 0 || r.Diagnostics[len(r.Diagnostics)-1].Code != "E-DIR-MISSING" || r.Ready {
		t.Errorf("a root that is not there: %v", r.Diagnostics)
	}
}

// TestDeterministic: the same folder gives the same report, however the files are read.
func TestDeterministic(t *testing.T) {
	dir := t.TempDir()
	generate(t, dir, 200)
	write(t, dir, "agents/x1.md", agentFile("agent-3", "tools: [Raed]\n"), "agents/x2.md", agentFile("broken", "tools: [Raed\n"))
	first := check(t, dir, &Options{})
	for range 3 {
		next := check(t, dir, &Options{})
		if diff := cmp.Diff(diagnostics(first.Diagnostics), diagnostics(next.Diagnostics)); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(first.Definitions, next.Definitions); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestTooManyFolders has a place with more folders than definitions need, as a link to the root of the disk has.
func TestTooManyFolders(t *testing.T) {
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""))
	for i := range maxFolders + 50 {
		if err := os.MkdirAll(filepath.Join(dir, "tools", fmt.Sprint(i/100), fmt.Sprint(i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env, _ := testEnv(t)
	r := check(t, dir, &Options{Env: env, Environ: []string{}})
	if r.Diagnostics.Count(diag.Error) != 1 || r.Diagnostics[0].Code != "E-DIR-LARGE" {
		t.Errorf("%v, want one E-DIR-LARGE", r.Diagnostics)
	}
	if got := definitions(r, config.KindAgent); len(got) != 1 {
		t.Errorf("agents are %v", got)
	}
}
