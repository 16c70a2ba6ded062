package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// app is one invocation: its streams, its environment and the flags that every command has.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	children       sandbox.Children // every process that tools start
	probe          sandbox.Probe    // what the system can do to confine them

	// begin takes signals over for a command that they could end; nil = the context that run got knows of them.
	begin func(context.Context) context.Context

	dir     string // -C; "" = find the workspace from the current folder
	output  string // -o
	quiet   bool
	verbose bool
	noColor bool
	logFile string

	interrupt atomic.Pointer[runner.Queue] // whose turn the first Ctrl-C ends, instead of all; nil = none's

	printed map[string]bool // diagnostics that stderr has, by what they say
}

// The output formats of -o; validate has two more.
const (
	formatText   = "text"
	formatJSON   = "json"
	formatJSONL  = "jsonl"
	formatSARIF  = "sarif"
	formatGitHub = "github"
)

// run executes the command line and returns the exit code. Whatever happens, a JSON format ends with a complete object.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	a.output = formatText
	defer a.children.Close()
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && a.output == formatText {
		a.output = requestedFormat(args)
	}
	return a.finish(cmd, err)
}

// requestedFormat finds -o in a command line that could not be parsed, so that the complaint has the form that was asked for.
func requestedFormat(args []string) string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		value, ok := strings.CutPrefix(arg, "--output=")
		if !ok {
			value, ok = strings.CutPrefix(arg, "-o")
			value = strings.TrimPrefix(value, "=")
		}
		if (arg == "-o" || arg == "--output") && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if ok && (value == formatJSON || value == formatJSONL) {
			return value
		}
	}
	return formatText
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "swarmrun",
		Short:         "Run teams of AI agents that are written as files",
		Long:          "swarmrun runs teams of AI agents that are written as files: Markdown with YAML frontmatter.\n\nStart with `swarmrun init`, then `swarmrun run`.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	group(root)
	if a.begin != nil {
		root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { cmd.SetContext(a.begin(cmd.Context())) }
	}
	root.SetFlagErrorFunc(flagError)
	flags := root.PersistentFlags()
	flags.StringVarP(&a.dir, "dir", "C", "", "workspace `folder` (default: the nearest one upwards with a swarmrun.yaml, else the current one)")
	flags.StringVarP(&a.output, "output", "o", formatText, "output `format`: text, json, jsonl")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no progress on stderr")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "show prompts, tool results and infos on stderr")
	flags.BoolVar(&a.noColor, "no-color", false, "no colour (also with NO_COLOR)")
	flags.StringVar(&a.logFile, "log-file", "", "append a log as JSON lines to `file`")
	version := a.versionCommand()
	asked, other := root.Flags().Bool("version", false, "the same as the command"), root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *asked {
			return version.RunE(version, args)
		}
		return other(cmd, args)
	}
	root.AddCommand(
		a.runCommand(), a.ciCommand(), a.chatCommand(), a.devCommand(), a.validateCommand(), a.fmtCommand(), a.listCommand(), a.showCommand(), a.graphCommand(),
		a.initCommand(), a.importCommand(), a.sessionsCommand(), a.schemaCommand(), a.doctorCommand(), a.mcpCommand(), version,
	)
	root.AddCommand(a.hookCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			group(c)
		}
	}
	return root
}

// formats checks -o against what a command can do.
func (a *app) formats(allowed ...string) error {
	for _, f := range allowed {
		if a.output == f {
			return nil
		}
	}
	given := a.output
	if given != formatJSONL {
		a.output = formatText
	} else {
		a.output = formatJSON
	}
	return usagef("this command has no output format %q", given).hint("use -o with one of: %s", strings.Join(allowed, ", "))
}

// terminal tells whether a stream is a terminal.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// color tells whether to colour what goes to a stream.
func (a *app) color(stream any) bool {
	return !a.noColor && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb" && terminal(stream)
}

// env is the value of a variable; of several lines of one name the last counts, as for a child process.
func (a *app) env(name string) string {
	value := ""
	for _, line := range a.environ {
		if v, ok := strings.CutPrefix(line, name+"="); ok {
			value = v
		}
	}
	return value
}

// group makes a command that only holds others: alone it prints its help, and what it does not hold is a usage error.
func group(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	err := usagef("unknown command %q", name)
	if near, ok := diag.Closest(name, names); ok {
		return err.hint("did you mean %q?", near)
	}
	return err.hint("commands here: %s", diag.Enumerate(names))
}

// valueWords says what a flag of a type takes.
func valueWords(kind string) string {
	switch kind {
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	case "duration":
		return "a duration such as 90s or 5m"
	case "bool":
		return "true or false"
	case "stringToString":
		return "name=value"
	}
	return "a " + kind
}

// flagError says what a flag takes, or which flag may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		return usagef("--%s takes %s, not %q", f.Name, valueWords(f.Value.Type()), invalid.GetValue()).hint("run `%s --help`", cmd.CommandPath())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usagef("%v", err).hint("run `%s --help`", cmd.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, ok := diag.Closest(name, names); ok && len(name) > 1 {
		return usagef("unknown flag --%s", name).hint("did you mean --%s?", near)
	}
	dashes := "--"
	if len(name) == 1 {
		dashes = "-"
	}
	return usagef("unknown flag %s%s", dashes, name).hint("run `%s --help`", cmd.CommandPath())
}

// exactArgs is cobra.ExactArgs with a usage error that says what is missing.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usagef("missing argument %s", names[len(args)]).hint("usage: %s", cmd.UseLine())
		case len(args) > len(names):
			return usagef("unexpected argument %q", args[len(names)]).hint("usage: %s", cmd.UseLine())
		}
		return nil
	}
}

// atMost allows up to n positional arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef("unexpected argument %q", args[n]).hint("usage: %s", cmd.UseLine())
		}
		return nil
	}
}

// noArgs refuses positional arguments.
func noArgs(cmd *cobra.Command, args []string) error { return exactArgs()(cmd, args) }

// note writes one line for the person to stderr, unless -q.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}
