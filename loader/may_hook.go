package loader

import (
	"os"
	"path/filepath"

	"github.com/swarmrun/swarmrun/config"
)

// HookPlaces is a Format whose trees have hooks.
type HookPlaces interface {
	// HookPlaces are files and folders, from the root of a project, that may say some.
	HookPlaces() []string
}

// MayHook tells by names alone, before a workspace is loaded, whether its agents may have hooks.
func MayHook(dir string, env *Environment) bool {
	root, err := Root(dir)
	if err != nil {
		return false // loading says why
	}
	var places []string
	for _, f := range native {
		if f.Kind == config.KindHook {
			places = append(places, f.Path)
		}
	}
	for _, f := range env.Formats {
		if h, ok := f.(HookPlaces); ok {
			places = append(places, h.HookPlaces()...)
		}
	}
	for _, place := range places {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(place))); err == nil {
			return true
		}
	}
	return false
}
