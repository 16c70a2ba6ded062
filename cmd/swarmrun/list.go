package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/internal/printable"
)

type listAnswer struct {
	OK          bool             `json:"ok"`
	Definitions []definitionJSON `json:"definitions"`
}

func kinds() []config.Kind {
	return []config.Kind{
		config.KindAgent, config.KindSkill, config.KindCommand, config.KindHook, config.KindMCP, config.KindTool,
		config.KindWorkflow, config.KindJob, config.KindModel, config.KindRule,
	}
}

// kindNamed reads a kind, singular or plural; "" is every kind.
func kindNamed(word string) (config.Kind, error) {
	if word == "" {
		return "", nil
	}
	for _, k := range kinds() {
		if word == string(k) || word == string(k)+"s" {
			return k, nil
		}
	}
	var names []string
	for _, k := range kinds() {
		names = append(names, string(k))
	}
	return "", usagef("no kind %q", word).near(word, names, "kinds")
}

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [KIND]",
		Short: "List what is defined",
		Args:  atMost(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return kindWords(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			kind, err := kindNamed(strings.Join(args, ""))
			if err != nil {
				return err
			}
			r, err := a.report(cmd.Context())
			if err != nil {
				return err
			}
			a.summary(r.Diagnostics)
			v := listAnswer{OK: true, Definitions: []definitionJSON{}}
			for _, d := range r.List(kind) {
				v.Definitions = append(v.Definitions, listed(d))
			}
			return a.answer(v)
		},
	}
}

func kindWords() []string {
	var out []string
	for _, k := range kinds() {
		out = append(out, string(k))
	}
	return out
}

// listed is a definition as list and show give it.
func listed(d config.Definition) definitionJSON {
	line := d.At.Start.Line
	return definitionJSON{Kind: d.Kind, Name: d.Name, Description: &d.Description, File: d.File, Line: &line, Status: d.Status, Origin: d.Origin}
}

func (v listAnswer) text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "KIND\tNAME\tWHERE\tDESCRIPTION")
	for _, d := range v.Definitions {
		where := d.File
		if where == "" {
			where = "(" + string(d.Origin) + ")"
		}
		if !slices.Contains([]config.Status{config.Loaded, config.Repaired}, d.Status) {
			where += " [" + string(d.Status) + "]"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", d.Kind, printable.Line(d.Name), printable.Line(where), cut(printable.Line(*d.Description), 70))
	}
	return t.Flush()
}
