package main

import (
	"os"
	"path/filepath"

	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// ahead has the sandbox made ready while the workspace is loaded, where its folder has hooks: the first of them may run as soon
// as that is done. What other commands wait for begins when a model is asked, which takes longer.
func (a *app) ahead() {
	root, err := loader.Root(a.dir)
	if err != nil {
		return // loading says why
	}
	for _, place := range []string{"hooks", ".claude/settings.json", ".claude/settings.local.json"} {
		if _, err := os.Stat(filepath.Join(root, place)); err == nil {
			a.launcher().Ahead()
			return
		}
	}
}

// launcher starts every child: through a copy of this program, which confines it.
func (a *app) launcher() sandbox.Launcher {
	l := sandbox.Launcher{
		Environ: func() []string { return a.environ }, Children: &a.children, Probe: &a.probe,
		Tell: func(what string) { a.note("sandbox: %s", what) },
	}
	if self, err := os.Executable(); err == nil { // else children start directly, and say so
		l.Path = self
	}
	return l
}
