package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// formatHTML is one page that needs no other file.
const formatHTML = "html"

// formatFlag is --format, of commands that have more forms than those of -o.
type formatFlag struct {
	chosen string
	have   []string
}

// addFormat adds the flag; the first form is the default. json is the same as -o json.
func addFormat(cmd *cobra.Command, have ...string) *formatFlag {
	f := &formatFlag{have: have}
	cmd.Flags().StringVar(&f.chosen, "format", have[0], f.words())
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(have, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	return f
}

func (f *formatFlag) words() string {
	last := len(f.have) - 1
	return strings.Join(f.have[:last], ", ") + " or " + f.have[last]
}

// take decides between the flag and -o.
func (f *formatFlag) take(a *app, cmd *cobra.Command) error {
	if err := a.formats(formatText, formatJSON); err != nil {
		return err
	}
	switch {
	case !slices.Contains(f.have, f.chosen):
		return usagef("there is no format %q", f.chosen).hint("use --format %s", f.words())
	case f.chosen == formatJSON:
		a.output = formatJSON
	case a.output == formatJSON && cmd.Flags().Changed("format"):
		return usagef("-o json and --format %s exclude each other", f.chosen)
	}
	return nil
}
