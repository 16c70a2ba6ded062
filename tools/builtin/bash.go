package builtin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/internal/shell"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// Limits of Bash.
const (
	bashTimeout    = 120 * time.Second
	bashMaxTimeout = 600 * time.Second
	bashKeep       = 4 << 20 // bytes kept of each stream
)

type bashInput struct {
	Command     string  `json:"command"`
	Description string  `json:"description"`
	Timeout     float64 `json:"timeout"` // milliseconds
}

const bashSchema = `{"type":"object","required":["command"],"properties":{
"command":{"type":"string","minLength":1,"description":"The command line"},
"description":{"type":"string","description":"What it does, in five to ten words, for the person who reads along"},
"timeout":{"type":"number","exclusiveMinimum":0,"description":"Milliseconds until it is ended: 120000 when left out, 600000 at most"}}}`

const bashDescription = "Runs a command line in a new shell in the working directory, without input, and shows exit code and output. " +
	"Nothing lives on between calls: no variables, no cd, no background processes. " +
	"Prefer Read, Grep, Glob, Edit and Write for files, where you have them."

// newBash is the shell. An exit code other than 0 is no failure of the tool: grep and diff answer by it.
func newBash(l sandbox.Launcher) tools.Tool {
	return &bash{launcher: l, tool: &tool[bashInput]{
		spec: spec("Bash", bashDescription, bashSchema, false),
		touches: func(in bashInput, _ tools.Roots) ([]tools.Touch, error) {
			return []tools.Touch{{Kind: tools.TouchCommand, Value: in.Command}}, nil
		},
		run: func(ctx context.Context, c *tools.Call, in bashInput) (tools.Result, error) {
			return runBash(ctx, l, c, in)
		},
	}}
}

// bash is the tool, and a tools.Commander.
type bash struct {
	*tool[bashInput]
	launcher sandbox.Launcher
}

// Prepare has the sandbox make ready.
func (b *bash) Prepare() { b.launcher.Ahead() }

// Output runs a command line for whoever wants its bare output.
func (b *bash) Output(ctx context.Context, c *tools.Call, command string, limit time.Duration) (string, int, error) {
	if err := refuseLine(command, c); err != nil {
		return "", -1, err
	}
	out, err := startLine(ctx, b.launcher, c, "exec 2>&1\n"+command, limit)
	text := strings.ToValidUTF8(out.Stdout.String(), "\uFFFD")
	switch {
	case err != nil:
		return text, -1, err
	case out.Signal != "":
		return text, -1, fmt.Errorf("ended by signal %s", out.Signal)
	}
	return text, out.Exit, nil
}

func runBash(ctx context.Context, l sandbox.Launcher, c *tools.Call, in bashInput) (tools.Result, error) {
	if err := refuseLine(in.Command, c); err != nil {
		return tools.Result{}, err
	}
	limit := bashTimeout
	if in.Timeout > 0 {
		limit = time.Duration(min(in.Timeout, float64(bashMaxTimeout/time.Millisecond)) * float64(time.Millisecond))
	}
	out, err := startLine(ctx, l, c, in.Command, limit)
	if err != nil && !errors.Is(err, sandbox.ErrTimeout) {
		return tools.Result{}, err
	}
	res := tools.Cut(bashText(in.Command, out, err), tools.MaxText)
	res.IsError = err != nil
	res.Content += nudge(c, in.Command)
	return res, nil
}

// refuseLine tells what is wrong with a line whoever asks for it.
func refuseLine(line string, c *tools.Call) error {
	switch {
	case strings.TrimSpace(line) == "":
		return errors.New("command is empty")
	case strings.ContainsRune(line, 0):
		return errors.New("command holds a NUL character")
	case shell.DeletesRoot(line, c.Roots.Dir):
		return errors.New("refused: this command may delete the whole file system, or everything in its root; name the folders that are meant")
	}
	return nil
}

// startLine runs a line in bash, or in sh where there is none.
func startLine(ctx context.Context, l sandbox.Launcher, c *tools.Call, line string, limit time.Duration) (sandbox.Output, error) {
	command := sandbox.Command{
		Argv: []string{"bash", "-c", "--", line}, Dir: c.Roots.Dir, Timeout: max(limit, time.Millisecond), Keep: bashKeep,
		Cache: cacheDir(c.Roots), Access: c.Access(),
	}
	for _, kv := range c.Env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			if command.Env == nil {
				command.Env = map[string]string{}
			}
			command.Env[name] = value
		}
	}
	out, err := l.Run(ctx, command)
	if errors.Is(err, sandbox.ErrNotFound) { // no bash on this machine
		command.Argv[0] = "sh"
		out, err = l.Run(ctx, command)
	}
	return out, err
}

// cacheDir is where children keep caches, so that the home folder need not be written. What lies beside it is not theirs: lists
// of MCP servers, and programs that those run with keys of their own.
func cacheDir(at tools.Roots) string {
	if at.Workspace == "" {
		return ""
	}
	return filepath.Join(at.Workspace, ".swarmrun", "cache", "commands")
}

func bashText(command string, out sandbox.Output, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\n", command)
	switch {
	case err != nil:
		fmt.Fprintf(&b, "Ended: %v after %s; nothing that it started is left\n", err, out.Duration.Round(time.Millisecond))
	case out.Signal != "":
		fmt.Fprintf(&b, "Ended by signal %s\n", out.Signal)
	default:
		fmt.Fprintf(&b, "Exit code: %d\n", out.Exit)
	}
	stdout, stderr := out.Stdout.String(), out.Stderr.String()
	if stdout == "" && stderr == "" {
		b.WriteString("\n(no output)\n")
	}
	for _, s := range []struct{ name, text string }{{"STDOUT", stdout}, {"STDERR", stderr}} {
		if s.text != "" {
			fmt.Fprintf(&b, "\n%s:\n%s\n", s.name, strings.TrimRight(strings.ToValidUTF8(s.text, "\uFFFD"), "\n"))
		}
	}
	return b.String()
}

// nudged are the hints that a conversation has had: one of a kind is enough.
type nudged struct{ given sync.Map }

func (n *nudged) first(tool string) bool {
	_, had := n.given.LoadOrStore(tool, true)
	return !had
}

// nudge points to the tool that does better what a simple command did.
func nudge(c *tools.Call, command string) string {
	s := shell.Parse(command)
	if s.Opaque != "" || len(s.Commands) != 1 || len(s.Commands[0].Words) < 1 {
		return ""
	}
	words := s.Commands[0].Words
	better, why := "", ""
	switch name := words[0]; {
	case (name == "echo" || name == "printf" || name == "cat") && len(s.Files) > 0 && s.Files[0].Write:
		better, why = "Write", "replaces a file whole or not at all"
	case (name == "cat" || name == "head" || name == "tail") && len(words) > 1:
		better, why = "Read", "shows a file with line numbers, and lets you edit it afterwards"
	case name == "grep" || name == "rg":
		better, why = "Grep", "searches files and leaves out what .gitignore names"
	case name == "find" || name == "ls" && len(words) > 1 && strings.Contains(words[1], "R"):
		better, why = "Glob", "finds files by pattern"
	case name == "sed" && len(words) > 1 && strings.HasPrefix(words[1], "-i"):
		better, why = "Edit", "changes a file and tells when the text is not there"
	}
	if better == "" || !tools.Of[nudged](c.State).first(better) {
		return ""
	}
	return fmt.Sprintf("\nNote: %s, where you have it, %s.\n", better, why)
}
