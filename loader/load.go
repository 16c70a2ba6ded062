package loader

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
)

// loaded is what one load makes: the graph, and the report of how it came to be. Where an error keeps it from being made the
// report says why.
type loaded struct {
	graph   *agents.Graph
	report  *Report
	sources *sources
}

// load takes a folder through all stages. An error means that there is no folder, or that ctx ended; what is wrong with the
// files is in the report.
func load(ctx context.Context, dir string, o *settled, generation int) (*loaded, error) {
	l, err := inspect(ctx, dir, o, nil, nil)
	if err != nil {
		return nil, err
	}
	return l, l.compile(o, generation)
}

// inspect takes a folder through all stages but the last; what did not change since the load before is not parsed again.
// changed are the only files that may have changed since then; nil = any.
func inspect(ctx context.Context, dir string, o *settled, before *sources, changed []string) (*loaded, error) {
	root, err := Root(dir)
	if err != nil {
		return nil, err
	}
	of := *o
	o = &of
	o.sources = newSources(before, !o.brief)
	t, ds := o.sources.narrow(root, changed)
	if t == nil {
		t, ds = discover(root, o)
		o.sources.discovered(t, slices.Clip(ds))
	}
	if o.found != nil {
		o.found(len(t.files))
	}
	p, more, err := parse(ctx, t, o)
	if err != nil {
		return nil, err
	}
	ds.Add(more...)
	w, more := resolve(p, o)
	ds.Add(more...)
	ds.Add(validate(w)...)
	report := newReport(w, ds)
	report.clients = w.clients
	report.servers = serverOptions(w, o)
	o.sources.settle(w)
	return &loaded{report: report, sources: o.sources}, nil
}

// compile makes the graph, where no error keeps it from being made.
func (l *loaded) compile(o *settled, generation int) (err error) {
	if l.report.Ready || o.partial {
		l.graph, err = compile(l.report.world, o, generation)
	}
	return err
}

// settled is Options with the defaults filled in.
type settled struct {
	env     *Environment
	home    string // "" = unknown
	userDir string // "" = none
	managed string // "" = where a format says
	environ []string
	lookup  func(name string) (string, bool) // of environ
	flags   map[string]string
	caller  []string
	partial bool
	found   func(files int)
	sources *sources // of the load under way
	brief   bool     // to check only: bodies that say nothing about other files are not kept
}

func (o *Options) settle(environ func() []string) *settled {
	if o == nil {
		o = &Options{}
	}
	s := &settled{env: o.Env, userDir: o.UserDir, managed: o.Managed, environ: o.Environ, flags: o.Flags, caller: o.Caller, partial: o.Partial, found: o.Found}
	if s.env == nil {
		s.env = &Environment{}
	}
	if s.environ == nil {
		s.environ = environ()
	}
	vars := s.environ
	s.lookup = func(name string) (string, bool) { return variable(vars, name) }
	s.home, _ = s.lookup("HOME")
	s.userDir = personalFolder(s.userDir, s.home)
	return s
}

// personalFolder is the person's own folder: as it was given, else below their home; "" = there is none.
func personalFolder(given, home string) string {
	if given == "" && home != "" {
		return filepath.Join(home, ".config", "swarmrun")
	}
	return given
}

// variable finds the last setting of a variable, as the system does.
func variable(environ []string, name string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}
