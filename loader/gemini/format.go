package gemini

import (
	"io/fs"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// settings is the file that binds a tree.
const settings = ".gemini/settings.json"

// Format is the word of include: for this tree. It is a loader.Format.
type Format struct{}

// Name is the word of include.
func (Format) Name() string { return string(config.FromGemini) }

// Folders are where definitions lie.
func (Format) Folders(fs.FS, bool, func(string) string) ([]config.Folder, diag.List) {
	return []config.Folder{{Kind: config.KindAgent, Path: ".gemini/agents"}, {Kind: config.KindMCP, Path: settings}}, nil
}

// Settings reads settings.json.
func (Format) Settings(tree fs.FS, _ bool, name func(string) string) (*config.TreeSettings, diag.List) {
	return config.ReadTree(tree, settings, name, config.ReadGemini)
}
