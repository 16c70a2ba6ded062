package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/swarmrun/swarmrun/tools"
)

// maxGlob is the number of paths that one Glob returns.
const maxGlob = 1000

type globInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

const globSchema = `{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{
"pattern":{"type":"string","description":"Such as **/*.go, src/{a,b}/*.ts"},
"path":{"type":"string","description":"Folder that the pattern starts at; default the working directory"}}}`

func newGlob(p paths) tools.Tool {
	return &tool[globInput]{
		spec: spec("Glob", "Finds files and folders by name pattern: * within a name, ** across folders, {a,b}, [a-z]. Lists absolute paths, newest first, hidden ones too. What .gitignore leaves out is left out, unless the pattern names the ignored folder.", globSchema, true),
		touches: func(in globInput, at tools.Roots) ([]tools.Touch, error) {
			q, err := in.query(p, at)
			if err != nil {
				return nil, err
			}
			return []tools.Touch{{Kind: tools.TouchSearch, Value: q.folder}}, nil
		},
		run: func(ctx context.Context, c *tools.Call, in globInput) (tools.Result, error) {
			q, err := in.query(p, c.Roots)
			if err != nil {
				return tools.Result{}, err
			}
			found, unread, err := q.find(ctx, c)
			if err != nil {
				return tools.Result{}, err
			}
			return text("%s", listing(found, unread)), nil
		},
	}
}

// globQuery is a pattern split at its first special character.
type globQuery struct {
	base    string // folder that the call named
	folder  string // where the search begins
	pattern string // below folder
	depth   int    // most names that a match has below folder; 0 = any number
	exact   bool   // the pattern has no special character: what it names is found though ignored
}

func (in globInput) query(p paths, at tools.Roots) (q globQuery, err error) {
	if in.Path == "null" || in.Path == "undefined" {
		return q, fmt.Errorf("path is the word %q; leave path out to search the working directory", in.Path)
	}
	if strings.TrimSpace(in.Pattern) == "" {
		return q, errors.New("the pattern is empty")
	}
	q.base = filepath.Clean(at.Dir)
	if in.Path != "" {
		if q.base, err = p.absolute(in.Path, at); err != nil {
			return q, err
		}
	}
	whole, err := p.absolute(in.Pattern, tools.Roots{Dir: q.base})
	if err != nil {
		return q, err
	}
	if !doublestar.ValidatePattern(whole) {
		return q, fmt.Errorf("%q is no valid pattern: a bracket or brace is not closed, or a backslash ends it", in.Pattern)
	}
	segments := strings.Split(whole, "/")
	n := slices.IndexFunc(segments, func(s string) bool { return strings.ContainsAny(s, `*?[{\`) })
	if n < 0 {
		q.exact, n = true, len(segments)-1
	}
	q.folder = cmp.Or(strings.Join(segments[:n], "/"), "/")
	q.pattern = strings.Join(segments[n:], "/")
	if !strings.Contains(q.pattern, "**") {
		q.depth = len(segments) - n
	}
	return q, nil
}

// globHit is a path that was found.
type globHit struct {
	path    string
	changed time.Time
}

// find returns all that fits and may be shown.
func (q globQuery) find(ctx context.Context, c *tools.Call) (found []globHit, unread int, err error) {
	t, err := openTree(q.folder, c)
	if errors.Is(err, errNoFolder) && q.folder != q.base {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer t.top.Close()
	t.all = t.all || q.exact
	unread, err = t.walk(ctx, func(e entry) (enter bool) {
		path := filepath.Join(t.path, e.rel)
		if doublestar.MatchUnvalidated(q.pattern, e.rel) && (c.Readable == nil || c.Readable(path)) {
			if info, err := e.Info(); err == nil {
				if e.IsDir() {
					path += "/"
				}
				found = append(found, globHit{path, info.ModTime()})
			}
		}
		return q.depth == 0 || strings.Count(e.rel, "/")+1 < q.depth
	})
	return found, unread, err
}

// listing is the paths, newest first, and what is missing from them.
func listing(found []globHit, unread int) string {
	slices.SortFunc(found, func(a, b globHit) int {
		return cmp.Or(b.changed.Compare(a.changed), strings.Compare(a.path, b.path))
	})
	var b strings.Builder
	for _, hit := range found[:min(len(found), maxGlob)] {
		b.WriteString(hit.path + "\n")
	}
	if len(found) == 0 {
		b.WriteString("No files found.\n")
	}
	if len(found) > maxGlob {
		fmt.Fprintf(&b, "\n[the newest %d of %d; narrow the pattern to see others]\n", maxGlob, len(found))
	}
	if unread > 0 {
		fmt.Fprintf(&b, "\n[%s could not be read]\n", plural(unread, "folder"))
	}
	return b.String()
}
