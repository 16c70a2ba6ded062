package main

import (
	"os"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

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
