package tools

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// Ground is where the rules of a call stand: its folders, with their own links followed once. A caller that decides on many
// calls in the same roots makes it once. Safe for concurrent use.
type Ground struct {
	dir, workspace base
	inside         []base // Dir and Dirs
	home           string

	mu       sync.Mutex
	patterns map[patternKey]pattern
}

type patternKey struct {
	text string
	use  use
}

// NewGround looks at the folders on disk. What they are then holds for as long as the Ground is used: a folder that is
// exchanged for a link later is not followed.
func NewGround(at Roots) *Ground {
	g := &Ground{dir: newBase(at.Dir), patterns: map[patternKey]pattern{}}
	g.workspace = g.dir
	if at.Workspace != at.Dir {
		g.workspace = newBase(at.Workspace)
	}
	g.inside = append(g.inside, g.dir)
	for _, d := range at.Dirs {
		g.inside = append(g.inside, newBase(d))
	}
	g.home, _ = os.UserHomeDir() // "" matches nothing
	return g
}

// Folders yields the run's folders, each as it is named and as it lay when the Ground was made.
func (g *Ground) Folders(yield func(named, real string) bool) {
	for _, b := range g.inside {
		if !yield(b[0], b[1]) {
			return
		}
	}
}

// locate is locate, from the working directory on where the path begins there: its links are followed already.
func (g *Ground) locate(path string) (place, error) {
	path = filepath.Clean(path)
	rest, ok := strings.CutPrefix(path, g.dir[0]+string(filepath.Separator))
	if !ok {
		return locate(path)
	}
	real, err := followFrom(g.dir[1], rest)
	return place{link: path, real: real}, err
}

// holds tells whether a place lies in the directories, as it is named and as it lies.
func (g *Ground) holds(p place) bool {
	in := func(path string) bool {
		return slices.ContainsFunc(g.inside, func(b base) bool { _, ok := b.rel(path); return ok })
	}
	return in(p.link) && in(p.real)
}

// fits holds a path pattern against a file: a refusal hits its name or where it lies, an allowance needs both.
func (g *Ground) fits(spec string, t reach, u use) bool {
	p := g.pattern(spec, u)
	link, real := p.matches(t.path.link), p.matches(t.path.real)
	if u == forbids {
		return link || real
	}
	if link && real {
		return true
	}
	return t.kind == TouchSearch && p.below(t.path.link) && p.below(t.path.real)
}

func (g *Ground) pattern(spec string, u use) pattern {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := patternKey{spec, u}
	p, ok := g.patterns[key]
	if !ok {
		p = g.compile(spec, u)
		g.patterns[key] = p
	}
	return p
}

// pattern is a compiled path pattern: globs below a base.
type pattern struct {
	base  base
	globs []string // slash-separated, relative; one that matches a folder matches all in it
	lead  string   // the folders before the first wildcard, relative to base
}

// compile reads a pattern: //abs, ~/home, /workspace, else from the working directory. Without a slash in it a name counts
// at any depth; as a refusal, so does the one segment of src/**.
func (g *Ground) compile(spec string, u use) pattern {
	p := pattern{base: g.dir}
	anchored := true
	switch {
	case strings.HasPrefix(spec, "//"):
		p.base, spec = base{"/", "/"}, strings.TrimLeft(spec, "/")
	case spec == "~" || strings.HasPrefix(spec, "~/"):
		p.base, spec = newBase(g.home), strings.TrimPrefix(spec[1:], "/")
	case strings.HasPrefix(spec, "/"):
		p.base, spec = g.workspace, spec[1:]
	case strings.HasPrefix(spec, "./"):
		anchored, spec = u != forbids, spec[2:]
	default:
		anchored = false
	}
	if p.base[0] == "" || p.base[0] == "." {
		return pattern{} // nobody's home
	}
	for spec == ".." || strings.HasPrefix(spec, "../") {
		anchored = true
		p.base = base{filepath.Dir(p.base[0]), filepath.Dir(p.base[1])}
		spec = strings.TrimPrefix(spec[2:], "/")
	}
	folder := strings.HasSuffix(spec, "/")
	spec = fold(path.Clean(strings.TrimSuffix(spec, "/")))
	anywhere := !anchored && spec != "." && !strings.Contains(spec, "/")
	if head, tail, ok := strings.Cut(spec, "/"); ok && tail == "**" && !anchored && u == forbids {
		anywhere = head != "**"
	}
	if spec == "." {
		p.globs = []string{"**"}
		return p
	}
	if anywhere {
		spec = "**/" + spec
	}
	p.lead = lead(spec)
	if folder {
		p.globs = []string{spec + "/**"}
		return p
	}
	p.globs = []string{spec, spec + "/**"}
	return p
}

// lead is the part of a glob before the first segment with a wildcard.
func lead(glob string) string {
	var segs []string
	for seg := range strings.SplitSeq(glob, "/") {
		if strings.ContainsAny(seg, `*?[{\`) {
			break
		}
		segs = append(segs, seg)
	}
	return strings.Join(segs, "/")
}

func (p pattern) matches(file string) bool {
	rel, ok := p.base.rel(file)
	if !ok {
		return false
	}
	return slices.ContainsFunc(p.globs, func(g string) bool {
		hit, err := doublestar.Match(g, rel)
		return hit || err != nil && g == rel
	})
}

// below tells whether what the pattern means may lie in the folder dir: a search there is let in, its results are looked
// at one by one.
func (p pattern) below(dir string) bool {
	if rel, ok := p.base.rel(dir); ok {
		_, inLead := below("/"+p.lead, path.Join("/", rel))
		_, above := below(path.Join("/", rel), "/"+p.lead)
		return inLead || above
	}
	return slices.ContainsFunc(p.base[:], func(b string) bool { _, ok := below(dir, b); return ok })
}
