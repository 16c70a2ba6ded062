package main

import (
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/skills"
)

// slash takes a skill or command off the words of a prompt: /name, then its arguments. Without one the words are the prompt.
// A first word that begins with a slash and names nothing is a prompt like any other, such as a path.
func (w *workspace) slash(words []string) (command string, rest []string) {
	if len(words) == 0 || !strings.HasPrefix(words[0], "/") {
		return "", words
	}
	name, typed, more := strings.Cut(words[0][1:], " ")
	if _, ok := w.graph.Commands().Named(name); !ok {
		return "", words
	}
	if more && len(words) == 1 {
		return name, []string{typed} // as typed, quotes and all
	}
	if more {
		return name, append(skills.Words(typed), words[1:]...)
	}
	return name, words[1:]
}

// arguments are the words behind a command as one text, from which they can be told apart again.
func arguments(words []string) []string {
	if len(words) < 2 {
		return words
	}
	return []string{skills.Join(words)}
}

// checkCommand says what could have been meant when the first argument is /name and nothing is called so.
func (w *workspace) checkCommand(target string) error {
	name, ok := strings.CutPrefix(target, "/")
	if !ok {
		return nil
	}
	names := w.commands()
	for _, d := range w.live.Report().Definitions {
		if d.Name == name && d.Status == config.Broken && (d.Kind == config.KindSkill || d.Kind == config.KindCommand) {
			return &diag.ListError{List: about(w.live.Report().Diagnostics, d.File)}
		}
	}
	err := usagef("no skill and no command named %q", name)
	if len(names) == 0 {
		return err.hint("there is none in %s", w.root)
	}
	if near, ok := diag.Closest(name, names); ok {
		return err.hint("did you mean /%s? `swarmrun list skill` and `swarmrun list command` show what there is", near)
	}
	return err.hint("`swarmrun list skill` and `swarmrun list command` show what there is")
}

// commands are the names that a person may call.
func (w *workspace) commands() []string {
	var out []string
	set := w.graph.Commands()
	for _, k := range slices.Concat(set.All(), set.Waiting()) {
		out = append(out, k.Name)
	}
	return out
}

// about keeps the errors of one file.
func about(ds diag.List, file string) diag.List {
	var out diag.List
	for _, d := range ds {
		if d.Range.File == file && d.Severity == diag.Error {
			out.Add(d)
		}
	}
	return out
}
