package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/runner/event"
)

// validateAnswer is the object of validate. ok and generation_ready differ under --strict and when paths narrow the report.
type validateAnswer struct {
	OK              bool             `json:"ok"`
	GenerationReady bool             `json:"generation_ready"`
	Counts          diag.Counts      `json:"counts"`
	Definitions     []definitionJSON `json:"definitions"`
	Diagnostics     diag.List        `json:"diagnostics"`
}

type definitionJSON struct {
	Kind        config.Kind   `json:"kind"`
	Name        string        `json:"name"`
	Description *string       `json:"description,omitempty"` // list and show have it, validate has not
	File        string        `json:"file"`
	Line        *int32        `json:"line,omitempty"`
	Status      config.Status `json:"status"`
	Origin      config.Origin `json:"origin"`
}

func (a *app) validateCommand() *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "validate [PATH…]",
		Short: "Check all definitions without network and without starting a process",
		Long: "Check all definitions: everything that can be known without the network and without starting a process.\n\n" +
			"The workspace is always loaded whole; PATHs narrow what is reported. Exit 3 when there is an error.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON, formatSARIF, formatGitHub); err != nil {
				return err
			}
			return a.validate(cmd.Context(), args, strict)
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "warnings are errors")
	return cmd
}

// manyFiles is from how many files on garbage is collected at a quarter more than lives. Definitions live as long as the report,
// so that this holds the bound on memory; it costs next to nothing for 1,000 files and some 25 % more processor time for 10,000.
// Fewer files need no collection at all before Go's first one, at 4 MiB.
const manyFiles = 200

func (a *app) validate(ctx context.Context, paths []string, strict bool) error {
	o := a.loadOptions(false)
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	o.Found = func(files int) {
		if files > manyFiles {
			debug.SetGCPercent(25)
		}
	}
	r, err := a.check(ctx, o)
	if err != nil {
		return err
	}
	ds, defs := r.Diagnostics, r.Definitions
	if strict {
		ds = sharpen(ds)
	}
	if len(paths) > 0 {
		in, err := a.below(r.Root, paths)
		if err != nil {
			return err
		}
		ds = keep(ds, func(d diag.Diagnostic) bool { return in(d.Range.File) })
		defs = keep(defs, func(d config.Definition) bool { return in(d.File) })
	}
	if err := a.validated(ds, defs, !r.Diagnostics.HasErrors()); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.Root, loader.SettingsFile)); err != nil && len(r.Definitions) == 0 {
		a.note("nothing is defined in %s; `swarmrun init` writes a workspace to begin with", r.Root)
	}
	if ds.HasErrors() {
		return told{event.ExitCode(event.KindDefinitions)}
	}
	return nil
}

// validated prints the outcome. In text format it is the answer, so it goes to stdout.
func (a *app) validated(ds diag.List, defs []config.Definition, ready bool) error {
	switch a.output {
	case formatSARIF:
		return diag.WriteSARIF(a.stdout, ds, &diag.SARIFOptions{Version: buildVersion().Version})
	case formatGitHub:
		return diag.WriteGitHub(a.stdout, ds)
	case formatJSON:
		v := validateAnswer{OK: !ds.HasErrors(), GenerationReady: ready, Counts: ds.Counts(), Definitions: []definitionJSON{}, Diagnostics: ds}
		for _, d := range defs {
			v.Definitions = append(v.Definitions, definitionJSON{Kind: d.Kind, Name: d.Name, File: d.File, Status: d.Status, Origin: d.Origin})
		}
		return writeJSON(a.stdout, v)
	}
	if err := diag.WriteText(a.stdout, ds, &diag.TextOptions{Sources: a.source, Color: a.color(a.stdout)}); err != nil {
		return err
	}
	return totals(a.stdout, defs)
}

// totals is the last line of the text form.
func totals(w io.Writer, defs []config.Definition) error {
	n := map[config.Status]int{}
	for _, d := range defs {
		n[d.Status]++
	}
	_, err := fmt.Fprintf(w, "%d found: %d loaded, %d repaired, %d skipped, %d broken\n",
		len(defs), n[config.Loaded], n[config.Repaired], n[config.Skipped], n[config.Broken])
	return err
}

// sharpen makes errors of warnings and lints.
func sharpen(ds diag.List) diag.List {
	out := make(diag.List, len(ds))
	for i, d := range ds {
		if d.Severity == diag.Warning || d.Severity == diag.Lint {
			d.Severity = diag.Error
		}
		out[i] = d
	}
	return out
}

// below tells which files of diagnostics lie at or under paths of the command line.
func (a *app) below(root string, paths []string) (func(file string) bool, error) {
	var names []string
	for _, p := range paths {
		if err := a.exists(p); err != nil {
			return nil, err
		}
		names = append(names, display(root, a.path(p)))
	}
	return func(file string) bool {
		for _, n := range names {
			if n == "." || file == n || strings.HasPrefix(file, n+"/") {
				return true
			}
		}
		return false
	}, nil
}

func keep[T any](list []T, want func(T) bool) []T {
	var out []T
	for _, v := range list {
		if want(v) {
			out = append(out, v)
		}
	}
	return out
}
