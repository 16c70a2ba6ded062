package ci

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

const (
	shellTimeout = 2 * time.Minute
	shellKeep    = 64 << 10 // bytes of each stream
	shellShown   = 2000     // bytes of what a step wrote, in a message

	outputVariable = "SWARMRUN_OUTPUT"
	maxVariable    = 64 << 10 // bytes; systems start no process with longer ones
)

// errNoVariable is the error of a step that would take a long answer for none.
var errNoVariable = errors.New("the answer is too long for a variable: read it from stdin in place of $" + outputVariable)

// shell runs lines for the shell, which may change the folder of the attempt.
func (t *attempt) shell(ctx context.Context, what string, steps []agents.Shell) error {
	for _, s := range steps {
		out, err := t.line(ctx, s)
		if err != nil {
			return fmt.Errorf("%s (%s): %w%s", what, s.Origin, err, said(out))
		}
		if out.Exit != 0 {
			return fmt.Errorf("%s (%s) ended with exit code %d%s", what, s.Origin, out.Exit, said(out))
		}
	}
	return nil
}

// line runs one line, which can read the answer from stdin. An exit code is no error.
func (t *attempt) line(ctx context.Context, s agents.Shell) (sandbox.Output, error) {
	if len(t.output) >= maxVariable && strings.Contains(s.Run, outputVariable) {
		return sandbox.Output{}, errNoVariable
	}
	l := t.s.o.Launcher
	l.Env = append(l.Env[:len(l.Env):len(l.Env)], t.u.c.Env...)
	timeout := s.Timeout
	if timeout == 0 {
		timeout = shellTimeout
	}
	var stdin []byte
	if t.output != "" {
		stdin = []byte(t.output)
	}
	out, err := l.RunScript(ctx, "", s.Run, sandbox.Command{
		Dir: t.place.dir, Env: t.variables(), Stdin: stdin, Timeout: timeout, Keep: shellKeep,
		Cache:  filepath.Join(t.s.g.Root(), ".swarmrun", "cache", "ci"),
		Access: sandbox.Access{Read: []string{t.place.dir, t.s.g.Root()}, Write: []string{t.place.dir}},
	})
	if err == nil && out.Signal != "" {
		err = errors.New("it was ended by " + out.Signal)
	}
	return out, err
}

// variables are what shell steps know of their case.
func (t *attempt) variables() map[string]string {
	env := map[string]string{
		"SWARMRUN_JOB": t.u.job.Name, "SWARMRUN_CASE": t.u.result.Name, "SWARMRUN_WORKSPACE": t.place.dir, "SWARMRUN_ROOT": t.s.g.Root(),
	}
	for _, a := range t.u.c.Matrix {
		env["SWARMRUN_MATRIX_"+strings.ToUpper(a.Name)] = plainText(a.Value)
	}
	for k, v := range t.u.c.Vars {
		env["SWARMRUN_VAR_"+strings.ToUpper(k)] = v
	}
	if len(t.output) < maxVariable {
		env[outputVariable] = strings.ReplaceAll(t.output, "\x00", "") // no variable can hold it
	}
	return env
}

// said is the end of what a step wrote.
func said(out sandbox.Output) string {
	text := strings.TrimSpace(strings.ToValidUTF8(out.Stdout.String()+"\n"+out.Stderr.String(), "\uFFFD"))
	if text == "" {
		return ""
	}
	if len(text) > shellShown {
		text = "…" + strings.ToValidUTF8(text[len(text)-shellShown:], "")
	}
	return ":\n" + text
}

// git runs git and returns what it wrote, without the last line break.
func (r *session) git(ctx context.Context, dir string, args ...string) (string, error) {
	return Git(ctx, r.o.Launcher, dir, args...)
}

// Git runs git in a folder and returns what it wrote, without the last line break. It is no child of a model, so it is not
// confined; no hook of the repository runs.
func Git(ctx context.Context, l sandbox.Launcher, dir string, args ...string) (string, error) {
	l.Mode = sandbox.Off
	argv := append([]string{"git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)
	out, err := l.Run(ctx, sandbox.Command{
		Argv: argv, Dir: dir, Timeout: shellTimeout, Keep: 16 << 20,
		Env: map[string]string{"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"},
	})
	switch {
	case errors.Is(err, sandbox.ErrNotFound):
		return "", errors.New("git is not installed, or not in PATH")
	case err != nil:
		return "", err
	case out.Exit != 0 || out.Signal != "":
		return "", fmt.Errorf("git %s failed%s", args[0], said(out))
	}
	return strings.TrimRight(out.Stdout.String(), "\n"), nil
}
