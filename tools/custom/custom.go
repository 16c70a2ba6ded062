package custom

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// maxVariable is how many bytes of an argument become a variable; systems refuse long ones. Stdin has all.
const maxVariable = 64 << 10

// Definition is a tool as written.
type Definition struct {
	Name        string
	Description string
	Notes       string            // added to the description, for the model
	Parameters  json.RawMessage   // JSON Schema of the input, an object; nil = no parameters
	Script      string            // a command line, or a program in Interpreter's language
	Interpreter string            // sh, bash, python, node, ruby; "" = sh
	Timeout     time.Duration     // 0 = sandbox.DefaultTimeout
	Env         map[string]string // variables that the script gets
	ReadOnly    bool
	JSON        bool // stdout must be one JSON value
}

// New makes the tool. Nothing is started before a call; an interpreter that is unknown or not installed is a failure of the
// call that the model is told about.
func New(d Definition, l sandbox.Launcher) tools.Tool {
	description := d.Description
	if d.Notes != "" {
		description += "\n\n" + strings.TrimSpace(d.Notes)
	}
	schema := d.Parameters
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	return &script{Definition: d, launcher: l, spec: tools.NewSpec(d.Name, description, schema, d.ReadOnly), defaults: defaults(schema)}
}

type script struct {
	Definition
	launcher sandbox.Launcher
	spec     tools.Spec
	defaults map[string]json.RawMessage // of arguments that a call may leave out
}

// Prepare has the sandbox make ready.
func (s *script) Prepare() { s.launcher.Ahead() }

// defaults are the values that a schema gives to properties of the input.
func defaults(schema json.RawMessage) map[string]json.RawMessage {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	out := map[string]json.RawMessage{}
	for name, property := range s.Properties {
		var p struct {
			Default json.RawMessage `json:"default"`
		}
		if json.Unmarshal(property, &p) == nil && len(p.Default) > 0 { // a property may be true or false
			var line bytes.Buffer
			if json.Compact(&line, p.Default) == nil {
				out[name] = line.Bytes()
			}
		}
	}
	return out
}

func (s *script) Spec() tools.Spec { return s.spec }

// Call runs the script. Another exit code than 0, the time limit, and a stdout that is no JSON where JSON is promised are
// failures of the tool.
func (s *script) Call(ctx context.Context, c *tools.Call) (tools.Result, error) {
	env, input, err := s.arguments(c.Input)
	if err != nil {
		return failed("%v", err), nil
	}
	out, err := s.launcher.RunScript(ctx, s.Interpreter, s.Script, sandbox.Command{Dir: c.Roots.Dir, Env: env, Stdin: input, Timeout: s.Timeout, Cache: cache(c.Roots), Access: c.Access()})
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, context.Cause(ctx)
	case errors.Is(err, sandbox.ErrTimeout):
		return failed("%s was ended: %v%s", s.Name, err, said(out)), nil
	case err != nil:
		return failed("%s could not run: %v", s.Name, err), nil
	case out.Signal != "":
		return failed("%s was ended by signal %s%s", s.Name, out.Signal, said(out)), nil
	case out.Exit != 0:
		return failed("%s failed with exit code %d%s", s.Name, out.Exit, said(out)), nil
	}
	return s.result(out), nil
}

// arguments are the input, with the defaults of what it leaves out, as variables and as JSON on one line.
func (s *script) arguments(input json.RawMessage) (env map[string]string, stdin []byte, err error) {
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage(`{}`)
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(input, &args); err != nil || args == nil {
		return nil, nil, errors.New("the input must be a JSON object")
	}
	var line bytes.Buffer
	if err := json.Compact(&line, input); err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(s.defaults)) {
		if _, given := args[name]; !given {
			s.fill(&line, name, len(args) == 0)
			args[name] = s.defaults[name]
		}
	}
	line.WriteByte('\n')
	env = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		v := text(args[name])
		if key := variable(name); len(v) <= maxVariable && !strings.ContainsRune(v, 0) {
			if _, taken := env[key]; !taken {
				env[key] = v
			}
		}
	}
	maps.Copy(env, s.Env)
	return env, line.Bytes(), nil
}

// fill adds a default to an object.
func (s *script) fill(line *bytes.Buffer, name string, first bool) {
	line.Truncate(line.Len() - 1)
	if !first {
		line.WriteByte(',')
	}
	key, _ := json.Marshal(name)
	line.Write(append(append(key, ':'), s.defaults[name]...))
	line.WriteByte('}')
}

// variable is the name of an argument's variable: upper case, _ for what is no letter and no digit.
func variable(name string) string {
	return "SWARMRUN_ARG_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// text is a string as it is, anything else as JSON.
func text(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return ""
	}
	return b.String()
}

func (s *script) result(out sandbox.Output) tools.Result {
	stdout := valid(out.Stdout)
	if s.JSON {
		if !json.Valid([]byte(stdout)) {
			return failed("%s should have written one JSON value and wrote something else%s", s.Name, said(out))
		}
		stdout = strings.TrimSpace(stdout)
	}
	if strings.TrimSpace(stdout) == "" {
		return tools.Result{Content: "(no output)"}
	}
	return tools.Cut(strings.TrimRight(stdout, "\n"), tools.MaxText)
}

// said is what a script wrote before it failed.
func said(out sandbox.Output) string {
	var b strings.Builder
	for _, s := range []struct {
		name   string
		stream sandbox.Stream
	}{{"STDOUT", out.Stdout}, {"STDERR", out.Stderr}} {
		if t := strings.TrimRight(valid(s.stream), "\n"); t != "" {
			fmt.Fprintf(&b, "\n\n%s:\n%s", s.name, t)
		}
	}
	return b.String()
}

func valid(s sandbox.Stream) string { return strings.ToValidUTF8(s.String(), "\uFFFD") }

func failed(format string, args ...any) tools.Result {
	r := tools.Cut(fmt.Sprintf(format, args...), tools.MaxText)
	r.IsError = true
	return r
}

// cache is apart from that of commands: what they put there must not run with the variables of a tool.
func cache(at tools.Roots) string {
	if at.Workspace == "" {
		return ""
	}
	return filepath.Join(at.Workspace, ".swarmrun", "cache", "tools")
}
