package config

import (
	"github.com/swarmrun/swarmrun/config/diag"
)

// ReadScript reads a rule file, models/<name>.yaml. The script is nil when nothing of it could be read; see Broken. References in
// values stand for the variables of env, NAME=value pairs, as in the settings.
func ReadScript(src []byte, file string, env []string) (*Script, Definition, diag.List) {
	d, def, ds := openYAML(KindModel, src, file, env)
	if d == nil {
		return nil, def, ds
	}
	var f scriptFile
	decode(d, d.doc.Root, scriptTable.Get(), &f)
	if len(f.rules.V) == 0 && !f.rules.Lost() {
		d.add(diag.New("E-KEY-MISSING", firstPlace(f.rules.At, d.doc.Fence), "there are no rules").
			Suggest("add rules: with at least one {when: …, reply: …}"))
	}
	def = d.finish(def)
	return &Script{Definition: def, Rules: f.rules.V}, def, d.ds
}

// firstPlace is the first range that somebody wrote.
func firstPlace(rs ...diag.Range) diag.Range {
	for _, r := range rs {
		if !r.IsZero() {
			return r
		}
	}
	return diag.Range{}
}
