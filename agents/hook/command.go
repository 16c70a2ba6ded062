package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/internal/lazy"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

const (
	keep    = 256 << 10      // bytes of each stream of a hook
	longest = 24 * time.Hour // for the launcher: the limit of a hook is the context's
)

// Command is a hook that is a process: the event on stdin, the answer by exit code and stdout.
type Command struct {
	Launcher    sandbox.Launcher
	Script      string   // a command line, or a program in Interpreter's language
	Interpreter string   // as of sandbox.Script; "" = sh
	Argv        []string // instead of Script: a program and its arguments, in which ${CLAUDE_PROJECT_DIR} and the like are replaced
	Dir         string   // relative to the workspace; "" = the workspace
	Env         map[string]string
}

func (*Command) kind() string { return "command" }

// Prepare has the sandbox make ready.
func (c *Command) Prepare() { c.Launcher.Ahead() }

// Run starts the process and reads its answer.
func (c *Command) Run(ctx context.Context, in *Input, _ Host) (Result, error) {
	stdin, err := in.JSON()
	if err != nil {
		return Result{}, err
	}
	root := cmp.Or(in.Roots.Workspace, in.Roots.Dir)
	dir := root
	if c.Dir != "" {
		if dir = c.Dir; !filepath.IsAbs(dir) {
			dir = filepath.Join(root, filepath.FromSlash(dir))
		}
	}
	cmd := sandbox.Command{Dir: dir, Env: c.variables(in, root), Stdin: append(stdin, '\n'), Keep: keep, Timeout: longest}
	if in.Access != nil {
		cmd.Access = in.Access()
	}
	if in.as == "SessionStart" {
		vars, err := newEnvFile(&cmd.Access)
		if err != nil {
			return Result{}, &Failure{"spawn", err.Error()}
		}
		defer vars.remove()
		cmd.Env["CLAUDE_ENV_FILE"] = vars.path()
		r, err := c.run(ctx, in, stdin, cmd)
		var notices []string
		r.Env, notices = vars.read(c.known)
		r.Notices = append(r.Notices, notices...)
		return r, err
	}
	return c.run(ctx, in, stdin, cmd)
}

// known are the variables that values of CLAUDE_ENV_FILE may refer to: those that every child has.
func (c *Command) known(name string) string {
	if c.Launcher.Environ == nil || name != "PATH" && name != "HOME" {
		return ""
	}
	for _, kv := range slices.Backward(c.Launcher.Environ()) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// run starts the process.
func (c *Command) run(ctx context.Context, in *Input, stdin []byte, cmd sandbox.Command) (Result, error) {
	var out sandbox.Output
	var err error
	if len(c.Argv) > 0 {
		cmd.Argv = c.argv(cmd.Env)
		out, err = c.Launcher.Run(ctx, cmd)
	} else {
		out, err = c.Launcher.RunScript(ctx, c.Interpreter, c.Script, cmd)
	}
	return c.answer(ctx, in, stdin, out, err)
}

// answer reads what came of the process.
func (c *Command) answer(ctx context.Context, in *Input, stdin []byte, out sandbox.Output, err error) (Result, error) {
	stdout, stderr := valid(out.Stdout), valid(out.Stderr)
	var r Result
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, sandbox.ErrTimeout):
		err = &Failure{"timeout", err.Error()}
	case err != nil:
		err = &Failure{"spawn", err.Error()}
	case out.Signal != "":
		err = &Failure{"signal", "it was ended by " + out.Signal}
	case out.Stdout.Omitted > 0 && isObject(stdout):
		err = &Failure{"bad_json", fmt.Sprintf("its JSON is longer than %d KiB", keep>>10)}
	default:
		r, err = exited(in, out.Exit, stdout, stderr)
		if out.Exit != 0 && c.Launcher.Confines() && unreadable.Get().MatchString(stderr) {
			r, err = sandboxed(r, err)
		}
	}
	r.Stdin, r.Stdout, r.Stderr = stdin, stdout, stderr
	if out.Signal == "" && out.Exit >= 0 && out.Duration > 0 {
		exit := out.Exit
		r.Exit = &exit
	}
	return r, err
}

// unreadable is how shells and interpreters say that they may not open a file.
var unreadable = lazy.MustCompile(`(?m)(: |\[Errno 13\] )Permission denied$|\bEACCES\b`)

// sandboxed adds who may have refused the file, such as a script in the home folder.
func sandboxed(r Result, err error) (Result, error) {
	const hint = " (hooks run in the sandbox, which reads the system and the workspace: sandbox.read opens other folders)"
	if f, ok := errors.AsType[*Failure](err); ok {
		return r, &Failure{f.Reason, f.Text + hint}
	}
	if r.Decision == Halt {
		r.Message += hint
	}
	return r, err
}

func valid(s sandbox.Stream) string { return strings.ToValidUTF8(s.String(), "\uFFFD") }

// variables are those that scripts of this program, of Claude Code and of SwarmSDK expect.
func (c *Command) variables(in *Input, root string) map[string]string {
	env := map[string]string{
		"SWARMRUN_EVENT": string(in.Event), "SWARMRUN_AGENT": in.Agent, "SWARMRUN_RUN": in.Run, "SWARMRUN_SESSION": in.Session,
		"SWARMRUN_WORKSPACE": root, "CLAUDE_PROJECT_DIR": root, "SWARM_SDK_PROJECT_DIR": root, "SWARM_SDK_AGENT_NAME": in.Agent,
		"SWARM_SDK_SWARM_NAME": in.Name, "SWARM_NAME": in.Name, "AGENT_NAME": in.Agent, "HOOK_EVENT": string(in.Event),
	}
	if in.Call != nil {
		env["SWARMRUN_TOOL"], env["TOOL_NAME"] = in.Call.Tool, in.Call.Tool
		if files := tools.Files(in.Tool, in.Call); len(files) > 0 {
			env["SWARMRUN_TOOL_FILE"] = files[0]
		}
	}
	if in.Target != "" {
		env["DELEGATION_TARGET"] = in.Target
	}
	if in.Effort != "" {
		env["CLAUDE_EFFORT"] = in.Effort
	}
	if in.Depth > 0 {
		env["SWARMRUN_DEPTH"] = strconv.Itoa(in.Depth)
	}
	maps.Copy(env, c.Env)
	return env
}

// argv puts paths into the places that are for them, as plain text.
func (c *Command) argv(env map[string]string) []string {
	var pairs []string
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "SWARMRUN_WORKSPACE", "SWARMRUN_TOOL_FILE"} {
		pairs = append(pairs, "${"+name+"}", env[name])
	}
	r := strings.NewReplacer(pairs...)
	out := slices.Clone(c.Argv)
	for i := range out {
		out[i] = r.Replace(out[i])
	}
	return out
}
