package importer

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// place reads the definitions of one place; files of kinds that stay where they are are told.
func (b *builder) place(tree fs.FS, place config.Folder, origin config.Origin) {
	_ = fs.WalkDir(tree, place.Path, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // what is not there has nothing
		}
		at := diag.At(path, 1, 1, 0)
		read := b.reader(tree, place, path, origin)
		switch {
		case !e.Type().IsRegular():
			b.left.Add(diag.New("W-NOT-CARRIED", at, "links are not followed"))
		case read != nil:
			data, err := fs.ReadFile(tree, path)
			if err != nil {
				b.left.Add(diag.New("E-NOT-CARRIED", at, "the file cannot be read, or is larger than %d MiB", maxFile>>20))
				return nil
			}
			read(data)
		case place.Kind != config.KindAgent && (place.Kind != config.KindSkill || isSkill(path)):
			b.left.Add(diag.New("W-NOT-CARRIED", at, "a %s is read where it lies, and not imported", place.Kind))
		}
		return nil
	})
}

func isSkill(path string) bool { return strings.EqualFold(filepath.Base(path), "SKILL.md") }

// reader is what reads a file of a place; nil = it is no definition there, or stays where it is.
func (b *builder) reader(tree fs.FS, place config.Folder, path string, origin config.Origin) func(data []byte) {
	ending := cmp.Or(place.Ending, ".md")
	if place.Plugin.Name != "" && place.Kind != config.KindAgent {
		return nil
	}
	switch place.Kind {
	case config.KindSkill:
		if isSkill(path) {
			return func(data []byte) { b.skill(tree, path, data, origin) }
		}
	case config.KindCommand:
		if strings.HasSuffix(path, ending) {
			return func(data []byte) { b.command(path, data, origin) }
		}
	case config.KindMCP:
		if path == ".mcp.json" {
			return func(data []byte) { b.servers(path, data) }
		}
		return func(data []byte) { b.treeServers(path, data, origin) }
	case config.KindHook:
		if strings.HasSuffix(path, ".json") {
			return func(data []byte) { b.githubHooks(path, data) }
		}
	case config.KindAgent:
		if strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".jsonc") {
			return func(data []byte) { b.entries(tree, path, data) }
		}
		if strings.HasSuffix(path, ending) {
			return func(data []byte) { b.agent(data, path, origin) }
		}
	}
	return nil
}
