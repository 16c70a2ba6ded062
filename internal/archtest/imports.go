package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// edge is an import of one package of the project by another.
type edge struct {
	from, to string
	place    string
}

// edges lists the imports inside the project. Tests may import more freely: they join what is kept apart.
func (t *Tree) edges() []edge {
	var es []edge
	for _, p := range t.Packages {
		for _, f := range p.code() {
			for _, i := range f.Imports {
				if to, ok := strings.CutPrefix(i.Path, module+"/"); ok {
					es = append(es, edge{p.Path, to, t.at(i.Pos)})
				}
			}
		}
	}
	return es
}

// checkRungs: every package has a line, and imports point to lines before it.
func checkRungs(t *Tree) []Violation {
	order := make(map[string]int)
	name := make(map[string]string)
	for _, r := range rungs() {
		for _, p := range r.packages {
			order[p] = len(order) + 1
			name[p] = r.name
		}
	}
	var vs []Violation
	for _, p := range t.Packages {
		if order[p.Path] == 0 && len(p.code()) > 0 && !within(p.Path, "examples") {
			vs = append(vs, Violation{p.Path, "the package has no line in internal/archtest/rules.go: say on which rung it stands"})
		}
	}
	for _, e := range t.edges() {
		from, to := order[e.from], order[e.to]
		if from == 0 || to == 0 || to < from {
			continue
		}
		vs = append(vs, Violation{e.place, fmt.Sprintf("%s (rung %s) imports %s (rung %s): imports point down, and in a rung to earlier lines",
			e.from, name[e.from], e.to, name[e.to])})
	}
	return vs
}

// checkGroups: families that are kept apart do not import each other.
func checkGroups(t *Tree) []Violation {
	var vs []Violation
	for _, e := range t.edges() {
		if free(e.from) || free(e.to) {
			continue
		}
		for _, g := range groups() {
			family := func(pkg string) string {
				i := slices.IndexFunc(g.families, func(f string) bool { return within(pkg, f) })
				if i < 0 {
					return ""
				}
				return g.families[i]
			}
			from, to := family(e.from), family(e.to)
			if from != "" && to != "" && from != to {
				vs = append(vs, Violation{e.place, fmt.Sprintf("%s imports %s: %s", e.from, e.to, g.reason)})
			}
		}
	}
	return vs
}

// checkDenials: single edges that the order would allow.
func checkDenials(t *Tree) []Violation {
	var vs []Violation
	for _, e := range t.edges() {
		if free(e.to) {
			continue
		}
		for _, d := range denials() {
			family, all := strings.CutSuffix(d.from, "/...")
			if (e.from == d.from || all && within(e.from, family)) && within(e.to, d.to) {
				vs = append(vs, Violation{e.place, fmt.Sprintf("%s imports %s: %s", e.from, e.to, d.reason)})
			}
		}
	}
	return vs
}

// checkLibraries: each module of others has its importers; a module without a line is not decided.
func checkLibraries(t *Tree) []Violation {
	var vs []Violation
	for _, p := range t.Packages {
		for _, f := range p.Files {
			for _, i := range f.Imports {
				if !strings.Contains(strings.Split(i.Path, "/")[0], ".") || within(i.Path, module) {
					continue
				}
				l, ok := libraryOf(i.Path)
				switch {
				case !ok:
					vs = append(vs, Violation{t.at(i.Pos), fmt.Sprintf("%s has no line in internal/archtest/rules.go: say who may import it and why", i.Path)})
				case f.Test && testers()[l.path] != "" && testers()[l.path] != p.Path:
					vs = append(vs, Violation{t.at(i.Pos), fmt.Sprintf("%s is for the tests of %s only: %s", i.Path, testers()[l.path], l.reason)})
				case f.Test || p.isSuite() && len(l.users) == 0 || slices.Contains(l.users, p.Path):
				case len(l.users) == 0:
					vs = append(vs, Violation{t.at(i.Pos), fmt.Sprintf("%s is for tests only: %s", i.Path, l.reason)})
				default:
					vs = append(vs, Violation{t.at(i.Pos), fmt.Sprintf("%s may be imported by %s only: %s", i.Path, strings.Join(l.users, ", "), l.reason)})
				}
			}
		}
	}
	return vs
}

func libraryOf(imported string) (library, bool) {
	var best library
	for _, l := range libraries() {
		if within(imported, l.path) && len(l.path) > len(best.path) {
			best = l
		}
	}
	return best, best.path != ""
}
