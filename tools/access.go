package tools

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// walkLimit is how many files are looked at, for one child, to find those that a pattern means.
const walkLimit = 20_000

// Access is what a child of an agent with these rules may do in these folders: read the workspace, change the agent's own
// directories, and neither read what is denied to Read nor change what is denied to Edit or guarded. A child reads and
// writes by itself, so what counts here are the files that exist now. In a repository it makes what can be kept only where it
// exists; AccessShown does not.
func (r *Rules) Access(at Roots) sandbox.Access { return r.access(at, false) }

// AccessShown is Access for who only looks: nothing is made, and what Access would make counts as made.
func (r *Rules) AccessShown(at Roots) sandbox.Access { return r.access(at, true) }

func (r *Rules) access(at Roots, looks bool) sandbox.Access {
	w := &accessWalk{rules: r, ground: NewGround(at), left: walkLimit, looks: looks}
	w.out.Read = []string{cmp.Or(at.Workspace, at.Dir)}
	w.out.Write = append([]string{at.Dir}, at.Dirs...)
	for i := range r.Deny {
		w.deny(&r.Deny[i])
	}
	for i := range r.Removed {
		w.deny(&r.Removed[i])
	}
	w.guard(at)
	for _, list := range []*[]string{&w.out.Read, &w.out.Write, &w.out.Hide, &w.out.Keep} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	slices.SortFunc(w.out.Open, func(a, b sandbox.Gap) int { return cmp.Compare(a.String(), b.String()) })
	w.out.Open = slices.Compact(w.out.Open)
	return w.out
}

// AccessKey is what Access goes by besides the folders, as it is written: where two have equal ones, their children may do the
// same.
func (r *Rules) AccessKey() []string {
	var out []string
	add := func(list []Rule) {
		for i := range list {
			if list[i].form() == formPath {
				out = append(out, fmt.Sprintf("%d %s", list[i].Dialect, list[i].Text))
			}
		}
	}
	add(r.Deny)
	add(r.Removed)
	for _, spec := range r.Guarded {
		out = append(out, "guarded "+spec)
	}
	out = append(out, "open")
	if len(r.Guarded) > 0 {
		add(r.Grants)
		add(r.Allow)
	}
	return out
}

// Access is what a child of this call may do.
func (c *Call) Access() sandbox.Access {
	if c.Rules == nil {
		return (&Rules{}).Access(c.Roots)
	}
	return c.Rules.Access(c.Roots)
}

// accessWalk collects what patterns mean on disk.
type accessWalk struct {
	rules  *Rules
	ground *Ground
	left   int // files that may still be looked at
	looks  bool
	made   []string // what would be made, for who only looks
	out    sandbox.Access
}

func (w *accessWalk) deny(r *Rule) {
	if r.form() != formPath {
		return
	}
	tool := r.Tool
	if r.Dialect == Claude && r.dead() {
		tool = r.family()
	}
	switch tool {
	case "Read":
		w.files(r.Specifier, r.Text, &w.out.Hide)
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		w.files(r.Specifier, r.Text, &w.out.Keep)
	}
}

// files adds what a pattern means: a name as it is, a folder as a whole, else all that a walk finds.
func (w *accessWalk) files(spec, text string, to *[]string) {
	p := w.ground.compile(spec, forbids)
	if len(p.globs) == 0 {
		return
	}
	start := filepath.Join(p.base[1], filepath.FromSlash(p.lead))
	switch rest := strings.TrimPrefix(strings.TrimPrefix(p.globs[0], p.lead), "/"); rest {
	case "", "**":
		if _, err := os.Lstat(start); err == nil {
			*to = append(*to, start)
		}
		return
	}
	if !w.find(start, p, func(path string) (stop bool) { *to = append(*to, path); return false }) {
		w.out.Open = append(w.out.Open, sandbox.Gap{Name: text, Why: "has too many files to look at all of them"})
	}
}

// find walks a folder and tells what matches, folders as a whole; false when there was too much to look at.
func (w *accessWalk) find(start string, p pattern, hit func(string) (stop bool)) bool {
	done := true
	_ = filepath.WalkDir(start, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be listed by us cannot be listed by the child
		}
		if w.left--; w.left < 0 {
			done = false
			return fs.SkipAll
		}
		if !p.matches(path) {
			return nil
		}
		switch {
		case hit(path):
			return fs.SkipAll
		case d.IsDir():
			return fs.SkipDir
		}
		return nil
	})
	return done
}

// guard keeps what file tools write only where a rule names it: definitions, the record of runs, and what git runs.
func (w *accessWalk) guard(at Roots) {
	root := cmp.Or(at.Workspace, at.Dir)
	state := filepath.Join(root, stateDir)
	if _, err := os.Lstat(state); err == nil {
		w.out.Hide = append(w.out.Hide, state)
	}
	for _, spec := range w.rules.Guarded {
		w.definitions(spec)
	}
	for _, dir := range append([]string{root, at.Dir}, at.Dirs...) {
		w.git(dir)
	}
}

// definitions keeps a guarded file, or a folder that holds guarded files.
func (w *accessWalk) definitions(spec string) {
	p := w.ground.compile(spec, forbids)
	if len(p.globs) == 0 || w.opened(spec, p) {
		return
	}
	start := filepath.Join(p.base[1], filepath.FromSlash(p.lead))
	if !w.written(start) {
		return
	}
	if _, err := os.Lstat(start); err != nil {
		w.out.Open = append(w.out.Open, sandbox.Gap{Name: spec, Absent: true})
		return
	}
	if rest := strings.TrimPrefix(strings.TrimPrefix(p.globs[0], p.lead), "/"); rest == "" || rest == "**" {
		w.out.Keep = append(w.out.Keep, start)
		return
	}
	found := false
	whole := w.find(start, p, func(string) (stop bool) { found = true; return true })
	if found || !whole {
		w.out.Keep = append(w.out.Keep, start)
	} else {
		w.out.Open = append(w.out.Open, sandbox.Gap{Name: spec, Why: "matches no file yet and one can be made"})
	}
}

// written tells whether a path lies in what the child may change.
func (w *accessWalk) written(path string) bool {
	return slices.ContainsFunc(w.ground.inside, func(b base) bool { _, ok := b.rel(path); return ok })
}

// opened tells whether a rule names what is guarded, so that the agent's file tools may write it.
func (w *accessWalk) opened(spec string, p pattern) bool {
	key := keyOf(spec)
	file := filepath.Join(p.base[1], filepath.FromSlash(p.lead))
	if strings.ContainsAny(spec, "*") {
		file = filepath.Join(file, "x"+filepath.Ext(spec))
	}
	t := reach{kind: TouchWrite, text: file, path: place{link: file, real: file}}
	return slices.ContainsFunc([]string{"Write", "Edit"}, func(tool string) bool {
		j := &judge{rules: w.rules, spec: Spec{Name: tool}, call: &Call{}, ground: w.ground}
		return j.named(t, key)
	})
}
