package copilot

import (
	"io/fs"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// Format is the word of include: for this tree. It is a loader.Format.
type Format struct{}

// Name is the word of include.
func (Format) Name() string { return string(config.FromCopilot) }

const hooks = ".github/hooks"

// HookPlaces are where hooks lie.
func (Format) HookPlaces() []string { return []string{hooks} }

// Folders are where definitions lie.
func (Format) Folders(_ fs.FS, personal bool, _ func(string) string) ([]config.Folder, diag.List) {
	if personal {
		return []config.Folder{
			{Kind: config.KindAgent, Path: ".copilot/agents"},
		}, nil
	}
	return []config.Folder{
		{Kind: config.KindAgent, Path: ".github/agents"},
		{Kind: config.KindAgent, Path: ".github/chatmodes", Ending: ".chatmode.md"},
		{Kind: config.KindCommand, Path: ".github/prompts", Ending: ".prompt.md"},
		{Kind: config.KindRule, Path: ".github/instructions", Ending: ".instructions.md"},
		{Kind: config.KindHook, Path: hooks, Ending: ".json"},
	}, nil
}

// Settings are none: nothing binds the whole tree.
func (Format) Settings(fs.FS, bool, func(string) string) (*config.TreeSettings, diag.List) {
	return nil, nil
}
