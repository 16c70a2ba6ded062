package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"

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

// HookPlaces are the settings files, which may say hooks.
func (f Format) HookPlaces() []string { return f.settings }

// Folders are where definitions lie, those of plugins included.
func (f Format) Folders(tree fs.FS, personal bool, name func(string) string) ([]config.Folder, diag.List) {
	if !f.plugins {
		return f.folders, nil
	}
	more, ds := plugins(tree, personal, name)
	return append(slices.Clip(f.folders), more...), ds
}

// Settings reads the settings files of a project or home folder; nil when there are none. Lists of the files add up, the
// nearer file decides a single value. A file that cannot be read is an error, since what it forbids would be lost.
func (f Format) Settings(tree fs.FS, _ bool, name func(string) string) (*config.TreeSettings, diag.List) {
	return settings(tree, f.settings, name, config.TreeSettings{Tree: config.FromClaude})
}

// ManagedDir is where the administrator of a machine puts settings; "" = this format has none.
func (f Format) ManagedDir() string {
	switch {
	case !f.plugins:
		return ""
	case runtime.GOOS == "darwin":
		return "/Library/Application Support/ClaudeCode"
	case runtime.GOOS == "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// ManagedSettings reads managed-settings.json and what lies in managed-settings.d, of which the last one in order is nearest.
func (f Format) ManagedSettings(tree fs.FS, name func(string) string) (*config.TreeSettings, diag.List) {
	if !f.plugins {
		return nil, nil
	}
	paths := []string{"managed-settings.json"}
	entries, err := fs.ReadDir(tree, "managed-settings.d")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, diag.List{config.Unreadable(diag.At(name("managed-settings.d"), 1, 1, 0), "the folder", err)}
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, "managed-settings.d/"+e.Name())
		}
	}
	slices.Reverse(paths)
	return settings(tree, paths, name, config.TreeSettings{Tree: config.FromClaude, Managed: true})
}

// settings reads files of settings, nearest first, on top of what is known of all; nil when there are none.
func settings(tree fs.FS, paths []string, name func(string) string, as config.TreeSettings) (*config.TreeSettings, diag.List) {
	var s *config.TreeSettings
	var ds diag.List
	for _, path := range paths {
		data, err := read(tree, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if s == nil {
			s = &as
		}
		file := name(path)
		if err != nil {
			ds.Add(config.Unreadable(diag.At(file, 1, 1, 0), "the file", err))
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
