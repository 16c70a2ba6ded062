package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sleeper is a workspace whose agent waits in the model, or in a command that ignores TERM.
func sleeper(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"swarmrun.yaml":   "version: 1\ndefaults: {model: script/all}\n",
		"models/all.yaml": "version: 1\nrules:\n  - when: {agent: slow}\n    reply: {text: \"so far so good\", chunk_delay: 10s}\n" + "  - when: {agent: shell, turn: 1}\n    reply: {tool_calls: [{name: Bash, input: {command: \"trap '' TERM; echo $$ >pid; while :; do sleep 0.1; done\"}}]}\n",
		"agents/slow.md":  "---\ndescription: Waits.\ntools: []\n---\nYou wait.\n",
		"agents/shell.md": "---\ndescription: Runs.\ntools: [Bash]\n---\nYou run.\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// startRun starts the program and waits until its first event of the given type.
func startRun(t *testing.T, bin, dir, agent, event string) (*exec.Cmd, *bytes.Buffer, io.Reader) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, "-C", dir, "-o", "jsonl", "run", agent, "go on")
	cmd.Env = append(cleanEnviron(), "HOME="+dir, "PATH="+os.Getenv("PATH"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("no %s before the end: %v\n%s", event, err, stderr.String())
		}
		if strings.Contains(line, `"type":"`+event+`"`) {
			return cmd, &stderr, lines
		}
	}
}

func TestSignals(t *testing.T) {
	bin := buildProgram(t)
	tests := []struct {
		name   string
		signal syscall.Signal
		exit   int
	}{
		{"interrupt", syscall.SIGINT, 130},
		{"terminate", syscall.SIGTERM, 143},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd, stderr, rest := startRun(t, bin, sleeper(t), "slow", "content_chunk")
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			last, err := io.ReadAll(rest)
			if err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit code says it
			if got := cmd.ProcessState.ExitCode(); got != tt.exit {
				t.Errorf("exit code %d, want %d\n%s", got, tt.exit, stderr)
			}
			lines := strings.Split(strings.TrimSpace(string(last)), "\n")
			if end := lines[len(lines)-1]; !strings.Contains(end, `"type":"result","ok":false,"kind":"cancelled"`) {
				t.Errorf("last line is %s", end)
			}
		})
	}
}

// A command that ignores TERM is gone when the program is, at the first signal and at the second.
func TestSignalEndsChildren(t *testing.T) {
	bin := buildProgram(t)
	for _, signals := range []int{1, 2} {
		dir := sleeper(t)
		cmd, _, rest := startRun(t, bin, dir, "shell", "tool_call")
		pid := waitForPid(t, filepath.Join(dir, "pid"))
		for range signals {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := io.Copy(io.Discard, rest); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != 130 {
			t.Errorf("%d signals: exit code %d, want 130", signals, got)
		}
		if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
			t.Errorf("%d signals: the command is still there", signals)
			_ = p.Kill()
		}
	}
}

// waitForPid reads a process id that a command writes.
func waitForPid(t *testing.T, file string) int {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(file)
		if err == nil && bytes.HasSuffix(data, []byte("\n")) {
			pid := 0
			for _, c := range bytes.TrimSpace(data) {
				pid = pid*10 + int(c-'0')
			}
			return pid
		}
	}
	t.Fatal("the command did not start")
	return 0
}

// A reader that had enough ends the run quietly, and not with success.
func TestClosedPipe(t *testing.T) {
	bin := buildProgram(t)
	cmd := exec.CommandContext(t.Context(), bin, "-C", sleeper(t), "-o", "jsonl", "-q", "run", "slow", "go on")
	cmd.Env = append(cleanEnviron(), "HOME="+t.TempDir(), "PATH="+os.Getenv("PATH"))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	r.Close()
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 1 {
		t.Errorf("exit code %d, want 1", got)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", stderr.String())
	}
}
