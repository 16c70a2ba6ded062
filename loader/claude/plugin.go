package claude

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// manifest is the file that makes a folder a plugin.
const manifest = ".claude-plugin/plugin.json"

// maxPlugins bounds how many plugins a tree may have.
const maxPlugins = 200

// A plugin lies in the root of the tree, in a folder of .claude/plugins, or where a marketplace file of the tree says.
var shelves = []string{".claude/plugins"}

var pluginName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// plugins looks for plugins of a tree and for the places in each.
func plugins(tree fs.FS, personal bool, name func(string) string) ([]config.Folder, diag.List) {
	s := pluginSearch{tree: tree, name: name, off: map[string]bool{}}
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
	off     map[string]bool // plugins that settings switch off, with their marketplace or without
	seen    []string        // names
	roots   []string
	folders []config.Folder
	diags   diag.List
}

// switches reads enabledPlugins of the settings, the nearest file first. What is wrong with the files is told by Settings.
func (s *pluginSearch) switches() {
	told := map[string]bool{}
	for _, file := range settingsFiles {
		data, err := read(s.tree, file)
		if err != nil {
			continue
		}
		root, _ := frontmatter.JSONValue(data, file)
		if root == nil || root.Type != frontmatter.Object {
			continue
		}
		for _, m := range root.Members {
			if m.Key != "enabledPlugins" {
				continue
			}
			for _, p := range m.Value.Members {
				id, _, _ := strings.Cut(p.Key, "@")
				if !told[id] {
					told[id] = true
					s.off[id] = p.Value.Type == frontmatter.Boolean && p.Value.Text == "false"
				}
			}
		}
	}
}

// at takes the plugin of a folder, if it is one.
func (s *pluginSearch) at(root string) {
	data, err := read(s.tree, path.Join(root, manifest))
	if err != nil || slices.Contains(s.roots, root) || len(s.roots) >= maxPlugins {
		return
	}
	s.roots = append(s.roots, root)
	file := s.name(path.Join(root, manifest))
	v, faults := frontmatter.JSONValue(data, file)
	if v == nil {
		s.diags.Add(faults...)
		return
	}
	p := pluginFile{search: s, root: root, file: file}
	p.read(v)
}

// installed takes the plugins of installed_plugins.json that settings switch on. Each lies below .claude/plugins of the person.
func (s *pluginSearch) installed() {
	const list = ".claude/plugins/installed_plugins.json"
	data, err := read(s.tree, list)
	if err != nil {
		return
	}
	v, faults := frontmatter.JSONValue(data, s.name(list))
	if v == nil {
		s.diags.Add(faults...)
		return
	}
	for _, m := range v.Members {
		if m.Key != "plugins" {
			continue
		}
		for _, p := range m.Value.Members {
			id, _, _ := strings.Cut(p.Key, "@")
			if off, told := s.off[id]; off || !told {
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
	const list = ".claude-plugin/marketplace.json"
	data, err := read(s.tree, list)
	if err != nil {
		return
	}
	v, faults := frontmatter.JSONValue(data, s.name(list))
	if v == nil {
		s.diags.Add(faults...)
		return
	}
	for _, m := range v.Members {
		if m.Key != "plugins" {
			continue
		}
		for _, entry := range m.Value.Items {
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
}

// pluginFile is one plugin.json.
type pluginFile struct {
	search *pluginSearch
	root   string
	file   string
	name   string
}

// kinds are the definitions that a plugin may bring, with the key that adds to their places.
var pluginKinds = []struct {
	key    string
	folder config.Folder
}{
	{"agents", config.Folder{Kind: config.KindAgent, Path: "agents"}},
	{"skills", config.Folder{Kind: config.KindSkill, Path: "skills"}},
	{"commands", config.Folder{Kind: config.KindCommand, Path: "commands"}},
	{"hooks", config.Folder{Kind: config.KindHook, Path: "hooks/hooks.json"}},
	{"mcpServers", config.Folder{Kind: config.KindMCP, Path: ".mcp.json"}},
}

// pluginLabels say something to readers only.
var pluginLabels = []string{
	"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords", "category", "tags", "displayName",
}

// read takes a plugin apart. One without a usable name is refused whole: its definitions would have no name.
func (p *pluginFile) read(v *frontmatter.Value) {
	s := p.search
	if v.Type != frontmatter.Object {
		s.diags.Add(diag.New("E-VALUE-TYPE", v.At, "a plugin is %s where an object is expected", v.Type))
		return
	}
	name, on := frontmatter.Member{At: v.At, Value: v}, true
	for _, m := range v.Members {
		switch m.Key {
		case "name":
			name = m
		case "defaultEnabled":
			on = m.Value.Text != "false"
		}
	}
	switch {
	case name.Value.Type != frontmatter.Text || !pluginName.MatchString(name.Value.Text):
		s.diags.Add(diag.New("E-NAME", name.Value.At, "the plugin has no name of letters, digits, dots and hyphens").Suggest(`write "name": "tools"`))
		return
	case slices.Contains(s.seen, name.Value.Text):
		s.diags.Add(diag.New("W-DUP-NAME", name.Value.At, "there is a plugin %q already; this one is left out", name.Value.Text).Suggest("rename one of the two"))
		return
	}
	p.name = name.Value.Text
	s.seen = append(s.seen, p.name)
	if off, told := s.off[p.name]; off || !told && !on {
		s.diags.Add(diag.New("I-INACTIVE", name.Value.At, "the plugin %q is switched off", p.name))
		return
	}
	for _, k := range pluginKinds {
		p.add(k.folder.Kind, k.folder.Path)
	}
	for _, m := range v.Members {
		p.member(m)
	}
}

// member takes one key: more places of definitions, or a word about what is not acted on.
func (p *pluginFile) member(m frontmatter.Member) {
	for _, k := range pluginKinds {
		if m.Key == k.key {
			p.places(m, k.folder.Kind)
			return
		}
	}
	if m.Key != "defaultEnabled" && !slices.Contains(pluginLabels, m.Key) {
		p.search.diags.Add(diag.New("I-INACTIVE", m.At, "this version does not act on %s", m.Key))
	}
}

// places are a path, a list of them, or hooks and servers written in place.
func (p *pluginFile) places(m frontmatter.Member, kind config.Kind) {
	values := []*frontmatter.Value{m.Value}
	if m.Value.Type == frontmatter.Array {
		values = m.Value.Items
	}
	for _, v := range values {
		switch {
		case v.Type == frontmatter.Object && (kind == config.KindHook || kind == config.KindMCP):
			p.add(kind, manifest)
		case v.Type != frontmatter.Text:
			p.search.diags.Add(diag.New("E-VALUE-TYPE", v.At, "%s is %s where a path is expected", m.Key, v.Type))
		default:
			at, ok := inside(p.root, v.Text)
			if !ok {
				p.search.diags.Add(diag.New("E-FILE-READ", v.At, "%s leads out of the plugin", m.Key).Suggest("paths begin with ./ and stay inside"))
				continue
			}
			p.put(kind, at)
		}
	}
}

func (p *pluginFile) add(kind config.Kind, rel string) { p.put(kind, path.Join(p.root, rel)) }

func (p *pluginFile) put(kind config.Kind, at string) {
	f := config.Folder{Kind: kind, Path: at, Plugin: config.Plugin{Name: p.name, Root: p.root}}
	if !slices.Contains(p.search.folders, f) {
		p.search.folders = append(p.search.folders, f)
	}
}

// inside is a path below a folder of the tree; false when it leads out of it.
func inside(root, rel string) (string, bool) {
	clean := path.Clean(strings.TrimPrefix(rel, "./"))
	if !fs.ValidPath(clean) {
		return "", false
	}
	return path.Join(root, clean), true
}
