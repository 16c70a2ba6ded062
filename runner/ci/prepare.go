package ci

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/config/diag"
)

// prepare finds what would keep the chosen cases from running, without running anything: targets that cannot start, recordings
// that cannot be read, commits that do not exist.
func (r *session) prepare(ctx context.Context) diag.List {
	ds := r.open()
	commits := map[string]bool{}
	for _, j := range r.plan.jobs {
		for _, u := range r.plan.units[j] {
			start := r.g.Start
			if u.c.Model != "" {
				start = r.g.StartWithModel
			}
			target, err := start(u.c.Target)
			u.target = target
			var list *diag.ListError
			if errors.As(err, &list) {
				ds.Add(list.List...)
			} else if err != nil {
				ds.Add(diag.New("E-TARGET-UNKNOWN", u.c.Origin, "%v", err))
			}
			for _, k := range u.c.Checks {
				if k.Kind == "diff" && !copies(u.c.Setup) {
					ds.Add(diag.New("W-KEY-ALONE", k.Origin, "without a setup the case works in the workspace, where other cases may change files too").
						Suggest("add setup: {files: …} or {git: …}"))
				}
			}
			if ref := u.c.Setup.Git; ref != "" && !commits[ref] {
				commits[ref] = true
				ds.Add(r.commit(ctx, ref, u.c.Setup.At)...)
			}
		}
	}
	return ds
}

func (r *session) commit(ctx context.Context, ref string, at diag.Range) diag.List {
	if _, err := r.git(ctx, r.g.Root(), "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}"); err != nil {
		return diag.List{diag.New("E-FIXTURE", at, "the repository of the workspace has no commit %q", ref).
			Suggest("name a branch, a tag or a commit; in CI fetch it first, as with fetch-depth: 0")}
	}
	return nil
}

// display is a path as people read it: from the workspace's root where it lies inside.
func (r *session) display(path string) string {
	if rel, err := filepath.Rel(r.g.Root(), path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}
