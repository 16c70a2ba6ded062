package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

// runFlags are the flags of run.
type runFlags struct {
	model       string
	input       string
	vars        map[string]string
	attach      []string
	session     string
	resume      bool // --continue
	maxTurns    int
	timeout     time.Duration
	budget      float64
	mode        string
	lastMessage string
	record      string
	replay      string
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [TARGET] [PROMPT… | /NAME ARGUMENTS…]",
		Short: "Run an agent once and print its answer",
		Long: "Run an agent once and print its answer.\n\n" +
			"The first argument is the target, unless it holds a blank: then all arguments are the prompt. The prompt comes from the\n" +
			"arguments, from --input and from stdin when that is not a terminal; several sources are joined with blank lines. Without a\n" +
			"target the default agent answers, or the only one.\n\n" +
			"A prompt that begins with /NAME is the text of that skill or slash command, filled in with the arguments behind it.",
		ValidArgsFunction: a.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON, formatJSONL); err != nil {
				return err
			}
			if err := notZero(cmd, "max-turns", "timeout", "budget"); err != nil {
				return err
			}
			return a.runOnce(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.model, "model", "m", "", "`model` instead of the agent's: a name of models:, or provider/model")
	flags.StringVar(&f.input, "input", "", "read (more of) the prompt from `file`; - is stdin")
	flags.StringToStringVar(&f.vars, "var", nil, "variable of a template, as `name=value`; may be repeated")
	flags.StringArrayVar(&f.attach, "attach", nil, "`file` that goes with the prompt: an image, or text; may be repeated")
	flags.StringVar(&f.session, "session", "", "go on with the session `id`")
	_ = cmd.RegisterFlagCompletionFunc("session", a.completeSession) // the flag is there
	flags.BoolVar(&f.resume, "continue", false, "go on with the latest session")
	flags.IntVar(&f.maxTurns, "max-turns", 0, "at most `n` model calls of the target")
	flags.DurationVar(&f.timeout, "timeout", 0, "end the run after `duration`, such as 90s or 5m")
	flags.Float64Var(&f.budget, "budget", 0, "end the run when it has cost `usd` US dollars, delegates included")
	flags.StringVar(&f.mode, "permission-mode", "", "permission `mode` of every agent: default, accept-edits, plan, deny-asks, bypass")
	flags.StringVar(&f.lastMessage, "last-message", "", "write the answer to `file` too")
	flags.StringVar(&f.record, "record", "", "keep the model's answers in the cassette `file`; calls that it has are answered from it")
	flags.StringVar(&f.replay, "replay", "", "answer from the cassette `file` only: no key, no network")
	return cmd
}

// notZero refuses limits that are given and are none.
func notZero(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == flag.DefValue {
			return usagef("--%s must be more than 0", name).hint("leave it out for no limit of this run")
		}
	}
	return nil
}

func (f *runFlags) check() error {
	modes := []tools.Mode{"", tools.ModeDefault, tools.ModeAcceptEdits, tools.ModePlan, tools.ModeDenyAsks, tools.ModeBypass}
	switch {
	case !slices.Contains(modes, tools.Mode(f.mode)):
		return usagef("--permission-mode %q is unknown", f.mode).hint("use default, accept-edits, plan, deny-asks or bypass")
	case f.maxTurns < 0:
		return usagef("--max-turns must be more than 0")
	case f.timeout < 0:
		return usagef("--timeout must be more than 0")
	case f.session != "" && f.resume:
		return usagef("--session and --continue exclude each other")
	case f.record != "" && f.replay != "":
		return usagef("--record and --replay exclude each other")
	case f.budget < 0:
		return usagef("--budget must be more than 0")
	}
	if f.session != "" {
		if err := session.CheckID(f.session); err != nil {
			return usagef("--session: %v", err)
		}
	}
	return nil
}

func (a *app) runOnce(ctx context.Context, f runFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	t, err := a.openTape(f)
	if err != nil {
		return err
	}
	w, err := a.openWorkspace(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	req, err := a.request(w, f, args)
	if err != nil {
		return err
	}
	report := w.live.Report()
	if err := w.demanded(req.Target); err != nil {
		return err
	}
	a.diagnostics(visible(report.Diagnostics, a.verbose))
	last := f.lastMessage
	if last != "" {
		last = a.path(last)
	}
	return a.execute(ctx, w, req, t, last)
}

// request makes the run's request of flags and arguments.
func (a *app) request(w *workspace, f runFlags, args []string) (runner.Request, error) {
	command, words := w.slash(args)
	target := ""
	if command == "" {
		if target, words = splitTarget(args); target != "" {
			if err := w.checkCommand(target); err != nil {
				return runner.Request{}, err
			}
			command, words = w.slash(words)
		}
	}
	if err := w.checkTarget(target); err != nil {
		return runner.Request{}, err
	}
	if command != "" {
		words = arguments(words)
	}
	p, err := a.prompt(f, words)
	if err != nil {
		return runner.Request{}, err
	}
	if p.text == "" && len(p.blobs) == 0 && command == "" && !w.opens(target, f) {
		return runner.Request{}, usagef("there is no prompt").hint("give it as arguments, with --input FILE, or on stdin")
	}
	id, err := w.sessionOf(f)
	if err != nil {
		return runner.Request{}, err
	}
	return runner.Request{
		Target: target, Input: p.text, Command: command, Attachments: p.blobs, Vars: f.vars, Session: id, Model: f.model,
		Mode: tools.Mode(f.mode), MaxTurns: f.maxTurns, Timeout: f.timeout, Budget: agents.Budget{Cost: f.budget},
	}, nil
}

// sessionOf is the session that flags go on with; "" = a new one.
func (w *workspace) sessionOf(f runFlags) (string, error) {
	if !f.resume {
		return f.session, nil
	}
	id, err := w.sessions.Latest()
	if err != nil {
		return "", usagef("--continue: %v", err).hint("leave it out to begin a session")
	}
	return id, nil
}

// opens tells whether an agent begins a conversation by itself.
func (w *workspace) opens(target string, f runFlags) bool {
	t, ok := w.graph.Agent(target)
	return ok && t.Opening != "" && f.session == "" && !f.resume
}

// splitTarget takes the target off the arguments: the first one, unless it holds a blank.
func splitTarget(args []string) (target string, prompt []string) {
	if len(args) == 0 || strings.ContainsAny(args[0], " \t\n") {
		return "", args
	}
	return args[0], args[1:]
}

// checkTarget says what could have been meant when there is no such target.
func (w *workspace) checkTarget(name string) error {
	names := w.targets()
	list := "agents here: " + diag.Enumerate(names)
	if len(names) == 0 {
		list = "there is no agent in " + w.root + "; `swarmrun init` writes one"
	}
	if name == "" {
		if w.graph.Default() == "" {
			return usagef("no target, and no default agent").hint("%s", list)
		}
		return nil
	}
	if slices.Contains(names, name) {
		return nil
	}
	err := usagef("no agent named %q", name)
	if near, ok := diag.Closest(name, names); ok {
		return err.hint("did you mean %q? %s", near, list)
	}
	return err.hint("%s", list)
}

// demanded refuses a target, by default the default agent, where the settings demand a confinement that this system does
// not have.
func (w *workspace) demanded(target string) error {
	if err := w.live.Report().Demanded(cmp.Or(target, w.graph.Default())); err != nil {
		return &failed{kind: event.KindPermissionDenied, err: err}
	}
	return nil
}

// execute runs a request and tells of it on the streams.
func (a *app) execute(ctx context.Context, w *workspace, req runner.Request, t *tape, lastMessage string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	view, err := a.newView(cancel)
	if err != nil {
		return err
	}
	defer view.close()
	r := runner.New(w.live, &runner.Options{Sessions: w.sessions, Now: t.now(), Clock: t.clock(), Home: a.env("HOME"), Environ: a.environ, HookOutput: a.verbose})
	t.know(w.graph.Secrets())
	res, err := r.Do(t.under(ctx), req, &runner.RunOptions{Ask: view.asker(w.root), Sink: view.event})
	t.know(w.graph.Secrets()) // keys are looked up at the first send
	if kept := keepFiles(res, t, lastMessage); kept != nil {
		res.OK, res.Kind, res.Message, res.ExitCode, err = false, event.KindIO, kept.Error(), event.ExitCode(event.KindIO), kept
	}
	if broken := view.finish(res, err); broken != nil {
		return broken
	}
	if !res.OK {
		return told{res.ExitCode}
	}
	return nil
}

// keepFiles writes what flags ask to be kept of a run. A run whose files cannot be written has failed.
func keepFiles(res *event.Result, t *tape, lastMessage string) error {
	if err := t.save(res.OK); err != nil || !res.OK || lastMessage == "" {
		return err
	}
	if err := wholefile.Replace(lastMessage, 0o644, []byte(res.Text()+"\n")); err != nil {
		return fmt.Errorf("write %s: %w", lastMessage, err)
	}
	return nil
}

// brokenPipe tells whether an error is that of a reader who had enough.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// summary prints the errors of a workspace whose findings were not asked for, and how many warnings there are; -v prints all.
func (a *app) summary(ds diag.List) {
	if a.verbose {
		a.diagnostics(ds)
		return
	}
	n := 0
	a.diagnostics(keep(ds, func(d diag.Diagnostic) bool {
		if d.Severity == diag.Warning {
			n++
		}
		return d.Severity == diag.Error
	}))
	if n > 0 {
		a.note("%s: `swarmrun validate` shows them", plural(n, "warning"))
	}
}

// visible leaves out what only validate and -v print.
func visible(ds diag.List, verbose bool) diag.List {
	if verbose {
		return ds
	}
	return keep(ds, func(d diag.Diagnostic) bool { return d.Severity == diag.Error || d.Severity == diag.Warning })
}
