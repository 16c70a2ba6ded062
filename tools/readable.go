package tools

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/swarmrun/swarmrun/tools/internal/shell"
)

// Readable filters the results of a search by the tool of that name: no entry that a rule forbids to read or asks about, none
// that the tool's specifiers leave out, none outside the directories that no rule names. The result may be called from
// several goroutines; it remembers folders, so it is made for one call.
func (r *Rules) Readable(tool string, at Roots) func(path string) bool {
	f := &filter{
		judge:   judge{rules: r, spec: Spec{Name: tool, ReadOnly: true}, call: &Call{Roots: at}, ground: NewGround(at)},
		folders: map[string]string{},
	}
	f.offer = r.Offers(f.judge.spec)
	f.hidden = slices.Concat(r.Removed, r.Deny)
	for _, rule := range r.Ask { // a search asks for no single file
		if rule.form() == formPath {
			f.hidden = append(f.hidden, rule)
		}
	}
	return f.readable
}

type filter struct {
	mu      sync.Mutex
	judge   judge
	offer   Offer
	hidden  []Rule
	folders map[string]string // as named → as they lie
}

func (f *filter) readable(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.locate(filepath.Clean(path))
	if err != nil || !f.offer.OK() {
		return false
	}
	t := reach{kind: TouchRead, text: path, path: p}
	j := &f.judge
	j.reached = []reach{t}
	if _, _, m := j.forbidden(f.hidden); m != shell.Miss {
		return false
	}
	if f.offer.Effect == Narrowed && !j.covered(t, f.offer.By, grants) {
		return false
	}
	if j.closed(t) != "" {
		return false
	}
	return j.rules.Mode == ModeBypass || j.ground.holds(p) || j.covered(t, j.rules.Allow, allows) ||
		slices.ContainsFunc(f.offer.By, func(r Rule) bool { return r.form() == formPath && f.offer.Effect == Narrowed })
}

// locate is locate with the folder remembered: a search asks for all files of one after the other.
func (f *filter) locate(path string) (place, error) {
	dir, name := filepath.Split(path)
	real, ok := f.folders[dir]
	if !ok {
		var err error
		if real, err = follow(filepath.Clean(dir)); err != nil {
			return place{}, err
		}
		f.folders[dir] = real
	}
	last, err := followFrom(real, name)
	return place{link: path, real: last}, err
}
