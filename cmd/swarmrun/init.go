package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed all:templates
var templates embed.FS

// ignoreFile belongs to the repository around the workspace, so an existing one stays and is no obstacle.
const ignoreFile = ".gitignore"

type initAnswer struct {
	OK    bool     `json:"ok"`
	Files []string `json:"files"`
	Next  string   `json:"next"`
}

func (a *app) initCommand() *cobra.Command {
	var template string
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a workspace that runs offline at once",
		Long:  "Write a workspace that runs offline at once: an agent, a rule file that plays its model, and notes to ask about.\n\nNothing that exists is overwritten.",
		Args:  atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			dir := a.path(strings.Join(args, ""))
			if dir == "" {
				dir = "."
			}
			return a.initialise(dir, strings.Join(args, ""), template)
		},
	}
	cmd.Flags().StringVar(&template, "template", "basic", "basic (one agent) or team (an agent that asks another)")
	return cmd
}

func (a *app) initialise(dir, shown, template string) error {
	tree, err := fs.Sub(templates, path.Join("templates", template))
	if err != nil {
		return err
	}
	if _, err := fs.Stat(tree, "."); err != nil || strings.ContainsAny(template, `/\.`) {
		return usagef("no template %q", template).hint("templates: basic, team")
	}
	files, err := templateFiles(tree)
	if err != nil {
		return err
	}
	kept := false // a .gitignore without our line
	if _, err := os.Lstat(filepath.Join(dir, ignoreFile)); err == nil {
		files = slices.DeleteFunc(files, func(name string) bool { return name == ignoreFile })
		ignored, _ := os.ReadFile(filepath.Join(dir, ignoreFile))
		kept = !slices.Contains(strings.Fields(string(ignored)), stateDir+"/")
	}
	for _, name := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return usagef("%s exists already", filepath.Join(dir, name)).hint("name another folder: swarmrun init DIR")
		}
	}
	for _, name := range files {
		if err := copyTemplate(tree, dir, name); err != nil {
			return err
		}
	}
	if kept {
		a.note("%s is kept; add the line %s/ to it", filepath.Join(dir, ignoreFile), stateDir)
	}
	next := `swarmrun run "When does the library open on Saturday?"`
	if shown != "" {
		next = "cd " + shown + " && " + next
	}
	return a.answer(initAnswer{OK: true, Files: files, Next: next})
}

func templateFiles(tree fs.FS) ([]string, error) {
	var files []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return err
	})
	return files, err
}

// copyTemplate writes one file; one that appeared meanwhile is left alone.
func copyTemplate(tree fs.FS, dir, name string) error {
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return err
	}
	target := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

func (v initAnswer) text(w io.Writer) error {
	for _, f := range v.Files {
		fmt.Fprintln(w, "wrote", f)
	}
	_, err := fmt.Fprintf(w, "\nnext: %s\n", v.Next)
	return err
}
