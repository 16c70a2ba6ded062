package loader

import (
	"maps"
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// launcher is how the children of a workspace start: as the environment says, with what the settings add.
func launcher(t *tree, o *settled) sandbox.Launcher {
	s, l := t.settings, o.env.Launcher
	if s.Sandbox.Mode.Set() {
		l.Mode = sandbox.Mode(s.Sandbox.Mode.V)
	}
	for _, v := range s.Sandbox.Env {
		l.Env = append(slices.Clip(l.Env), v.V)
	}
	if l.Environ == nil {
		vars := o.environ
		l.Environ = func() []string { return vars }
	}
	if extra := t.treeEnv(); len(extra) > 0 {
		names := slices.Sorted(maps.Keys(extra))
		l.Env = append(slices.Clip(l.Env), names...)
		own := l.Environ
		l.Environ = func() []string {
			vars := slices.Clone(own())
			for _, name := range names {
				vars = append(vars, name+"="+extra[name])
			}
			return vars
		}
	}
	return l
}

// confinement tells of what a sandbox block demands and nothing enforces yet. A demand to keep children from the network is
// an error; more places to write are no loss where nothing keeps them from writing.
func confinement(s config.Sandbox) diag.List {
	var ds diag.List
	if s.Network.V == "none" {
		ds.Add(diag.New("E-SANDBOX", s.Network.At, "this version cannot keep children from the network").
			Suggest("leave network: none out if that is acceptable, or give no agent Bash or custom tools"))
	}
	for _, p := range s.Write {
		ds.Add(diag.New("W-INACTIVE", p.At, "this version does not act on write: children are not kept from writing"))
	}
	return ds
}
