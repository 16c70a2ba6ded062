package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/internal/wholefile"
)

type fmtAnswer struct {
	OK    bool      `json:"ok"`
	Files []fmtFile `json:"files"`

	check bool
}

type fmtFile struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	Diff    string `json:"diff,omitempty"`
}

func (a *app) fmtCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "fmt [PATH…]",
		Short: "Rewrite frontmatter that YAML only accepts after repair",
		Long:  "Rewrite frontmatter that YAML only accepts after repair; everything else stays byte for byte.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			return a.format(cmd.Context(), args, check)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing; exit 1 when a file would change")
	return cmd
}

func (a *app) format(ctx context.Context, paths []string, check bool) error {
	r, err := a.report(ctx)
	if err != nil {
		return err
	}
	in, err := a.below(r.Root, paths)
	if err != nil {
		return err
	}
	repaired := map[string]bool{} // also where something else is wrong with the file
	for _, d := range r.Diagnostics {
		if d.Fix != nil {
			repaired[d.Range.File] = true
		}
	}
	v := fmtAnswer{OK: true, Files: []fmtFile{}, check: check}
	for _, d := range r.Definitions {
		if !repaired[d.File] || d.Origin == config.User || len(paths) > 0 && !in(d.File) {
			continue
		}
		file := filepath.Join(r.Root, filepath.FromSlash(d.File))
		if filepath.IsAbs(d.File) {
			file = d.File
		}
		f, err := a.formatFile(file, d.File, check)
		if err != nil {
			return err
		}
		v.Files = append(v.Files, f)
		v.OK = v.OK && !(check && f.Changed)
	}
	if err := a.answer(v); err != nil {
		return err
	}
	if !v.OK {
		return told{1}
	}
	return nil
}

// formatFile rewrites one file in place, links followed, mode kept.
func (a *app) formatFile(path, name string, check bool) (fmtFile, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmtFile{}, err
	}
	src, err := os.ReadFile(real)
	if err != nil {
		return fmtFile{}, err
	}
	out, changed, _ := config.Format(src, name)
	f := fmtFile{File: name, Changed: changed}
	if !changed {
		return f, nil
	}
	f.Diff = changedLines(src, out)
	if check {
		return f, nil
	}
	info, err := os.Stat(real)
	if err != nil {
		return f, err
	}
	if err := wholefile.Replace(real, info.Mode().Perm(), out); err != nil {
		return f, fmt.Errorf("write %s: %w", name, err)
	}
	return f, nil
}

// changedLines shows the lines between the first and the last that differ.
func changedLines(before, after []byte) string {
	a, b := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	top := 0
	for top < len(a) && top < len(b) && bytes.Equal(a[top], b[top]) {
		top++
	}
	end := 0
	for end < len(a)-top && end < len(b)-top && bytes.Equal(a[len(a)-1-end], b[len(b)-1-end]) {
		end++
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", top+1, len(a)-end-top, top+1, len(b)-end-top)
	for _, l := range a[top : len(a)-end] {
		fmt.Fprintf(&out, "-%s\n", l)
	}
	for _, l := range b[top : len(b)-end] {
		fmt.Fprintf(&out, "+%s\n", l)
	}
	return out.String()
}

func (v fmtAnswer) text(w io.Writer) error {
	for _, f := range v.Files {
		if !f.Changed {
			continue
		}
		verb := "rewrote"
		if v.check {
			verb = "would rewrite"
		}
		if _, err := fmt.Fprintf(w, "%s %s\n%s", verb, f.File, printable.Text(f.Diff)); err != nil {
			return err
		}
	}
	if len(v.Files) == 0 {
		_, err := fmt.Fprintln(w, "nothing to repair")
		return err
	}
	return nil
}
