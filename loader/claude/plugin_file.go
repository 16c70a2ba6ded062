package claude

import (
	"path"
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// manifest is the file that makes a folder a plugin.
const manifest = ".claude-plugin/plugin.json"

var pluginName = lazy.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// pluginFile is one plugin.json.
type pluginFile struct {
	search *pluginSearch
	root   string
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

// read takes a plugin apart. Of one without a usable name nothing is looked for: its definitions would have no name.
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
	case name.Value.Type != frontmatter.Text || !pluginName.Get().MatchString(name.Value.Text):
		s.diags.Add(diag.New("E-NAME", name.Value.At, "the plugin has no name of letters, digits, dots and hyphens").Suggest(`write "name": "tools"`))
		p.members(v)
		return
	case slices.Contains(s.seen, name.Value.Text):
		s.diags.Add(diag.New("W-DUP-NAME", name.Value.At, "there is a plugin %q already; this one is left out", name.Value.Text).Suggest("rename one of the two"))
		return
	}
	p.name = name.Value.Text
	s.seen = append(s.seen, p.name)
	if set, told := s.on[p.name]; told {
		on = set
	}
	if !on {
		s.diags.Add(diag.New("I-INACTIVE", name.Value.At, "the plugin %q is switched off", p.name))
		return
	}
	for _, k := range pluginKinds {
		p.add(k.folder.Kind, k.folder.Path)
	}
	p.members(v)
}

func (p *pluginFile) members(v *frontmatter.Value) {
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
	if p.name != "" && !slices.Contains(p.search.folders, f) {
		p.search.folders = append(p.search.folders, f)
	}
}
