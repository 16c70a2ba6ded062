package importer

import (
	"io/fs"
	"path"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// entries reads the agents of an opencode.json.
func (b *builder) entries(tree fs.FS, file string, data []byte) {
	all, _ := config.ReadOpencodeAgents(data, file) // what is wrong with the file is told where its settings are read
	for _, e := range all {
		a, ds := e.Agent, e.Diagnostics
		if e.Definition.Status == config.Broken || a != nil && !b.whole(tree, file, a) {
			a = nil
		}
		b.take(a, file, ds)
	}
}

// whole puts the file that a prompt stands for into its place. False: it cannot be read.
func (b *builder) whole(tree fs.FS, file string, a *config.Agent) bool {
	name, ok := strings.CutPrefix(strings.TrimSpace(a.Prompt), "@")
	if !ok || strings.ContainsAny(name, " \n") {
		return true
	}
	text, err := fs.ReadFile(tree, path.Join(path.Dir(file), name))
	if err != nil {
		b.left.Add(diag.New("E-NOT-CARRIED", a.At, "the prompt of %q is in %s, which cannot be read here", a.Name, name))
		return false
	}
	a.Prompt = string(text)
	return true
}

// treeServers tells of the servers of settings, which are read where they lie.
func (b *builder) treeServers(file string, data []byte, origin config.Origin) {
	for _, e := range config.ReadTreeServers(data, file, origin, []string{}) {
		b.left.Add(diag.New("W-NOT-CARRIED", e.Definition.At, "the server %q is read where it lies, and not imported", e.Definition.Name).
			Suggest("write mcp/%s.md for a workspace without this file", e.Definition.Name))
	}
}

// githubHooks carries the hooks of a file of .github/hooks. Where it cannot be read, what it guards is left out.
func (b *builder) githubHooks(file string, data []byte) {
	f, ds := config.ReadHooks(data, file, config.GitHubHooks)
	b.left.Add(told(ds)...)
	b.denied = b.denied || ds.HasErrors()
	b.treeHooks(f.Groups)
}
