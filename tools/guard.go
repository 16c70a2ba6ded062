package tools

import (
	"path/filepath"
	"slices"
	"strings"
)

// stateDir is the folder of a workspace that holds sessions, caches and locks.
const stateDir = ".swarmrun"

// guarded is step 5 of a call: what lies inside the directories and yet is no ordinary file. What runs left behind, for it is
// their record; and to be written, what git runs and the definitions that say what later runs may do. A rule that names the
// folder or file opens it, one that only describes it (Write, Write(**), Write(*.md)) does not: a person is asked, in mode bypass
// too, since what is written there outlives the run that somebody let have its way.
func (j *judge) guarded() (Decision, bool) {
	for _, t := range j.reached {
		if why := j.closed(t); why != "" {
			return j.askAlways(why), true
		}
	}
	return Decision{}, false
}

// closed tells why a file is guarded from this call; "" where it is not, or where a rule names it.
func (j *judge) closed(t reach) string {
	if t.kind != TouchRead && t.kind != TouchSearch && t.kind != TouchWrite || t.veiled != "" {
		return ""
	}
	key, why := j.guard(t)
	if key == "" || j.named(t, key) {
		return ""
	}
	return why
}

// guard finds what guards a file: the name that a rule must have in it, and why.
func (j *judge) guard(t reach) (key, why string) {
	writes := t.kind == TouchWrite
	for _, path := range []string{t.path.link, t.path.real} {
		switch tail := j.ground.tail(path); {
		case hasSegment(tail, stateDir) && (writes || !j.kept(t)):
			return stateDir, "it belongs to the record of runs"
		case writes && hasSegment(tail, ".git"):
			return ".git", "git runs what is written there"
		}
	}
	if !writes {
		return "", ""
	}
	for _, spec := range j.rules.Guarded {
		if j.ground.fits(spec, t, forbids) {
			return keyOf(spec), "it decides what later runs may do"
		}
	}
	return "", ""
}

// kept tells whether a file is a long result of a call: the model was told its name, which cannot be guessed.
func (j *judge) kept(t reach) bool {
	long := base{filepath.Join(j.ground.workspace[0], stateDir, "sessions"), filepath.Join(j.ground.workspace[1], stateDir, "sessions")}
	rel, ok := long.rel(t.path.real)
	return ok && t.kind == TouchRead && strings.Count(rel, "/") == 1 && strings.HasSuffix(rel, ".txt")
}

// named tells whether a specifier or an allow rule has the guarded name in it, before any wildcard, and fits.
func (j *judge) named(t reach, key string) bool {
	names := func(u use) func(Rule) bool {
		return func(r Rule) bool {
			return r.form() == formPath && r.fits(j.spec.Name, t, j.call.Input, u, j.ground) == sure(true) &&
				hasSegment(j.ground.compile(r.Specifier, u).lead, key)
		}
	}
	return slices.ContainsFunc(j.rules.Grants, names(grants)) || slices.ContainsFunc(j.rules.Allow, names(allows)) ||
		slices.ContainsFunc(j.granted, names(allows))
}

// hasSegment tells whether one of a path's names is this one, in any case: some file systems do not tell them apart.
func hasSegment(path, name string) bool {
	for seg := range strings.SplitSeq(path, "/") {
		if strings.EqualFold(seg, name) {
			return true
		}
	}
	return false
}

// keyOf is the last name of a pattern before its wildcards: agents of /agents/**/*.md.
func keyOf(spec string) string {
	l := lead(strings.TrimLeft(spec, "/"))
	return l[strings.LastIndexByte(l, '/')+1:]
}

// tail is a path from the deepest of the call's folders on, with slashes; one that lies outside is whole.
func (g *Ground) tail(path string) string {
	tail := filepath.ToSlash(path)
	for _, b := range append([]base{g.workspace}, g.inside...) {
		if rel, ok := b.rel(path); ok && len(rel) < len(tail) {
			tail = rel
		}
	}
	return tail
}
