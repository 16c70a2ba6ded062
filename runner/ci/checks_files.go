package ci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/providers"
)

// maxFile is how much of a file a check reads.
const maxFile = 16 << 20

// read is a file of the attempt. What lies elsewhere, also by a link, is not read.
func (t *attempt) read(name string) (string, error) {
	root, err := os.OpenRoot(t.place.dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	data, err := wholefile.ReadIn(root, filepath.FromSlash(name), maxFile)
	return strings.ToValidUTF8(string(data), "\uFFFD"), err
}

// files are those that a name or a glob means, sorted.
func (t *attempt) files(name string) ([]string, error) {
	if !strings.ContainsAny(name, "*?[{") {
		if _, err := t.read(name); err != nil {
			return nil, nil
		}
		return []string{name}, nil
	}
	names, err := doublestar.Glob(os.DirFS(t.place.dir), name, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	slices.Sort(names)
	return names, err
}

func (t *attempt) file(k *agents.Check) verdict {
	names, err := t.files(k.Name)
	if err != nil {
		return verdict{err: err}
	}
	if k.Exists != nil && !*k.Exists {
		if len(names) == 0 {
			return verdict{}
		}
		return fails("there is no file "+k.Name, strings.Join(names, ", "), nil)
	}
	if len(names) == 0 {
		return fails("there is a file "+k.Name, "none"+t.changedList(), nil)
	}
	var first verdict
	for i, name := range names {
		text, err := t.read(name)
		if err != nil {
			return verdict{err: err}
		}
		expected := unlikeFile(k, text)
		if expected == "" {
			return verdict{}
		}
		if i == 0 {
			first = fails(name+" "+expected, text, nil)
		}
	}
	return first
}

func (t *attempt) changedList() string {
	if len(t.out.Changed) == 0 {
		return ""
	}
	var names []string
	for _, c := range t.out.Changed {
		names = append(names, c.Path)
	}
	return "; changed files: " + strings.Join(names, ", ")
}

func unlikeFile(k *agents.Check, text string) string {
	if lost := without(text, k.Text); len(lost) > 0 {
		return "holds " + list(lost)
	}
	if found := within(text, k.Lost); len(found) > 0 {
		return "does not hold " + list(found)
	}
	if k.Pattern != nil && !k.Pattern.MatchString(text) {
		return "fits " + k.Pattern.String()
	}
	if k.Value != nil {
		if want, _ := decoded(k.Value).(string); strings.TrimRight(want, " \t\r\n") != strings.TrimRight(text, " \t\r\n") {
			return "equals " + want
		}
	}
	return ""
}

// diff judges what the run changed.
func (t *attempt) diff(k *agents.Check) verdict {
	if !t.place.own {
		return verdict{err: errors.New("the case works in the workspace itself; give it a setup")}
	}
	lines := 0
	var names, stray []string
	for _, c := range t.out.Changed {
		lines += c.Added + c.Removed
		names = append(names, fmt.Sprintf("%s (%s, +%d −%d)", c.Path, c.Status, c.Added, c.Removed))
		allowed := len(k.Only) == 0 || anyGlob(k.Only, c.Path)
		if !allowed || anyGlob(k.Keep, c.Path) {
			stray = append(stray, c.Path)
		}
	}
	got := strings.Join(names, ", ")
	if got == "" {
		got = "nothing changed"
	}
	switch {
	case k.Times != nil && !k.Times.Holds(float64(len(names))):
		return fails("files changed: "+k.Times.Text, fmt.Sprintf("%d: %s", len(names), got), nil)
	case k.Lines != nil && !k.Lines.Holds(float64(lines)):
		return fails("lines changed: "+k.Lines.Text, fmt.Sprintf("%d: %s", lines, got), nil)
	case len(stray) > 0:
		return fails("only files may change that are allowed to", strings.Join(stray, ", "), nil)
	}
	return verdict{}
}

func anyGlob(globs []string, path string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		ok, err := doublestar.Match(g, path)
		return err == nil && ok
	})
}

// command runs a line for the shell in the folder of the attempt, confined as commands of the agent are.
func (t *attempt) command(ctx context.Context, k *agents.Check) verdict {
	out, err := t.line(ctx, k.Run)
	if errors.Is(err, errNoVariable) {
		return verdict{err: err}
	}
	if err != nil {
		return fails(k.Run.Run+" ends by itself", err.Error()+said(out), nil)
	}
	want := 0
	if k.Times != nil {
		want = int(k.Times.Low)
	}
	wrote := strings.ToValidUTF8(out.Stdout.String()+out.Stderr.String(), "\uFFFD")
	switch {
	case out.Exit != want:
		return fails(fmt.Sprintf("exit code %d", want), fmt.Sprintf("%d%s", out.Exit, said(out)), nil)
	case len(without(wrote, k.Text)) > 0:
		return fails("it writes "+list(without(wrote, k.Text)), wrote, nil)
	case k.Pattern != nil && !k.Pattern.MatchString(wrote):
		return fails("it writes something that fits "+k.Pattern.String(), wrote, nil)
	}
	return verdict{}
}

// noSecrets looks for what looks like a key. Events come with [redacted] in its place.
func (t *attempt) noSecrets(k *agents.Check) verdict {
	if !*k.Exists {
		return verdict{}
	}
	leaks := func(s string) bool { return strings.Contains(s, providers.Redacted) || t.redact.Text(s) != s }
	if leaks(t.output) {
		return fails("no key in the answer", "one that was taken out", t.answer())
	}
	for i := range t.calls {
		if c := &t.calls[i]; leaks(string(c.input)) || leaks(c.result) {
			return fails("no key in what tools are told or say", "one that was taken out, in a call of "+c.tool, c.at())
		}
	}
	for i, e := range t.entries {
		if leaks(e.Text) {
			return fails("no key in the events", "one that was taken out, in "+e.Event, &Place{Entry: i, Agent: e.Agent})
		}
	}
	for _, c := range t.out.Changed {
		if c.Status == "removed" {
			continue
		}
		text, err := t.read(c.Path)
		if err == nil && leaks(text) {
			return fails("no key in a changed file", "one in "+c.Path, nil)
		}
	}
	return verdict{}
}
