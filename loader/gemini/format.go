package gemini

import (
	"io/fs"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// Format is the word of include: for this tree. It is a loader.Format.
type Format struct{}

// Name is the word of include.
func (Format) Name() string { return string(config.FromGemini) }

// Folders are where definitions lie.
func (Format) Folders(_ fs.FS, personal bool, _ func(string) string) ([]config.Folder, diag.List) {
	if personal {
		return []config.Folder{
			{Kind: config.KindAgent, Path: ".gemini/agents"},
		}, nil
	}
	return []config.Folder{
		{Kind: config.KindAgent, Path: ".gemini/agents"},
	}, nil
}

// Settings are none: nothing binds the whole tree.
func (Format) Settings(fs.FS, func(string) string) (*config.TreeSettings, diag.List) { return nil, nil }
