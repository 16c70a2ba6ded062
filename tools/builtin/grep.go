package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin/internal/search"
)

type grepInput struct {
	Pattern       string `json:"pattern"`
	Path          string `json:"path"`
	Glob          string `json:"glob"`
	Type          string `json:"type"`
	OutputMode    string `json:"output_mode"`
	IgnoreCase    bool   `json:"case_insensitive"`
	Multiline     bool   `json:"multiline"`
	ContextBefore int    `json:"context_before"`
	ContextAfter  int    `json:"context_after"`
	Context       int    `json:"context"`
	LineNumbers   *bool  `json:"show_line_numbers"`
	HeadLimit     *int   `json:"head_limit"`
}

const grepSchema = `{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{
"pattern":{"type":"string","description":"Regular expression, RE2 syntax"},
"path":{"type":"string","description":"File or folder to search; default the working directory"},
"glob":{"type":"string","description":"Only files whose name, or path below the folder, fits: *.go, src/**/*.{ts,tsx}; !*_test.go leaves out"},
"type":{"type":"string","description":"Only files of a language: go, py, js, ts, rust, java, md, …"},
"output_mode":{"type":"string","enum":["files_with_matches","content","count"],"default":"files_with_matches"},
"case_insensitive":{"type":"boolean","default":false},
"multiline":{"type":"boolean","default":false,"description":"Matches may span lines; . fits line breaks too"},
"context_before":{"type":"integer","minimum":0,"description":"Lines before each match, in content mode"},
"context_after":{"type":"integer","minimum":0},
"context":{"type":"integer","minimum":0,"description":"Both"},
"show_line_numbers":{"type":"boolean","default":true},
"head_limit":{"type":"integer","minimum":1,"default":250,"description":"Most files, matching lines or counts to return"}}}`

// Output modes of Grep.
const (
	modeFiles   = "files_with_matches"
	modeContent = "content"
	modeCount   = "count"
)

// defaultHead is how many entries Grep returns when head_limit is not given.
const defaultHead = 250

func newGrep(p paths, rg ripgrep) tools.Tool {
	return &tool[grepInput]{
		spec: spec("Grep", "Searches file contents by regular expression. Lists the files that match, the matching lines (content) or their number in each file (count). Binary files, files over 64 MiB and what .gitignore leaves out are not searched; hidden files are.", grepSchema, true),
		touches: func(in grepInput, at tools.Roots) ([]tools.Touch, error) {
			base, err := in.base(p, at)
			if err != nil {
				return nil, err
			}
			return []tools.Touch{{Kind: tools.TouchSearch, Value: base}}, nil
		},
		run: func(ctx context.Context, c *tools.Call, in grepInput) (tools.Result, error) {
			q, err := in.query()
			if err != nil {
				return tools.Result{}, err
			}
			base, err := in.base(p, c.Roots)
			if err != nil {
				return tools.Result{}, err
			}
			s, err := openSearch(base, q, c)
			if err != nil {
				return tools.Result{}, err
			}
			defer s.top.Close()
			if err := s.collect(ctx, rg); err != nil {
				return tools.Result{}, err
			}
			return text("%s", s.report(ctx)), nil
		},
	}
}

func (in grepInput) base(p paths, at tools.Roots) (string, error) {
	if in.Path == "" {
		return filepath.Clean(at.Dir), nil
	}
	return p.absolute(in.Path, at)
}

// grepQuery is what is searched for and how it is shown.
type grepQuery struct {
	pattern       *search.Pattern
	multiline     bool
	globs         []string // name patterns of the type
	glob          string
	without       bool // glob leaves out
	mode          string
	before, after int
	numbers       bool
	head          int
}

func (in grepInput) query() (q grepQuery, err error) {
	if in.Pattern == "" {
		return q, errors.New("the pattern is empty")
	}
	q = grepQuery{multiline: in.Multiline, mode: in.OutputMode, numbers: in.LineNumbers == nil || *in.LineNumbers, head: defaultHead}
	if q.pattern, err = search.Compile(in.Pattern, search.Options{IgnoreCase: in.IgnoreCase, Multiline: in.Multiline}); err != nil {
		return q, err
	}
	switch q.mode {
	case "":
		q.mode = modeFiles
	case modeFiles, modeContent, modeCount:
	default:
		return q, fmt.Errorf("output_mode %q is none of %s, %s, %s", q.mode, modeFiles, modeContent, modeCount)
	}
	if in.HeadLimit != nil {
		if q.head = *in.HeadLimit; q.head < 1 {
			return q, errors.New("head_limit must be at least 1")
		}
	}
	if in.Type != "" {
		if q.globs, err = typeGlobs(in.Type); err != nil {
			return q, err
		}
	}
	q.glob, q.without = strings.CutPrefix(in.Glob, "!")
	if !doublestar.ValidatePattern(q.glob) {
		return q, fmt.Errorf("glob %q is no valid pattern", in.Glob)
	}
	q.before, q.after = max(in.ContextBefore, in.Context, 0), max(in.ContextAfter, in.Context, 0)
	return q, nil
}

// wants reports whether the file rel is one of those to search, as far as names go.
func (q *grepQuery) wants(rel string) bool {
	if q.globs != nil && !fitsName(q.globs, rel) {
		return false
	}
	if q.glob == "" {
		return true
	}
	name := rel
	if !strings.Contains(q.glob, "/") {
		name = rel[strings.LastIndexByte(rel, '/')+1:]
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(q.glob, "/"), name) != q.without
}

// openSearch opens the folder to search. When base is a file, the search is that file in its folder, whatever its name.
func openSearch(base string, q grepQuery, c *tools.Call) (*grepSearch, error) {
	s := &grepSearch{grepQuery: q, readable: c.Readable}
	var err error
	if s.tree, err = openTree(base, c); err == nil || !errors.Is(err, errNoFolder) {
		return s, err
	}
	p, err := pin(base, c)
	if err != nil {
		return nil, err
	}
	switch info, err := p.stat(); {
	case errors.Is(err, fs.ErrNotExist):
		p.Close()
		return nil, fmt.Errorf("%s does not exist", base)
	case err != nil || !info.Mode().IsRegular():
		p.Close()
		return nil, fmt.Errorf("%s is neither a folder nor a regular file", base)
	}
	s.tree = &tree{top: p.dir, path: filepath.Dir(p.real)}
	s.only = p.base
	return s, nil
}
