package claude

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/swarmrun/swarmrun/config/diag"
)

// FuzzPlugins reads manifests, marketplace files and lists of installed plugins: nothing panics, and no place leads out of the
// tree, whatever they say.
func FuzzPlugins(f *testing.F) {
	f.Add([]byte(`{"name": "a", "skills": ["./x", "../y"], "hooks": {"Stop": []}, "commands": "/etc"}`),
		[]byte(`{"plugins": [{"source": "./p"}, {"source": "./../x"}]}`), []byte(`{"plugins": {"p@m": [{"installPath": "/h/.claude/plugins/p"}]}}`))
	f.Add([]byte(`{"name": "p", "defaultEnabled": false}`), []byte(`{"plugins": 3}`), []byte(`{"plugins": {"p": {"installPath": "/.claude/plugins/../../etc"}}}`))
	f.Add([]byte(`[`), []byte(`{}`), []byte("\ufeff"))
	f.Fuzz(func(t *testing.T, manifestText, market, installed []byte) {
		tree := fstest.MapFS{}
		for path, data := range map[string][]byte{
			manifest: manifestText, "p/" + manifest: manifestText, ".claude/plugins/p/" + manifest: manifestText,
			".claude-plugin/marketplace.json": market, ".claude/plugins/installed_plugins.json": installed,
			".claude/settings.json": []byte(`{"enabledPlugins": {"p@m": true}}`),
		} {
			tree[path] = &fstest.MapFile{Data: data}
		}
		for _, personal := range []bool{false, true} {
			folders, ds := Formats()[0].Folders(tree, personal, func(p string) string { return p })
			for _, p := range folders {
				if !fs.ValidPath(p.Path) || p.Plugin.Name != "" && !fs.ValidPath(p.Plugin.Root) {
					t.Fatalf("the place %q of %q", p.Path, p.Plugin.Root)
				}
				if p.Plugin.Name != "" && !pluginName.Get().MatchString(p.Plugin.Name) {
					t.Fatalf("the name %q", p.Plugin.Name)
				}
			}
			for _, d := range ds {
				if d.Range.Start.Line < 1 || d.Range.Start.Column < 1 || d.Severity == diag.Error && d.Summary == "" {
					t.Fatalf("%v", d)
				}
			}
		}
	})
}
