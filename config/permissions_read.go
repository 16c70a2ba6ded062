package config

import (
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// ReadPermissions reads the file of rules that a person gave by answering "always": the keys of permissions at the top.
func ReadPermissions(src []byte, file string) (Permissions, diag.List) {
	doc, ds := frontmatter.ParseYAML(src, file)
	var p Permissions
	if ds.HasErrors() {
		return p, ds
	}
	d := &decoder{doc: doc, known: knownKeys.Get(), strict: true, ds: ds}
	decode(d, doc.Root, permissionTable.Get(), &p)
	return p, d.ds
}
