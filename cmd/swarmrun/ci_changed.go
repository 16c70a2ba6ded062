package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner/ci"
)

// changedSince chooses the cases of which a file changed since a commit: of the job, of what it names, or of the agent with
// all that this reaches. What is not committed yet counts as changed.
func (a *app) changedSince(ctx context.Context, w *workspace, ref string) (func(*agents.Job, *agents.Case) bool, error) {
	l, _ := w.live.Report().Sandbox("")
	commit, err := ci.Git(ctx, l, w.root, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return nil, usagef("--changed: the repository of %s has no commit %q", w.root, ref).hint("in CI fetch it first, as with fetch-depth: 0")
	}
	var changed []string
	for _, args := range [][]string{
		{"diff", "--name-only", "--relative", "-z", "--no-renames", commit, "--"},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		out, err := ci.Git(ctx, l, w.root, args...)
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(out, "\x00") {
			if name != "" {
				changed = append(changed, filepath.Join(w.root, filepath.FromSlash(name)))
			}
		}
	}
	files := map[string]bool{} // what was found out about targets
	touched := func(paths []string) bool {
		return slices.ContainsFunc(paths, func(p string) bool {
			return slices.ContainsFunc(changed, func(c string) bool {
				return c == p || strings.HasPrefix(c, p+string(filepath.Separator))
			})
		})
	}
	return func(j *agents.Job, c *agents.Case) bool {
		target := c.Target
		if target == "" {
			target = w.graph.Default()
		}
		hit, known := files[target]
		if !known {
			hit = touched(w.live.Report().Files(target))
			files[target] = hit
		}
		return hit || touched(caseFiles(c)) || touched([]string{placeFile(w.root, j.Origin)})
	}, nil
}

// caseFiles are the files and folders that a case names.
func caseFiles(c *agents.Case) []string {
	var out []string
	add := func(path string) {
		if path != "" {
			out = append(out, path)
		}
	}
	add(c.Setup.Files)
	add(c.Tape)
	for _, k := range c.Checks {
		add(k.File)
	}
	return out
}

// placeFile is the file of a place, absolute.
func placeFile(root string, at diag.Range) string {
	if filepath.IsAbs(at.File) {
		return filepath.FromSlash(at.File)
	}
	return filepath.Join(root, filepath.FromSlash(at.File))
}
