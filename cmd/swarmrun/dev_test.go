package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// devProgram is `swarmrun dev` with pipes on all sides.
type devProgram struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    io.Closer // stdout
	stdout chan string
	stderr chan string
}

func startDev(t *testing.T, bin string, args ...string) *devProgram {
	t.Helper()
	dir := t.TempDir()
	d := &devProgram{t: t, dir: dir, stdout: make(chan string, 100), stderr: make(chan string, 100)}
	d.write("swarmrun.yaml", "version: 1\ndefaults: {model: script/echo}\n")
	d.write("models/echo.yaml", "version: 1\nrules:\n  - reply: {text: \"{{ .System | trim }} / {{ .Prompt }}\"}\n")
	d.write("agents/a.md", "---\ndescription: Answers.\ntools: [Read]\n---\nFirst.\n")
	d.write("jobs/a.yaml", "agent: a\nprompt: hi\ncases: [{name: one, expect: [{contains: First}]}, {name: two, expect: [{contains: never}]}]\n")
	d.cmd = exec.CommandContext(t.Context(), bin, append([]string{"-C", dir}, args...)...)
	d.cmd.Env = append(cleanEnviron(), "HOME="+dir, "PATH="+os.Getenv("PATH"))
	var err error
	if d.stdin, err = d.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	for to, pipe := range map[chan string]func() (io.ReadCloser, error){d.stdout: d.cmd.StdoutPipe, d.stderr: d.cmd.StderrPipe} {
		r, err := pipe()
		if err != nil {
			t.Fatal(err)
		}
		if to == d.stdout {
			d.out = r
		}
		go func() {
			defer close(to)
			for lines := bufio.NewScanner(r); lines.Scan(); {
				to <- lines.Text()
			}
		}()
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *devProgram) write(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *devProgram) say(line string) {
	d.t.Helper()
	if _, err := io.WriteString(d.stdin, line+"\n"); err != nil {
		d.t.Fatal(err)
	}
}

// until reads a stream up to the line that holds the text, which it returns.
func (d *devProgram) until(from chan string, text string) string {
	d.t.Helper()
	var seen []string
	for deadline := time.After(60 * time.Second); ; {
		select {
		case line, open := <-from:
			if !open {
				d.t.Fatalf("the stream ended before %q; so far:\n%s", text, strings.Join(seen, "\n"))
			}
			if strings.Contains(line, text) {
				return line
			}
			seen = append(seen, line)
		case <-deadline:
			d.t.Fatalf("no line with %q; so far:\n%s", text, strings.Join(seen, "\n"))
		}
	}
}

// interrupt ends the program and returns its exit code.
func (d *devProgram) interrupt() int {
	d.t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGINT); err != nil {
		d.t.Fatal(err)
	}
	for _, c := range []chan string{d.stdout, d.stderr} {
		go func() {
			for range c { // what is said at the end
			}
		}()
	}
	_ = d.cmd.Wait() // the exit code says it
	return d.cmd.ProcessState.ExitCode()
}

// TestDev writes, breaks and mends files while the program watches.
func TestDev(t *testing.T) {
	d := startDev(t, buildProgram(t), "dev", "a", "how are you?")
	d.until(d.stderr, "generation 1: 1 agent")
	d.until(d.stdout, "First. / how are you?")
	d.write("agents/a.md", "---\ndescription: Answers.\ntools: [Read, \"Bash(git *)\"]\n---\nSecond.\n")
	d.until(d.stderr, "✓ generation 2")
	if line := d.until(d.stderr, "~ agent a"); !strings.Contains(line, "prompt +1 −1 lines") || !strings.Contains(line, "gained Bash(git *)") {
		t.Errorf("the change is told as %q", line)
	}
	d.say("")
	d.until(d.stdout, "Second. / how are you?")
	d.write("agents/a.md", "---\ndescription: Answers.\ntools: [Raed]\n---\nThird.\n")
	d.until(d.stderr, "agents/a.md:3:9: error[E-TOOL-UNKNOWN]")
	d.until(d.stderr, "✗ still on generation 2")
	d.say("and now?")
	d.until(d.stdout, "Second. / and now?")
	d.write("agents/a.md", "---\ndescription: Answers.\n---\nThird.\n")
	d.until(d.stderr, "✓ generation 3")
	d.write("agents/b.md", "---\ndescription: Helps.\n---\nHelp.\n")
	d.until(d.stderr, "+ agent b (agents/b.md)")
	if code := d.interrupt(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}

// TestDevJSONLines has one event a line for every save and run, and a result at the end.
func TestDevJSONLines(t *testing.T) {
	d := startDev(t, buildProgram(t), "-o", "jsonl", "dev", "--rerun", "a", "hi")
	d.until(d.stdout, `"type":"graph_loaded"`)
	d.until(d.stdout, `"type":"run_stop"`)
	d.write("agents/a.md", "---\ndescription: Answers.\n---\nSecond.\n")
	line := d.until(d.stdout, `"type":"graph_reloaded"`)
	var reloaded struct {
		Generation int
		Changed    []struct{ Kind, Name, File string }
	}
	if err := json.Unmarshal([]byte(line), &reloaded); err != nil || reloaded.Generation != 2 || len(reloaded.Changed) != 1 || reloaded.Changed[0].File != "agents/a.md" {
		t.Errorf("%s: %v", line, err)
	}
	d.until(d.stdout, `"output":"Second. / hi"`)
	d.write("agents/a.md", "---\nname: a\n")
	d.until(d.stdout, `"type":"graph_rejected"`)
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	d.until(d.stdout, `"type":"result","ok":false,"kind":"cancelled"`)
	_ = d.cmd.Wait()
	if code := d.cmd.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
}

// TestDevWhileItWorks tells of saves while the agent works, and runs again on the last of them when it is done, unless another
// prompt was typed.
func TestDevWhileItWorks(t *testing.T) {
	d := startDev(t, buildProgram(t), "dev", "--rerun", "a")
	d.until(d.stderr, "generation 1: 1 agent")
	d.write("models/echo.yaml", "version: 1\nrules:\n  - when: {turn: 1, prompt_matches: wait}\n    reply: {tool_calls: [{name: Bash, input: {command: 'until [ -e go ]; do sleep 0.05; done'}}]}\n"+
		"  - reply: {text: \"{{ .System | trim }} / {{ .Prompt }}\"}\n")
	d.until(d.stderr, "✓ generation 2")
	agent := "---\ndescription: Answers.\ntools: [%s]\n---\n%s.\n"
	d.write("agents/a.md", fmt.Sprintf(agent, "Bash", "First"))
	d.until(d.stderr, "✓ generation 3")
	d.say("wait")
	d.write("agents/a.md", fmt.Sprintf(agent, "Bsah", "Second"))
	d.until(d.stderr, "✗ still on generation 3")
	d.write("agents/a.md", fmt.Sprintf(agent, "Bash", "Second"))
	d.until(d.stderr, "✓ generation 4")
	d.write("go", "")
	d.until(d.stdout, "First. / wait")
	d.until(d.stdout, "Second. / wait")
	if err := os.Remove(filepath.Join(d.dir, "go")); err != nil {
		t.Fatal(err)
	}
	d.say("")
	d.write("agents/a.md", fmt.Sprintf(agent, "Bash", "Third"))
	d.until(d.stderr, "✓ generation 5")
	d.say("something else")
	d.write("go", "")
	d.until(d.stdout, "Second. / wait")
	if line := d.until(d.stdout, "Third. / "); !strings.HasSuffix(line, "something else") {
		t.Errorf("the run after that is %q", line)
	}
	if code := d.interrupt(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}

// TestDevReaderGone ends quietly with the first event that nobody takes.
func TestDevReaderGone(t *testing.T) {
	d := startDev(t, buildProgram(t), "-o", "jsonl", "dev", "a")
	line := d.until(d.stdout, `"type":"graph_loaded"`)
	if strings.Contains(line, `"time":"0001-`) {
		t.Errorf("no time: %s", line)
	}
	d.out.Close()
	d.until(d.stderr, "generation 1: 1 agent")
	d.write("agents/a.md", "---\ndescription: Answers.\n---\nSecond.\n")
	for line := range d.stderr {
		if strings.Contains(line, "swarmrun:") {
			t.Errorf("a word about it: %s", line)
		}
	}
	_ = d.cmd.Wait()
	if code := d.cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

// TestDevCase runs one case of a job after every save, also of its fixture.
func TestDevCase(t *testing.T) {
	d := startDev(t, buildProgram(t), "dev", "--case", "a/one")
	d.until(d.stderr, "✓ a/one")
	d.until(d.stdout, "passed · 1 case: 1 passed")
	d.write("agents/a.md", "---\ndescription: Answers.\n---\nSecond.\n")
	d.until(d.stderr, "✗ a/one")
	d.until(d.stderr, `expected the answer holds "First"`)
	d.write("agents/a.md", "---\ndescription: Answers.\n---\nFirst again.\n")
	d.until(d.stderr, "✓ a/one")
	d.write("fixtures/x/note.txt", "wrong")
	d.write("jobs/a.yaml", "agent: a\nprompt: hi\nsetup: fixtures/x\ncases: [{name: one, expect: [{file: {path: note.txt, contains: right}}]}]\n")
	d.until(d.stderr, "✗ a/one")
	d.write("fixtures/x/note.txt", "right")
	d.until(d.stderr, "a fixture has changed")
	d.until(d.stderr, "✓ a/one")
	if code := d.interrupt(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}
