package opencode

import (
	"io/fs"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// Format is the word of include: for this tree. It is a loader.Format.
type Format struct{}

// Name is the word of include.
func (Format) Name() string { return string(config.FromOpencode) }

// Folders are where definitions lie.
func (Format) Folders(tree fs.FS, personal bool, _ func(string) string) ([]config.Folder, diag.List) {
	dir := ".opencode"
	if personal {
		dir = ".config/opencode"
	}
	folders := []config.Folder{{Kind: config.KindAgent, Path: dir + "/agents"}, {Kind: config.KindAgent, Path: dir + "/agent"}}
	if file := settings(tree, personal); file != "" {
		folders = append(folders, config.Folder{Kind: config.KindAgent, Path: file}, config.Folder{Kind: config.KindMCP, Path: file})
	}
	return folders, nil
}

// Settings reads opencode.json.
func (Format) Settings(tree fs.FS, personal bool, name func(string) string) (*config.TreeSettings, diag.List) {
	file := settings(tree, personal)
	if file == "" {
		return nil, nil
	}
	return config.ReadTree(tree, file, name, config.ReadOpencode)
}

// settings is the file that binds a tree; "" = it has none.
func settings(tree fs.FS, personal bool) string {
	places := []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"}
	if personal {
		places = []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}
	}
	for _, p := range places {
		if info, err := fs.Stat(tree, p); err == nil && !info.IsDir() {
			return p
		}
	}
	return ""
}
