package loader

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// SettingsFile is the file that marks a workspace.
const SettingsFile = "swarmrun.yaml"

// tree is what discover found: the settings, and every file that may be a definition.
type tree struct {
	root     string // of the workspace, absolute, without links
	settings *config.Settings
	kept     config.Permissions     // what a person answered with "always"
	foreign  []*config.TreeSettings // settings of foreign trees, nearest first
	files    []*file
	home     string    // of the person; "" = unknown
	nests    bool      // folders may have a .claude of their own
	faults   diag.List // errors that reach every target
}

// clone is a tree that the next stages may add faults to.
func (t *tree) clone() *tree {
	c := *t
	c.faults = slices.Clip(c.faults)
	return &c
}

// file is a file that may be a definition.
type file struct {
	kind   config.Kind
	path   string // where it is read
	name   string // how diagnostics call it
	origin config.Origin
	rank   int           // of its tree: the lower one keeps a name that both have
	depth  int           // folders between its tree's folder and it
	tree   config.Origin // whose rules it is read by
	plugin config.Plugin // that brings it; its root is absolute
	folder string        // of a file of a plugin, from the place where files of its kind lie; "" = there

	skillDir string // of a skill: where it lies, without links
	outside  bool   // of a skill: a link led out of the workspace to it
}

// The ranks of trees: workspace, then foreign trees of the project in the order of Formats, then the person's.
const (
	rankWorkspace = 0
	rankForeign   = 1
	rankUser      = 1000
)

// native are the folders of a workspace and of the person's folder.
var native = [...]config.Folder{
	{Kind: config.KindAgent, Path: "agents"},
	{Kind: config.KindTool, Path: "tools"},
	{Kind: config.KindModel, Path: "models"},
	{Kind: config.KindSkill, Path: "skills"},
	{Kind: config.KindHook, Path: "hooks"},
	{Kind: config.KindMCP, Path: "mcp"},
	{Kind: config.KindWorkflow, Path: "workflows"},
	{Kind: config.KindJob, Path: "jobs"},
}

// Root is the folder of a workspace, absolute and without links: dir itself, or for "" the nearest folder upwards from the
// current one that holds swarmrun.yaml, else the current one.
func Root(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil && dir == "" {
		abs = nearest(abs)
	}
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("workspace %s: %w", dir, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("workspace %s: %w", dir, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("workspace %s: not a folder", dir)
	}
	return abs, nil
}

// nearest is the first folder from start upwards that holds swarmrun.yaml, else start.
func nearest(start string) string {
	for at := start; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, SettingsFile)); err == nil && info.Mode().IsRegular() {
			return at
		}
		if at == filepath.Dir(at) {
			return start
		}
	}
}

// discover reads the settings, which say where to look, and lists the files of all trees in order of precedence.
func discover(root string, o *settled) (*tree, diag.List) {
	t := &tree{root: root, home: o.home}
	var ds diag.List
	t.settings, ds = readSettings(root, o)
	kept, more := keptRules(root, o.userDir, o.sources.lstat)
	t.kept = kept
	ds.Add(more...)
	t.faults.Add(errorsOf(ds)...)
	base := root
	if r := t.settings.Root; r.Set() {
		base = within(root, r.V)
		if info, err := os.Stat(base); err != nil || !info.IsDir() {
			fault := diag.New("E-DIR-MISSING", r.At, "root: there is no folder %q", r.V)
			t.faults.Add(fault)
			ds.Add(fault)
		}
	}
	l := newLister(root, o.home, o.sources)
	for _, f := range native {
		l.folder(base, f, file{origin: config.Workspace, rank: rankWorkspace, tree: config.Workspace})
	}
	ds.Add(t.administer(l, o)...)
	formats, more := included(t.settings, o.env.Formats)
	ds.Add(more...)
	for i, f := range formats {
		own := config.Origin(f.Name())
		ds.Add(t.bind(f, root, l, file{origin: own, rank: rankForeign + i, tree: own})...)
	}
	ds.Add(t.personal(l, formats, o)...)
	t.files = slices.DeleteFunc(l.files, t.unplugged)
	t.nests = slices.ContainsFunc(formats, func(f Format) bool { return f.Name() == string(config.FromClaude) })
	ds.Add(l.diags...)
	return t, ds
}

// personal lists what the person has, below everything of the workspace.
func (t *tree) personal(l *lister, formats []Format, o *settled) diag.List {
	var ds diag.List
	if o.userDir != "" {
		for _, f := range native {
			l.folder(o.userDir, f, file{origin: config.User, rank: rankUser, tree: config.User})
		}
	}
	if o.home != "" && o.home != t.root {
		for i, f := range formats {
			ds.Add(t.bind(f, o.home, l, file{origin: config.User, rank: rankUser + 1 + i, tree: config.Origin(f.Name())})...)
		}
	}
	return ds
}

// bind lists the files of a foreign tree, which are like as, and reads its settings; what is wrong with them reaches every
// target.
func (t *tree) bind(f Format, dir string, l *lister, as file) diag.List {
	personal := as.origin == config.User
	name := func(path string) string { return l.display(filepath.Join(dir, filepath.FromSlash(path))) }
	folders, ds := f.Folders(l.sources.dir(dir), personal, name)
	for _, folder := range folders {
		l.folder(dir, folder, as)
	}
	set, more := f.Settings(l.sources.dir(dir), personal, name)
	ds.Add(more...)
	t.faults.Add(errorsOf(ds)...)
	if set != nil {
		t.foreign = append(t.foreign, set)
		ds.Add(set.Refused...)
	}
	return ds
}

// administer reads the settings that the administrator of the machine made, before all others and whatever include says.
func (t *tree) administer(l *lister, o *settled) diag.List {
	var ds diag.List
	for _, f := range o.env.Formats {
		m, ok := f.(Managed)
		if !ok {
			continue
		}
		dir := o.managed
		if dir == "" {
			dir = m.ManagedDir()
		}
		if dir == "" {
			continue
		}
		set, more := m.ManagedSettings(l.sources.dir(dir), func(path string) string { return filepath.ToSlash(filepath.Join(dir, path)) })
		ds.Add(more...)
		t.faults.Add(errorsOf(more)...)
		if set != nil {
			t.foreign = append(t.foreign, set)
		}
	}
	return ds
}

// unplugged tells whether a file is of a plugin of the person that settings of the project switch off.
func (t *tree) unplugged(f *file) bool {
	if f.plugin.Name == "" {
		return false
	}
	for _, s := range t.foreign {
		if on, told := s.Plugins[f.plugin.Name]; told {
			return !on
		}
	}
	return false
}

// readSettings merges the settings of the person, the workspace, the environment and the flags.
func readSettings(root string, o *settled) (*config.Settings, diag.List) {
	var ds diag.List
	read := func(path, name string) config.Source {
		data, err := o.sources.read(path)
		if err != nil {
			if !os.IsNotExist(err) {
				ds.Add(config.Unreadable(diag.At(name, 1, 1, 0), "the file", err))
			}
			return config.Source{}
		}
		return config.Source{File: name, Data: data}
	}
	layers := config.Layers{Workspace: read(filepath.Join(root, SettingsFile), SettingsFile), Env: o.environ, Flags: o.flags}
	if o.userDir != "" {
		path := filepath.Join(o.userDir, SettingsFile)
		layers.User = read(path, filepath.ToSlash(path))
	}
	s, more := config.ReadSettings(layers)
	ds.Add(more...)
	if s == nil {
		s = &config.Settings{File: SettingsFile}
	}
	return s, ds
}

// included chooses the foreign trees: those that include names, else all. A name that no format answers to is told.
func included(s *config.Settings, formats []Format) ([]Format, diag.List) {
	if !s.Include.Set() {
		return formats, nil
	}
	var chosen []Format
	var ds diag.List
	for _, f := range formats {
		if slices.ContainsFunc(s.Include.V, func(r config.Ref) bool { return r.V == f.Name() }) {
			chosen = append(chosen, f)
		}
	}
	for _, r := range s.Include.V {
		if !slices.ContainsFunc(formats, func(f Format) bool { return f.Name() == r.V }) {
			ds.Add(diag.New("W-INACTIVE", r.At, "this version reads no tree named %q", r.V))
		}
	}
	return chosen, ds
}

// within is a path of the settings as a path of the system.
func within(root, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(root, filepath.FromSlash(path))
}

// errorsOf keeps the errors of a list.
func errorsOf(ds diag.List) diag.List {
	var out diag.List
	for _, d := range ds {
		if d.Severity == diag.Error {
			out.Add(d)
		}
	}
	return out
}

// slash is path relative to root with slashes where it lies inside, else absolute.
func slash(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}
