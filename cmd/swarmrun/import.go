package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader/importer"
	"github.com/swarmrun/swarmrun/loader/standard"
)

type importAnswer struct {
	OK         bool         `json:"ok"`
	Written    []importFile `json:"written"`
	NotCarried []importLeft `json:"not_carried"`
}

type importFile struct {
	File string `json:"file"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	From string `json:"from"`
}

// importLeft is a part of the source that was not carried over. What is the text that stands there. Refused: the agent was left
// out because of it.
type importLeft struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	What    string `json:"what"`
	Reason  string `json:"reason"`
	Hint    string `json:"hint,omitempty"`
	Refused bool   `json:"refused"`
}

func (a *app) importCommand() *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use:   "import [FORMAT] SOURCE",
		Short: "Write native files from those of other programs",
		Long: "Write native files from those of Claude Code, Copilot, Gemini, opencode, docker-agent (cagent) and goose.\n\n" +
			"SOURCE is a file, or a folder that holds .claude, .github and the like. Nothing is overwritten. What is not carried\n" +
			"over is told with its line; an agent that could do more than it could before is left out, and the exit code is 3.",
		Args: atMost(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			if len(args) == 2 {
				if from != "" {
					return usagef("the format is given twice").hint("leave --from out")
				}
				from, args = args[0], args[1:]
			}
			if len(args) == 0 {
				return usagef("missing argument SOURCE").hint("usage: %s", cmd.UseLine())
			}
			return a.importFrom(cmd.Context(), args[0], from, to)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "whose files they are: `format` "+strings.Join(importer.Formats(), ", ")+" (default: found out)")
	cmd.Flags().StringVar(&to, "to", "", "`folder` to write to (default: the workspace)")
	return cmd
}

func (a *app) importFrom(ctx context.Context, source, from, to string) error {
	if from == "cagent" {
		from = importer.Docker
	}
	if from != "" && !slices.Contains(importer.Formats(), from) {
		err := usagef("there is no format %q", from)
		if near, ok := diag.Closest(from, importer.Formats()); ok {
			return err.hint("did you mean %q?", near)
		}
		return err.hint("formats: %s", strings.Join(importer.Formats(), ", "))
	}
	if err := a.checkDir(); err != nil {
		return err
	}
	source, to = a.placed(source), a.placed(to)
	r, err := importer.Read(ctx, source, from, standard.Environment())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("there is no %s", source)
	case errors.Is(err, importer.ErrNothing):
		return usagef("%s holds nothing that could be imported", source).hint("name the format with --from: %s", strings.Join(importer.Formats(), ", "))
	case err != nil:
		return err
	}
	written, err := r.Write(to)
	if err != nil {
		return err
	}
	v := importAnswer{OK: !r.Left.HasErrors(), Written: []importFile{}, NotCarried: []importLeft{}}
	for _, f := range written {
		v.Written = append(v.Written, imported(f))
	}
	for _, d := range r.Left {
		v.NotCarried = append(v.NotCarried, importLeft{
			d.Range.File, int(d.Range.Start.Line), int(d.Range.Start.Column), r.What(d), d.Summary, d.Suggestion, d.Severity == diag.Error,
		})
	}
	if err := a.answer(v); err != nil {
		return err
	}
	if !v.OK {
		return told{3}
	}
	return nil
}

// imported is a file that was written, by the folder that it lies in; a file beside a SKILL.md belongs to the skill.
func imported(f importer.File) importFile {
	folder, rest, ok := strings.Cut(f.Path, "/")
	if !ok {
		return importFile{File: f.Path, Kind: string(config.KindSettings), From: f.From}
	}
	kind := strings.TrimSuffix(folder, "s")
	name, _, _ := strings.Cut(rest, "/")
	if kind != string(config.KindSkill) {
		name = config.Stem(rest)
	}
	return importFile{File: f.Path, Kind: kind, Name: name, From: f.From}
}

// placed is a path of an argument: it starts at -C when that is given.
func (a *app) placed(path string) string {
	if a.dir == "" || filepath.IsAbs(path) {
		if path == "" {
			return "."
		}
		return path
	}
	return filepath.Join(a.dir, path)
}

func (v importAnswer) text(w io.Writer) error {
	var b strings.Builder
	for _, f := range v.Written {
		fmt.Fprintf(&b, "wrote %s (from %s)\n", printable.Text(f.File), printable.Text(f.From))
	}
	if len(v.NotCarried) > 0 {
		b.WriteString("not carried:\n")
	}
	for _, l := range v.NotCarried {
		word := ""
		if l.Refused {
			word = "left out: "
		}
		fmt.Fprintf(&b, "  %s:%d:%d: %s%s\n", printable.Text(l.File), l.Line, l.Column, word, printable.Text(l.Reason))
		if l.Hint != "" {
			fmt.Fprintf(&b, "    %s\n", printable.Text(l.Hint))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
