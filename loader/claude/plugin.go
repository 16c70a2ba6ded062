package claude

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// maxPlugins bounds how many plugins a tree may have.
const maxPlugins = 200

// A plugin lies in the root of the tree, in a folder of .claude/plugins, or where a marketplace file of the tree says.
var shelves = []string{".claude/plugins"}

// plugins looks for plugins of a tree and for the places in each.
func plugins(tree fs.FS, personal bool, name func(string) string) ([]config.Folder, diag.List) {
	s := pluginSearch{tree: tree, name: name, on: map[string]bool{}}
	s.switches()
	s.at(".")
	if personal {
		s.installed()
	}
	for _, shelf := range shelves {
		entries, err := fs.ReadDir(tree, shelf)
		if err != nil {
			continue
		}
		for _, e := range entries {
			s.at(path.Join(shelf, e.Name()))
		}
	}
	s.market()
	return s.folders, s.diags
}

// pluginSearch is the way through the plugins of a tree.
type pluginSearch struct {
	tree    fs.FS
	name    func(string) string
	on      map[string]bool // plugins by name, as far as settings switch them on or off
	seen    []string        // names
	roots   []string
	folders []config.Folder
	diags   diag.List
}

// switches reads enabledPlugins of the settings, the nearest file first. What is wrong with the files is told by Settings.
func (s *pluginSearch) switches() {
	for _, file := range settingsFiles {
		data, err := read(s.tree, file)
		if err != nil {
			continue
		}
		root, _ := frontmatter.JSONValue(data, file)
		if root == nil {
			continue
		}
		for _, m := range root.Members {
			if m.Key == "enabledPlugins" {
				switchPlugins(s.on, m.Value)
			}
		}
	}
}

// switchPlugins adds what a setting says of plugins that no nearer file spoke of. A list of versions switches one on.
func switchPlugins(on map[string]bool, v *frontmatter.Value) {
	for _, p := range v.Members {
		if _, nearer := on[pluginOf(p.Key)]; !nearer && isSwitch(p.Value) {
			on[pluginOf(p.Key)] = p.Value.Text != "false"
		}
	}
}

func isSwitch(v *frontmatter.Value) bool {
	return v.Type == frontmatter.Boolean || v.Type == frontmatter.Array
}

// pluginOf is the name in an entry of settings, which may name the marketplace too.
func pluginOf(entry string) string {
	name, _, _ := strings.Cut(entry, "@")
	return name
}

// at takes the plugin of a folder, if it is one.
func (s *pluginSearch) at(root string) {
	if slices.Contains(s.roots, root) || len(s.roots) >= maxPlugins {
		return
	}
	file := path.Join(root, manifest)
	if _, err := read(s.tree, file); err != nil {
		return
	}
	s.roots = append(s.roots, root)
	if v := s.json(file); v != nil {
		p := pluginFile{search: s, root: root}
		p.read(v)
	}
}

// installed takes the plugins of installed_plugins.json that settings switch on. Each lies below .claude/plugins of the person.
func (s *pluginSearch) installed() {
	for _, p := range s.list(".claude/plugins/installed_plugins.json").Members {
		if !s.on[pluginOf(p.Key)] {
			continue
		}
		places := p.Value.Items // of several scopes; older files have one
		if p.Value.Type == frontmatter.Object {
			places = []*frontmatter.Value{p.Value}
		}
		for _, place := range places {
			s.installedAt(place)
		}
	}
}

func (s *pluginSearch) installedAt(place *frontmatter.Value) {
	for _, f := range place.Members {
		if f.Key != "installPath" {
			continue
		}
		_, rest, ok := strings.Cut(strings.ReplaceAll(f.Value.Text, `\`, "/"), "/.claude/plugins/")
		at, inside := inside(".claude/plugins", rest)
		if !ok || !inside || f.Value.Type != frontmatter.Text {
			s.diags.Add(diag.New("E-FILE-READ", f.Value.At, "the plugin does not lie below .claude/plugins, so it is not read").
				Suggest("install it again, or take it out of the list"))
			continue
		}
		s.at(at)
	}
}

// market takes the plugins that a marketplace file of the tree lists by a path.
func (s *pluginSearch) market() {
	for _, entry := range s.list(".claude-plugin/marketplace.json").Items {
		for _, f := range entry.Members {
			if f.Key != "source" || f.Value.Type != frontmatter.Text || !strings.HasPrefix(f.Value.Text, "./") {
				continue // from elsewhere: it is not in the tree
			}
			if at, ok := inside(".", f.Value.Text); ok {
				s.at(at)
			}
		}
	}
}

// list is what a file of plugins says under plugins; an empty value when it says nothing, or is not there.
func (s *pluginSearch) list(file string) *frontmatter.Value {
	if v := s.json(file); v != nil {
		for _, m := range v.Members {
			if m.Key == "plugins" {
				return m.Value
			}
		}
	}
	return &frontmatter.Value{}
}

// json reads a file of the tree; nil = it is not there, or is no JSON, which is told.
func (s *pluginSearch) json(file string) *frontmatter.Value {
	data, err := read(s.tree, file)
	if err != nil {
		return nil
	}
	v, faults := frontmatter.JSONValue(data, s.name(file))
	if v == nil {
		s.diags.Add(faults...)
	}
	return v
}

// inside is a path below a folder of the tree; false when it leads out of it.
func inside(root, rel string) (string, bool) {
	clean := path.Clean(strings.TrimPrefix(rel, "./"))
	if !fs.ValidPath(clean) {
		return "", false
	}
	return path.Join(root, clean), true
}
