package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/loader/standard"
	"github.com/swarmrun/swarmrun/runner/session"
)

// stateDir is the folder of a workspace that holds what runs leave behind.
const stateDir = ".swarmrun"

// workspace is a loaded folder, ready to run.
type workspace struct {
	root     string
	live     *loader.Live
	graph    *agents.Graph
	sessions *session.Dir
	release  func()
	known    effects // of dev and chat: agents as they counted before the last save
}

// openWorkspace loads the folder of -C, or the one that is found. Broken definitions are left out: a run that needs one is
// refused by name.
func (a *app) openWorkspace(ctx context.Context) (*workspace, error) { return a.openServed(ctx, nil) }

// openServed is openWorkspace with tools for a caller outside, as entries of tools:.
func (a *app) openServed(ctx context.Context, caller []string) (*workspace, error) {
	if err := a.checkDir(); err != nil {
		return nil, err
	}
	o := a.loadOptions(true)
	o.Caller = caller
	if loader.MayHook(a.dir, o.Env) {
		o.Env.Launcher.Ahead() // the first hook may run as soon as that is loaded; other commands come after a model's answer
	}
	live, err := loader.Open(ctx, a.dir, o)
	if err != nil {
		return nil, err
	}
	g, release, err := live.Acquire()
	if err != nil {
		return nil, err
	}
	root := live.Report().Root
	return &workspace{
		root: root, live: live, graph: g, release: release, sessions: sessionsOf(root),
	}, nil
}

func (w *workspace) close() {
	w.release()
	w.live.Close()
}

// targets are the names that can be run, or that stand in a file which is broken.
func (w *workspace) targets() []string {
	var names []string
	for _, d := range w.live.Report().List(config.KindAgent) {
		names = append(names, d.Name)
	}
	return names
}

// report checks the workspace without publishing anything.
func (a *app) report(ctx context.Context) (*loader.Report, error) {
	return a.check(ctx, a.loadOptions(false))
}

func (a *app) check(ctx context.Context, o *loader.Options) (*loader.Report, error) {
	if err := a.checkDir(); err != nil {
		return nil, err
	}
	return loader.Check(ctx, a.dir, o)
}

// checkDir refuses a -C that is no folder.
func (a *app) checkDir() error {
	if a.dir == "" {
		return nil
	}
	info, err := os.Stat(a.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("-C: there is no folder %s", a.dir)
	case err != nil:
		return usagef("-C: %v", err)
	case !info.IsDir():
		return usagef("-C %s is not a folder", a.dir)
	}
	return nil
}

func (a *app) loadOptions(partial bool) *loader.Options {
	env := standard.New(&standard.Options{
		Launcher: a.launcher(),
	})
	return &loader.Options{Env: env, Environ: a.environ, Partial: partial}
}

// diagnostics prints findings to stderr, with the lines that they are about, each once.
func (a *app) diagnostics(ds diag.List) {
	ds = keep(ds, func(d diag.Diagnostic) bool {
		key := fmt.Sprint(d.Code, d.Range, d.Summary)
		if a.printed[key] {
			return false
		}
		if a.printed == nil {
			a.printed = map[string]bool{}
		}
		a.printed[key] = true
		return true
	})
	if len(ds) == 0 {
		return
	}
	// A write to stderr that fails can be told to nobody.
	_ = diag.WriteText(a.stderr, ds, &diag.TextOptions{Sources: a.source, Color: a.color(a.stderr)})
}

// maxSource is the largest file of which lines are shown, in bytes. No definition is larger.
const maxSource = 4 << 20

// source reads a file that a diagnostic names; such names start at the workspace.
func (a *app) source(file string) []byte {
	if !filepath.IsAbs(file) {
		root, err := loader.Root(a.dir)
		if err != nil {
			return nil
		}
		file = filepath.Join(root, filepath.FromSlash(file))
	}
	data, err := wholefile.Read(file, maxSource)
	if err != nil {
		return nil
	}
	return data
}

// display is a path as diagnostics name it: slashes, relative to the workspace where it lies inside.
func display(root, path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}
