package runner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

// crashEnv names the folder in which this test binary, started as another process, begins a run that it does not end.
const crashEnv = "RUNNER_TEST_CHILD"

// crashing is an agent whose one tool leaves a mark and never returns; asked again, it says what it knows.
func crashing(t *testing.T, dir string) *scene {
	a := worker(t,
		script.Rule{When: []script.When{{Prompt: "^do it$"}}, Reply: use(call("add", `{"a":1,"b":1}`), call("act", `{}`))},
		script.Rule{Reply: say(`{{ range .AllResults }}{{ .Tool }}: {{ .Text }} {{ end }}`)},
	)
	a.Limits.MaxConcurrentTools = 1
	a.Tools = append(a.Tools, tools.Fixed(bare{"act", func(*tools.Call) (tools.Result, error) {
		f, err := os.OpenFile(filepath.Join(dir, "marks"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return tools.Result{}, err
		}
		if _, err := f.WriteString("x"); err != nil {
			return tools.Result{}, err
		}
		select {} // until the process is killed
	}}))
	return &scene{agents: []*agents.Agent{a}}
}

// TestChild is the other process of TestKilledRun.
func TestChild(t *testing.T) {
	dir := os.Getenv(crashEnv)
	if dir == "" {
		t.Skip("for TestKilledRun")
	}
	r := newRunner(t, crashing(t, dir), &runner.Options{Sessions: session.NewDir(dir), NewID: func() string { return "killed" }})
	mustDo(t, r, runner.Request{Input: "do it"}, nil)
}

// TestKilledRun kills a process in the middle of a tool call. The session goes on: what was done is known, what was begun is
// told as unknown, and nothing is done again.
func TestKilledRun(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run=^TestChild$")
	c.Env = append(os.Environ(), crashEnv+"="+dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	marks := func() string {
		b, _ := os.ReadFile(filepath.Join(dir, "marks")) // not there yet is no mark
		return string(b)
	}
	for end := time.Now().Add(20 * time.Second); marks() == ""; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			_ = c.Process.Kill()
			t.Fatal("the other process did not begin the call")
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed

	var told []string
	r := newRunner(t, crashing(t, dir), &runner.Options{Sessions: session.NewDir(dir)})
	res := mustDo(t, r, runner.Request{Input: "what did you do?", Session: "killed"}, &runner.RunOptions{Sink: func(e event.Event) {
		if w, ok := e.(*event.Warning); ok {
			told = append(told, w.Code+": "+w.Message)
		}
	}})
	want := "add: 2 act: Result unknown: the program ended while this call was running. Side effects are possible; check before you repeat it. "
	if diff := cmp.Diff(want, res.Text()); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"result_unknown: the program ended while these calls were running, side effects are possible: act"}, told); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if got := marks(); got != "x" {
		t.Errorf("the call was done %d times", len(got))
	}
	if res := mustDo(t, r, runner.Request{Input: "and now?", Session: "killed"}, nil); res.Text() != want {
		t.Errorf("later the session says %q", res.Text())
	}
}
