//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tmux is a terminal that a test uses as a person would: it types, and reads the screen.
type tmux struct {
	t           *testing.T
	socket, dir string
	env         []string
}

// openTmux runs a command of a shell in a window of so many columns and lines, in a folder.
func openTmux(t *testing.T, w, h int, dir, command string, env ...string) *tmux {
	t.Helper()
	for _, program := range []string{"tmux", "vi"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("%s is not here", program)
		}
	}
	short, err := os.MkdirTemp("", "tm") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	m := &tmux{t: t, socket: filepath.Join(short, "s"), dir: dir}
	m.env = append(cleanEnviron(), append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=1"}, env...)...)
	t.Cleanup(func() {
		_, _ = m.run("kill-server")
		os.RemoveAll(short)
	})
	m.must("-u", "-f", os.DevNull, "new-session", "-d", "-s", "main", "-n", "main", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h), "-c", dir, command+"; echo exit $?; read -r _")
	return m
}

func (m *tmux) run(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // also behind the end of the test
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", m.socket}, args...)...)
	cmd.Dir, cmd.Env = m.dir, m.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (m *tmux) must(args ...string) string {
	m.t.Helper()
	out, err := m.run(args...)
	if err != nil {
		m.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return out
}

// text types text as it is, keys presses keys by tmux's names.
func (m *tmux) text(s string) { m.must("send-keys", "-t", "main", "-l", s) }
func (m *tmux) keys(names ...string) {
	m.must(append([]string{"send-keys", "-t", "main"}, names...)...)
}

// line types a line.
func (m *tmux) line(s string) {
	m.text(s)
	m.keys("Enter")
}

// beside runs a command in another window and waits for its end; keys are typed into it.
func (m *tmux) beside(command string, keys ...string) {
	m.t.Helper()
	m.must("new-window", "-d", "-n", "beside", "-c", m.dir, command+"; tmux -S "+m.socket+" wait-for -S beside")
	for _, k := range keys {
		m.must("send-keys", "-t", "beside", k)
	}
	m.must("wait-for", "beside")
}

func (m *tmux) screen() string { return m.must("capture-pane", "-p", "-t", "main") }

// see waits until the screen has a text, and gives it.
func (m *tmux) see(text string) string {
	m.t.Helper()
	return m.until(func(screen string) bool { return strings.Contains(screen, text) }, text)
}

// gone waits until the screen has it no more.
func (m *tmux) gone(text string) string {
	m.t.Helper()
	return m.until(func(screen string) bool { return !strings.Contains(screen, text) }, "no "+text)
}

func (m *tmux) until(is func(string) bool, what string) string {
	m.t.Helper()
	screen := ""
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); {
		if screen = m.screen(); is(screen) {
			return screen
		}
	}
	m.t.Fatalf("the screen does not show %q:\n%s", what, screen)
	return ""
}

var (
	// unsteady is what two screens of the same differ in.
	unsteady = regexp.MustCompile(`\b\d+(\.\d+)? m?s\b|\b\d{8}-\d{6}-[0-9a-f]{10}\b`)
	spins    = regexp.MustCompile("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]")
	// counts are tokens of texts that name places.
	counts = regexp.MustCompile(`[\d,]+ tokens`)
)

// compare holds a screen against the one that is kept.
func (m *tmux) compare(name, screen string) {
	m.t.Helper()
	got := spins.ReplaceAllString(counts.ReplaceAllString(unsteady.ReplaceAllString(screen, "…"), "N tokens"), "⠋")
	file := filepath.Join("testdata", "tmux", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		m.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		m.t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// tmuxWorkspace is a folder with a lead and a helper whose models are scripts.
func tmuxWorkspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"swarmrun.yaml": "version: 1\ndefaults: {model: script/all}\n",
		"notes.txt":     "one\ntwo\nthree\n",
		"agents/lead.md": "---\ndescription: Leads the work.\ntools: [Read, Edit, Bash, TodoWrite]\npermissions: {ask: [Bash], allow: [\"Edit(notes.txt)\"]}\n" +
			"delegates_to: [helper]\ncontext: {window: 20000}\n---\nYou lead.\n",
		"agents/helper.md": "---\ndescription: Helps.\ntools: [Read]\n---\nYou help.\n",
		"models/all.yaml":  tmuxModel,
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

const tmuxModel = `version: 1
rules:
  - when: {agent: helper, turn: 1}
    reply: {tool_calls: [{name: Read, input: {file_path: notes.txt}}]}
  - when: {agent: helper}
    reply: {text: "There are three lines."}
  - when: {prompt_matches: "plan", turn: 1}
    reply:
      thinking: "Let me think about what is to be done here, and in which order."
      text: "I will look **first**."
      chunk_delay: 1ms
      tool_calls:
        - {name: TodoWrite, input: {todos: [{content: "Read the notes", status: completed, activeForm: "Reading"}, {content: "Change the notes", status: in_progress, activeForm: "Changing the notes"}]}}
        - {name: Read, input: {file_path: notes.txt}}
        - {name: WorkWithHelper, input: {message: "How many lines are in the notes?"}}
  - when: {prompt_matches: "plan", turn: 2}
    reply: {tool_calls: [{name: Edit, input: {file_path: notes.txt, old_string: "two", new_string: "TWO\nand a half"}}]}
  - when: {prompt_matches: "plan", turn: 3}
    reply: {tool_calls: [{name: Bash, input: {command: "until [ -e go.txt ]; do sleep 0.05; done; echo went"}}]}
  - when: {prompt_matches: "quick"}
    reply: {text: "The notes have **four** lines now:\n\n| line | text |\n|---|---|\n| 1 | one |\n| 2 | TWO |\n\n- as it ` + "`was`" + ` to be\n"}
  - when: {prompt_matches: "forever", turn: 1}
    reply: {tool_calls: [{name: Bash, input: {command: "echo begun; sleep 600"}}]}
  - reply: {text: "You said: {{ .Prompt }}"}
`

// TestTmuxChat talks, answers a question, steers, saves with vim and sed, resizes, stops a turn, quits and comes back.
func TestTmuxChat(t *testing.T) {
	dir := tmuxWorkspace(t)
	bin := buildProgram(t)
	m := openTmux(t, 80, 24, dir, "echo before; "+bin+" chat lead")
	m.text("typed early")
	m.see("lead · generation 1")
	m.see("› typed early")
	m.keys("C-u")
	m.line("/agen")
	m.see("did you mean /agent?")
	m.keys("C-u") // what was wrong is there again, to be mended
	m.line("the plan")
	m.compare("chat-asks", m.see("y once · r this run"))
	m.text("r")
	m.gone("y once · r this run")
	m.line("be quick")
	m.see("⧗ be quick")
	if err := os.WriteFile(filepath.Join(dir, "go.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	m.see("as it `was` to be")
	m.compare("chat-answered", m.see("turns ·"))

	m.beside("vi -u NONE agents/lead.md", "G", "o", "Be", "Space", "brief.", "Escape", ":wq", "Enter")
	m.see("prompt +1")
	m.see("✓ generation 2")
	m.beside("sed -i 's/tools: .Read, Edit/tools: [Raed, Edit/' agents/lead.md")
	m.see(`did you mean "Read"?`)
	m.compare("chat-broken", m.see("✗ still on generation 2"))
	m.beside("sed -i 's/Raed/Read/' agents/lead.md")
	m.see("✓ as in generation 2 again")

	m.must("resize-window", "-t", "main", "-x", "40", "-y", "12")
	m.line("hello")
	m.see("You said: hello")
	m.compare("chat-40x12", m.see("1 turn"))
	m.must("resize-window", "-t", "main", "-x", "20", "-y", "10")
	m.until(func(s string) bool {
		return strings.Count(s, "\n") == 10 && strings.Contains(s, strings.Repeat("─", 20))
	}, "20 columns")
	m.must("resize-window", "-t", "main", "-x", "80", "-y", "24")
	m.see("generation 2")

	m.line("go on forever")
	m.see("begun; sleep 600")
	m.until(func(s string) bool { return strings.Contains(s, "y once") || strings.Contains(s, "Bash echo") }, "the call")
	if strings.Contains(m.screen(), "y once") {
		m.text("y")
	}
	m.keys("C-c")
	m.see("! stopped; what was done stays in the conversation")
	m.keys("C-c")
	m.see("Ctrl-C again quits")
	m.keys("C-c")
	m.see("exit 0")
	m.see("goes on")
	m.see("before")

	m.must("respawn-window", "-k", "-t", "main", bin+" chat lead --continue; echo exit $?; read -r _")
	m.see("go on forever")
	m.line("/quit")
	m.see("exit 0")
}

// TestTmuxPlain is the same in lines: Ctrl-C ends the turn, and the second one the chat.
func TestTmuxPlain(t *testing.T) {
	dir := tmuxWorkspace(t)
	m := openTmux(t, 100, 40, dir, buildProgram(t)+" chat --plain lead")
	m.see("/help shows what can be typed")
	m.line("the plan")
	m.see("y = yes, once")
	m.line("y")
	m.line("be quick")
	m.see("⧗ be quick")
	m.line("/queu")
	m.see("did you mean /queue?")
	m.line("/queue")
	m.see("between two turns: be quick")
	if err := os.WriteFile(filepath.Join(dir, "go.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	m.see("as it `was` to be")
	m.line("go on forever")
	m.see("sleep 600")
	m.see("y = yes, once")
	m.line("y")
	m.keys("C-c")
	m.see("cancelled: interrupted")
	m.line("hello")
	m.see("You said: hello")
	m.keys("C-d")
	m.see("exit 0")
}

// TestTmuxDev saves files under dev: right ones, a wrong one, and the right one again.
func TestTmuxDev(t *testing.T) {
	dir := tmuxWorkspace(t)
	m := openTmux(t, 100, 40, dir, buildProgram(t)+" dev lead")
	m.see("generation 1: 2 agents; every save is checked")
	m.line("hello")
	m.see("You said: hello")
	m.beside("vi -u NONE agents/lead.md", "G", "o", "Be", "Space", "brief.", "Escape", ":wq", "Enter")
	m.see("prompt +1")
	m.beside("sed -i 's/tools: .Read, Edit/tools: [Edit/' agents/lead.md")
	m.see("lost Read")
	m.beside("sed -i 's/tools: .Edit/tools: [Raed, Edit/' agents/lead.md")
	m.see(`did you mean "Read"?`)
	m.see("✗ still on generation 3")
	m.beside("sed -i 's/Raed/Read/' agents/lead.md")
	m.see("gained Read")
	m.keys("Enter")
	m.until(func(s string) bool { return strings.Count(s, "You said: hello") == 2 }, "the second answer")
	m.must("resize-window", "-t", "main", "-x", "40", "-y", "20")
	m.line("again")
	m.see("You said: again")
	m.keys("C-c")
	m.see("exit 130")
}

// TestTmuxDevAlways answers "always" under --rerun: that the answer is published runs nothing again, the next save does, and is
// not asked any more.
func TestTmuxDevAlways(t *testing.T) {
	dir := tmuxWorkspace(t)
	model := "version: 1\nrules:\n  - when: {turn: 1}\n    reply: {tool_calls: [{name: Bash, input: {command: \"mktemp ran.XXXXXX\"}}]}\n  - reply: {text: \"{{ .System }}\"}\n"
	if err := os.WriteFile(filepath.Join(dir, "models", "all.yaml"), []byte(model), 0o644); err != nil {
		t.Fatal(err)
	}
	m := openTmux(t, 100, 40, dir, buildProgram(t)+" dev --rerun lead go")
	m.see("a = yes, always")
	m.line("a")
	m.see("✓ generation 2")
	m.beside("sed -i 's/You lead./You still lead./' agents/lead.md")
	m.see("✓ generation 3")
	m.see("You still lead.")
	if ran, err := filepath.Glob(filepath.Join(dir, "ran.*")); err != nil || len(ran) != 2 {
		t.Errorf("%q, %v", ran, err)
	}
	m.keys("C-c")
	m.see("exit 130")
}
