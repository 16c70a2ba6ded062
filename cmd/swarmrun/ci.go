package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner/ci"
	"github.com/swarmrun/swarmrun/runner/ci/report"
	"github.com/swarmrun/swarmrun/runner/event"
)

// ciFlags are the flags of ci.
type ciFlags struct {
	check, record, live, replay, update, failFast bool
	jobs, retries                                 int
	filter, shard, changed                        string
	tags                                          []string
	files                                         report.Files
}

func (a *app) ciCommand() *cobra.Command {
	var f ciFlags
	cmd := &cobra.Command{
		Use:   "ci [JOB…]",
		Short: "Run agents as a check: the jobs of jobs/, from recorded answers or live",
		Long: "Run CI jobs, all or those that are named with what they need. Each case runs in a fresh copy of its fixture; its answers\n" +
			"come from its cassette, where it names one, and its checks say whether it passes.\n\n" +
			"Exit codes: 0 all passed, 1 a case failed or there was none, 3 definitions are invalid and nothing ran, 7 a limit stopped a case.",
		ValidArgsFunction: a.completeJobs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON, formatJSONL); err != nil {
				return err
			}
			return a.ci(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.check, "check", false, "only check the definitions, fixtures and cassettes; run nothing")
	flags.BoolVar(&f.record, "record", false, "ask the models for what cassettes lack, and keep the answers")
	flags.BoolVar(&f.replay, "replay", false, "answer from cassettes only (the default where a case has one)")
	flags.BoolVar(&f.live, "live", false, "ask the models whatever cassettes have")
	flags.BoolVar(&f.update, "update", false, "write snapshots anew")
	flags.IntVar(&f.jobs, "jobs", 0, "run `n` cases side by side (default: one for each processor)")
	flags.StringVar(&f.filter, "filter", "", "only cases whose name, job/case [axis=value], fits the `pattern` (RE2)")
	flags.StringSliceVar(&f.tags, "tag", nil, "only cases with the `tag`; may be repeated, one has to fit")
	flags.StringVar(&f.shard, "shard", "", "only the `i/n`-th part of the cases")
	flags.StringVar(&f.changed, "changed", "", "only cases whose files changed since the commit `ref`")
	flags.BoolVar(&f.failFast, "fail-fast", false, "begin no case after one that failed")
	flags.StringVar(&f.files.JUnit, "junit", "", "write JUnit XML to `file`")
	flags.StringVar(&f.files.SARIF, "sarif", "", "write findings and faults of definitions as SARIF to `file`")
	flags.StringVar(&f.files.Summary, "summary", "", "write a summary in Markdown to `file`")
	flags.StringVar(&f.files.JSON, "json", "", "write the whole report as JSON to `file`: the next run's baseline")
	flags.StringVar(&f.files.HTML, "html", "", "write one page with every transcript to `file`")
	flags.StringVar(&f.files.CodeQuality, "codequality", "", "write findings in GitLab's form to `file`")
	flags.StringVar(&f.files.Baseline, "baseline", "", "compare with the JSON report `file` of an earlier run")
	flags.StringVar(&f.files.FailOn, "fail-on", "", "fail where the comparison passes `thresholds`, such as worse=0,cost=20%")
	flags.IntVar(&f.retries, "retries", 0, "try a live case that fails `n` times more; it is reported as flaky")
	return cmd
}

// options are the flags as package ci wants them.
func (f *ciFlags) options() (*ci.Options, error) {
	o := &ci.Options{Tags: f.tags, Concurrency: f.jobs, FailFast: f.failFast, Retries: f.retries, Update: f.update}
	switch {
	case f.record && f.live, f.record && f.replay, f.live && f.replay:
		return nil, usagef("--record, --replay and --live exclude each other")
	case f.record:
		o.Mode = ci.Record
	case f.live:
		o.Mode = ci.Live
	}
	if f.jobs < 0 || f.retries < 0 {
		return nil, usagef("--jobs and --retries must not be negative")
	}
	if o.Concurrency == 0 {
		o.Concurrency = runtime.GOMAXPROCS(0)
	}
	if f.filter != "" {
		re, err := regexp.Compile(f.filter)
		if err != nil {
			return nil, usagef("--filter: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: ")).hint("patterns are RE2; \\[ means a bracket")
		}
		o.Filter = re
	}
	if f.shard != "" {
		i, n, ok := strings.Cut(f.shard, "/")
		index, err := strconv.Atoi(i)
		of, err2 := strconv.Atoi(n)
		if !ok || err != nil || err2 != nil || index < 1 || of < index {
			return nil, usagef("--shard takes i/n, such as 2/5, not %q", f.shard)
		}
		o.Shard = ci.Shard{Index: index, Of: of}
	}
	return o, nil
}

func (a *app) ci(ctx context.Context, f ciFlags, names []string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	w, err := a.openWorkspace(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	a.inWorkspace(&f.files)
	if err := w.checkJobs(names); err != nil {
		return err
	}
	loaded := w.live.Report()
	if broken := w.brokenJobs(names); broken.HasErrors() {
		return a.refuseCI(w, broken, f.files)
	}
	a.diagnostics(visible(keep(loaded.Diagnostics, func(d diag.Diagnostic) bool { return !f.record || d.Code != "W-CASSETTE" }), a.verbose))
	o.Jobs = names
	a.lend(w, o)
	if f.changed != "" {
		if o.Only, err = a.changedSince(ctx, w, f.changed); err != nil {
			return err
		}
	}
	if f.check {
		return a.checkOnly(ctx, w, o)
	}
	return a.runCI(ctx, w, o, f.files)
}

// lend gives jobs what this process and its workspace have.
func (a *app) lend(w *workspace, o *ci.Options) {
	o.Launcher, _ = w.live.Report().Sandbox("")
	o.Environ, o.Home, o.Program = a.environ, a.env("HOME"), buildVersion().Version
}

// run runs jobs of a generation and shows how they go.
func (v *ciView) run(ctx context.Context, g *agents.Graph, o *ci.Options) (*ci.Report, error) {
	defer v.close()
	o.Planned, o.Told, o.Sink = v.planned, v.told, v.event
	return ci.Run(ctx, agents.Static(g), o)
}

// runCI runs the jobs and writes the reports that were asked for.
func (a *app) runCI(ctx context.Context, w *workspace, o *ci.Options, files report.Files) error {
	plan, err := files.Open()
	if err != nil {
		return usagef("%v", err)
	}
	view := a.newCIView()
	r, err := view.run(ctx, w.graph, o)
	if list, ok := errors.AsType[*diag.ListError](err); ok {
		return a.refuseCI(w, list.List, files)
	} else if err != nil {
		return err
	}
	r.Diagnostics = visible(w.live.Report().Diagnostics, false)
	c := plan.Judge(r)
	if err := plan.Write(r, c, a.env, a.beside()); err != nil {
		return err
	}
	return a.finishCI(r, view)
}

// refuseCI tells that definitions are invalid; the reports that were asked for say so too.
func (a *app) refuseCI(w *workspace, faults diag.List, files report.Files) error {
	kind := event.KindDefinitions
	r := &ci.Report{
		Version: ci.ReportVersion, Program: buildVersion().Version, Workspace: w.graph.Name(), Kind: kind, ExitCode: event.ExitCode(kind), Jobs: []*ci.Job{},
		Diagnostics: append(visible(w.live.Report().Diagnostics, false), faults...).Sort(),
	}
	files.Baseline, files.FailOn = "", "" // there is nothing to compare
	plan, err := files.Open()
	if err != nil {
		return usagef("%v", err)
	}
	return errors.Join(&diag.ListError{List: faults}, plan.Write(r, nil, a.env, a.beside()))
}

// beside is where lines for a CI system go: stdout, unless that is the answer.
func (a *app) beside() io.Writer {
	if a.output != formatText {
		return a.stderr
	}
	return a.stdout
}

// inWorkspace makes paths of flags start where -C says.
func (a *app) inWorkspace(f *report.Files) {
	for _, p := range []*string{&f.JUnit, &f.SARIF, &f.Summary, &f.JSON, &f.HTML, &f.CodeQuality, &f.Baseline} {
		if *p != "" {
			*p = a.path(*p)
		}
	}
}

// checkOnly says whether the jobs could run.
func (a *app) checkOnly(ctx context.Context, w *workspace, o *ci.Options) error {
	n, err := ci.Check(ctx, agents.Static(w.graph), o)
	if err != nil {
		return err
	}
	if n == 0 {
		return noCases()
	}
	if a.output != formatText {
		return writeJSON(a.stdout, map[string]any{"ok": true, "cases": n})
	}
	_, err = fmt.Fprintf(a.stdout, "%s can run\n", plural(n, "case"))
	return err
}

func noCases() error {
	return &failed{kind: event.KindNoCases, err: errors.New("there is no case to run: jobs stand in jobs/*.yaml, and --filter, --tag, --shard and --changed leave cases out")}
}

// checkJobs says what could have been meant when there is no such job.
func (w *workspace) checkJobs(names []string) error {
	known := w.jobNames()
	for _, n := range names {
		if slices.Contains(known, n) {
			continue
		}
		err := usagef("no job named %q", n)
		list := "jobs here: " + diag.Enumerate(known)
		if len(known) == 0 {
			list = "there is no job in " + w.root
		}
		if near, ok := diag.Closest(n, known); ok {
			list = fmt.Sprintf("did you mean %q? %s", near, list)
		}
		return err.hint("%s", list)
	}
	return nil
}

func (w *workspace) jobNames() []string {
	var names []string
	for _, d := range w.live.Report().List(config.KindJob) {
		names = append(names, d.Name)
	}
	return names
}

// brokenJobs are the errors of the files of jobs, all or those that are named with what they need.
func (w *workspace) brokenJobs(names []string) diag.List {
	loaded := w.live.Report()
	needs := map[string][]string{}
	for _, j := range w.graph.Jobs() {
		needs[j.Name] = j.Needs
	}
	if len(names) == 0 {
		names = w.jobNames()
	}
	wanted := map[string]bool{}
	for queue := slices.Clone(names); len(queue) > 0; queue = queue[1:] {
		if !wanted[queue[0]] {
			wanted[queue[0]] = true
			queue = append(queue, needs[queue[0]]...)
		}
	}
	files := map[string]bool{}
	for _, d := range loaded.List(config.KindJob) {
		if wanted[d.Name] && d.Status == config.Broken {
			files[d.File] = true
		}
	}
	return keep(loaded.Diagnostics, func(d diag.Diagnostic) bool { return files[d.Range.File] })
}

func (a *app) completeJobs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	loaded, err := a.report(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, d := range loaded.List(config.KindJob) {
		if !slices.Contains(args, d.Name) {
			names = append(names, d.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
