package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// maxSettings is the largest settings file that is read, in bytes.
const maxSettings = 4 << 20

// Format is one word of include. It is a loader.Format.
type Format struct {
	name     string
	folders  []config.Folder
	settings []string // nearest first
	plugins  bool     // they are looked for
}

// settingsFiles are those of a tree, nearest first.
var settingsFiles = []string{".claude/settings.local.json", ".claude/settings.json"}

// Formats are the trees of Claude Code, each under its own word of include.
func Formats() []Format {
	return []Format{
		{
			name: string(config.FromClaude),
			folders: []config.Folder{
				{Kind: config.KindAgent, Path: ".claude/agents"},
				{Kind: config.KindSkill, Path: ".claude/skills"},
				{Kind: config.KindCommand, Path: ".claude/commands"},
				{Kind: config.KindRule, Path: ".claude/rules"},
			},
			settings: settingsFiles,
			plugins:  true,
		},
		{name: "mcp.json", folders: []config.Folder{{Kind: config.KindMCP, Path: ".mcp.json"}}},
		{name: "agents-skills", folders: []config.Folder{{Kind: config.KindSkill, Path: ".agents/skills"}}},
	}
}

// Name is the word of include.
func (f Format) Name() string { return f.name }

// Folders are where definitions lie, those of plugins included.
func (f Format) Folders(tree fs.FS, _ bool, name func(string) string) ([]config.Folder, diag.List) {
	if !f.plugins {
		return f.folders, nil
	}
	more, ds := plugins(tree, name)
	return append(slices.Clip(f.folders), more...), ds
}

// Settings reads the settings files of a project or home folder; nil when there are none. Lists of the files add up, the
// nearer file decides a single value. A file that cannot be read is an error, since what it forbids would be lost.
func (f Format) Settings(tree fs.FS, name func(string) string) (*config.TreeSettings, diag.List) {
	var s *config.TreeSettings
	var ds diag.List
	for _, path := range f.settings {
		data, err := read(tree, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if s == nil {
			s = &config.TreeSettings{}
		}
		file := name(path)
		if err != nil {
			ds.Add(diag.New("E-FILE-READ", diag.At(file, 1, 1, 0), "the settings cannot be read: %v", err))
			continue
		}
		r := reader{file: file, to: s}
		r.settings(data)
		ds.Add(r.diags...)
	}
	return s, ds
}

// read reads a file of a tree whole.
func read(tree fs.FS, path string) ([]byte, error) {
	data, err := fs.ReadFile(tree, path)
	if err == nil && len(data) > maxSettings {
		err = fmt.Errorf("larger than %d MiB", maxSettings>>20)
	}
	return data, err
}
