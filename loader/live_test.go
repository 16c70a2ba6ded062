package loader

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
)

func open(t *testing.T, dir string, o *Options) *Live {
	t.Helper()
	live, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = live.Close() })
	return live
}

func TestOpenRefusesErrors(t *testing.T) {
	env, _ := testEnv(t)
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", "tools: [Raed]\n"))
	_, err := Open(t.Context(), dir, &Options{Env: env, Environ: []string{}})
	list, ok := errors.AsType[*diag.ListError](err)
	if !ok || list.List.Count(diag.Error) != 1 {
		t.Fatalf("Open: %v", err)
	}
	live := open(t, dir, &Options{Env: env, Environ: []string{}, Partial: true})
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := g.Start("a"); err == nil || !strings.Contains(err.Error(), "E-TOOL-UNKNOWN") {
		t.Errorf("Start of what did not load: %v", err)
	}
}

func TestNoSuchFolder(t *testing.T) {
	file := filepath.Join(write(t, t.TempDir(), "x", ""), "x")
	for _, dir := range []string{filepath.Join(t.TempDir(), "nowhere"), file} {
		if _, err := Open(t.Context(), dir, nil); err == nil || !strings.HasPrefix(err.Error(), "workspace ") {
			t.Errorf("Open(%s): %v", dir, err)
		}
		if _, err := Check(t.Context(), dir, nil); err == nil {
			t.Errorf("Check(%s) found something", dir)
		}
	}
}

func TestRootIsTheNearestSettingsUpwards(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, SettingsFile, "version: 1\n", "a/b/c/x.md", "", "a/"+SettingsFile+"/x", "")
	t.Chdir(filepath.Join(dir, "a", "b", "c"))
	r, err := Check(t.Context(), "", &Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Root != dir {
		t.Errorf("root %s, want %s: a folder named %s is no workspace", r.Root, dir, SettingsFile)
	}
	r, err = Check(t.Context(), ".", &Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "a", "b", "c"); r.Root != want {
		t.Errorf("a folder that is given: root %s, want %s", r.Root, want)
	}
}

func TestAcquireAfterClose(t *testing.T) {
	live := open(t, t.TempDir(), &Options{Environ: []string{}})
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	if g.Generation() != 1 || live.Report() == nil {
		t.Errorf("generation %d, report %v", g.Generation(), live.Report())
	}
	for range 2 {
		if err := live.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := live.Acquire(); !errors.Is(err, ErrClosed) || live.Report() != nil {
		t.Errorf("Acquire after Close: %v", err)
	}
	release()
}

// TestGenerationsCloseOnce swaps graphs under readers: each graph closes once, after its last lease and not before.
func TestGenerationsCloseOnce(t *testing.T) {
	const generations, readers = 200, 8
	var closed [generations]atomic.Int32
	var live Live
	next := func(n int) *generation {
		g, err := agents.New(agents.Spec{Generation: n, Closers: []func() error{func() error { closed[n].Add(1); return nil }}})
		if err != nil {
			t.Fatal(err)
		}
		return publish(&loaded{graph: g, report: &Report{}})
	}
	live.current.Store(next(0))
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range readers {
		wg.Go(func() {
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
				if n := closed[g.Generation()].Load(); n != 0 {
					t.Errorf("generation %d is leased and was closed %d times", g.Generation(), n)
				}
				release()
				release()
			}
		})
	}
	for n := 1; n < generations; n++ {
		if err := live.swap(next(n)); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	if err := live.Close(); err != nil {
		t.Error(err)
	}
	for n := range closed {
		if c := closed[n].Load(); c != 1 {
			t.Errorf("generation %d was closed %d times", n, c)
		}
	}
}

// swap publishes a graph that no load made.
func (l *Live) swap(next *generation) error {
	if old := l.current.Swap(next); old != nil {
		return old.leases.end()
	}
	return nil
}

// TestLoadTouchesNothing loads a workspace whose every part could reach outside: nothing is sent (noDial), no variable of a
// key is read, no process and no goroutine is left.
func TestLoadTouchesNothing(t *testing.T) {
	env, rec := testEnv(t)
	marker := filepath.Join(t.TempDir(), "ran")
	dir := write(t, t.TempDir(),
		SettingsFile, "models: {m: [openai/gpt-5, anthropic/claude-sonnet-4-5]}\ndefaults: {model: m}\n",
		"agents/a.md", agentFile("a", "tools: [Read, touch_it]\n"),
		"tools/touch_it.md", "---\nname: touch_it\ndescription: Leaves a mark.\n---\n```sh\ntouch "+marker+"\n```\n")
	before, files := runtime.NumGoroutine(), descriptors(t)
	o := &Options{Env: env, Environ: []string{"OPENAI_API_KEY=first"}}
	live := open(t, dir, o)
	o.Environ[0] = "OPENAI_API_KEY=second" // a load that had read the key would have kept the first
	if key, err := rec.candidate(t, "openai/gpt-5").Key(); err != nil || key != "second" {
		t.Errorf("key at the first send: %q, %v", key, err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a load ran a custom tool")
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() { // one that is done still counts for a moment
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before the load", runtime.NumGoroutine(), before)
		}
	}
	if n := descriptors(t); n > files {
		t.Errorf("%d files are open, %d before the load", n, files)
	}
	if err := live.Close(); err != nil {
		t.Error(err)
	}
}

// descriptors counts the open files of this process; 0 where the system does not tell.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

func TestCancelledLoad(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""))
	if _, err := Open(ctx, dir, &Options{Environ: []string{}}); err == nil {
		t.Error("a load went on after its context had ended")
	}
}

// TestModelsOfRunsAtOnce: runs side by side may each ask for a model that no file names.
func TestModelsOfRunsAtOnce(t *testing.T) {
	env, _ := testEnv(t)
	live := open(t, write(t, t.TempDir(), "agents/a.md", agentFile("a", "")), &Options{Env: env, Environ: []string{}})
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if m, err := g.Model(fmt.Sprintf("openai/gpt-m%d", i)); m == nil || err != nil {
				t.Errorf("model %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}
