package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// hookTestAnswer is what came of one hook.
type hookTestAnswer struct {
	OK         bool            `json:"ok"`
	Stdin      json.RawMessage `json:"stdin"`
	Stdout     string          `json:"stdout"`
	Stderr     string          `json:"stderr"`
	ExitCode   *int            `json:"exit_code"`
	Decision   string          `json:"decision"`
	Reason     string          `json:"reason,omitempty"`
	Message    string          `json:"message,omitempty"`
	Value      string          `json:"value,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Context    []string        `json:"context,omitempty"`
	DurationMS int64           `json:"duration_ms"`

	does string
}

// notRun is the decision of a hook that does not hear of what happened.
const notRun = "not run"

func (a *app) hookCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "hook", Short: "Try hooks by hand"}
	group(cmd)
	var event, input string
	test := &cobra.Command{
		Use:   "test NAME",
		Short: "Run one hook and show what it reads, writes and decides",
		Args:  exactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			return a.hookTest(cmd.Context(), args[0], event, input)
		},
	}
	test.Flags().StringVar(&event, "event", "", "the `event`, by any of its names (default: the first one of the hook)")
	test.Flags().StringVar(&input, "input", "", "JSON `file` with fields of the event, such as tool_name and tool_input; - is stdin (default: an example)")
	cmd.AddCommand(test)
	return cmd
}

// hookTest runs one hook on an event that is made up.
func (a *app) hookTest(ctx context.Context, name, event, input string) error {
	w, err := a.openWorkspace(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	e, err := w.hookNamed(name)
	if err != nil {
		return err
	}
	in, err := a.occasion(w, e, event, input)
	if err != nil {
		return err
	}
	v := hookTestAnswer{OK: true, Decision: notRun, does: e.Describe()}
	_, err = hook.Chain{*e}.Fire(ctx, in, bench{w.graph}, func(_ string, r hook.Result) {
		v.OK, v.Stdin, v.Stdout, v.Stderr, v.ExitCode = r.Failed == "", r.Stdin, r.Stdout, r.Stderr, r.Exit
		v.Decision, v.Reason, v.Message, v.Value, v.Input, v.Context = r.Word(), r.Failed, r.Message, r.Value, r.Input, r.Context
		if r.Output != nil {
			v.Value = *r.Output
		}
		v.DurationMS = r.Duration.Milliseconds()
	})
	if err != nil {
		return err
	}
	if err := a.answer(v); err != nil {
		return err
	}
	if !v.OK {
		return told{1}
	}
	return nil
}

// hookNamed finds a hook of the workspace, or of one of its agents.
func (w *workspace) hookNamed(name string) (*hook.Entry, error) {
	all := slices.Clone(w.graph.Hooks())
	for _, agent := range w.graph.Agents() {
		all = append(all, agent.Hooks...)
	}
	var names []string
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
		names = append(names, all[i].Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, d := range w.live.Report().List(config.KindHook) {
		if d.Name == name && d.Status == config.Broken {
			return nil, usagef("the hook %q is broken", name).hint("`swarmrun validate %s` says why", d.At.File)
		}
	}
	err := usagef("no hook named %q", name)
	if near, ok := diag.Closest(name, names); ok {
		return nil, err.hint("did you mean %q?", near)
	}
	if len(names) == 0 {
		return nil, err.hint("there are none that an agent has; `swarmrun validate` says what is wrong with the others")
	}
	return nil, err.hint("hooks here: %s", diag.Enumerate(names))
}

// occasion makes up what happens.
func (a *app) occasion(w *workspace, e *hook.Entry, event, input string) (*hook.Input, error) {
	var raw []byte
	var err error
	switch input {
	case "":
	case "-":
		raw, err = io.ReadAll(a.stdin)
	default:
		raw, err = a.readFile(input, maxAttachment)
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return nil, err
	}
	if err != nil {
		return nil, usagef("--input: %v", err)
	}
	if event == "" {
		event = e.On[0]
	}
	in, ok, err := hook.Example(event, raw)
	if err != nil {
		return nil, usagef("--input: %v", err)
	}
	if !ok {
		return nil, usagef("--event: there is no event %q", event).hint("docs/hooks.md lists them")
	}
	in.Name, in.Roots = w.graph.Name(), tools.Roots{Workspace: w.root, Dir: w.root}
	in.Access = func() sandbox.Access { return (&tools.Rules{}).Access(in.Roots) }
	if in.Call != nil {
		if len(raw) == 0 {
			in.Call.Tool, in.Call.Input = exampleCall(e.Match)
		}
		in.Call.Roots, in.Tool = in.Roots, a.toolNamed(in.Call.Tool)
	}
	return in, nil
}

// exampleCall is a call that a matcher hits.
func exampleCall(m hook.Matcher) (tool string, input json.RawMessage) {
	for _, c := range [...]struct{ tool, input string }{
		{"Bash", `{"command":"true"}`},
		{"Read", `{"file_path":"example.txt"}`},
		{"Write", `{"file_path":"example.txt","content":"an example"}`},
		{"Edit", `{"file_path":"example.txt","old_string":"an","new_string":"one"}`},
		{"Grep", `{"pattern":"example"}`},
		{"Glob", `{"pattern":"*"}`},
		{"WebFetch", `{"url":"https://example.com/"}`},
	} {
		if m.Hits(c.tool) {
			return c.tool, json.RawMessage(c.input)
		}
	}
	if names := m.Names(); len(names) > 0 {
		return names[0], json.RawMessage(`{}`)
	}
	return "Bash", json.RawMessage(`{"command":"true"}`) // a pattern of names that only the workspace has
}

// toolNamed is a built-in tool, or one that reaches nothing.
func (a *app) toolNamed(name string) tools.Tool {
	for _, t := range a.loadOptions(true).Env.Builtin(sandbox.Launcher{}) {
		if t.Spec().Name == name {
			return t
		}
	}
	return nameless(name)
}

// nameless is a tool of which only the name is known.
type nameless string

func (n nameless) Spec() tools.Spec {
	return tools.NewSpec(string(n), "", json.RawMessage(`{"type":"object"}`), false)
}

func (n nameless) Call(context.Context, *tools.Call) (tools.Result, error) {
	return tools.Result{}, errors.New("it is not called")
}

// bench is the host of a hook that is tried: there is no run around it.
type bench struct{ graph *agents.Graph }

// Sample asks the hook's own model, else that of the default agent.
func (b bench) Sample(ctx context.Context, m providers.Model, system, prompt string) (string, error) {
	if m == nil {
		if agent, ok := b.graph.Agent(""); ok {
			m = agent.Model
		}
	}
	if m == nil {
		return "", errors.New("there is no model to ask: give the hook a model, or name a default agent")
	}
	resp, err := m.Generate(ctx, &providers.Request{System: system, Messages: []providers.Message{providers.UserText(prompt)}}, nil)
	if err != nil {
		return "", err
	}
	return resp.Message.Text(), nil
}

// RunAgent refuses.
func (bench) RunAgent(context.Context, providers.Model, string) (string, error) {
	return "", errors.New("a hook that starts an agent needs a run around it")
}

// CallTool refuses.
func (bench) CallTool(context.Context, string, string, []byte) (string, error) {
	return "", errors.New("a hook that calls a tool of a server needs a run around it")
}

func (v hookTestAnswer) text(w io.Writer) error {
	if v.Decision == notRun {
		_, err := fmt.Fprintln(w, "decision   not run: its event, matcher or rule is about something else")
		return err
	}
	part := func(name, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			fmt.Fprintf(w, "%-10s %s\n", name, strings.ReplaceAll(printable.Text(text), "\n", "\n           "))
		}
	}
	part("stdin", string(v.Stdin))
	part("stdout", v.Stdout)
	part("stderr", v.Stderr)
	if v.ExitCode != nil {
		part("exit code", fmt.Sprint(*v.ExitCode))
	}
	decision := v.Decision
	if v.Reason != "" {
		decision += " (" + v.Reason + ")"
	}
	part("decision", decision)
	part("message", v.Message)
	part("value", v.Value)
	part("input", string(v.Input))
	part("context", strings.Join(v.Context, "\n"))
	part("took", took(v.DurationMS))
	return nil
}
