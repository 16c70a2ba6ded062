package loader

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// launcher is how the children of a workspace start: as the environment says, with what the settings add.
func launcher(t *tree, o *settled) sandbox.Launcher {
	s, l := t.settings, o.env.Launcher
	if s.Sandbox.Mode.Set() {
		l.Mode = sandbox.Mode(s.Sandbox.Mode.V)
	}
	if s.Sandbox.Network.Set() {
		l.Network = s.Sandbox.Network.V
	} else if slices.ContainsFunc(t.foreign, func(s *config.TreeSettings) bool { return s.NoNetwork.V }) {
		l.Network = "none"
	}
	if s.Sandbox.Sockets.Set() {
		l.Sockets = s.Sandbox.Sockets.V
	}
	for _, v := range s.Sandbox.Env {
		l.Env = append(slices.Clip(l.Env), v.V)
	}
	l.Read = append(slices.Clip(l.Read), reachable(s.Sandbox.Read, t.root, o.home)...)
	l.Write = append(slices.Clip(l.Write), reachable(s.Sandbox.Write, t.root, o.home)...)
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

// reachable are paths of the settings: from the workspace's root, or below the person's home folder.
func reachable(refs []config.Ref, root, home string) (out []string) {
	for _, ref := range refs {
		path, ok := ref.V, true
		if rest, tilde := strings.CutPrefix(path, "~"); tilde {
			path, ok = filepath.Join(home, rest), home != "" && (rest == "" || rest[0] == '/')
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		if ok {
			out = append(out, path)
		}
	}
	return out
}

// checkSandbox tells of paths that mean nothing.
func checkSandbox(s config.Sandbox, home string) diag.List {
	var ds diag.List
	for _, p := range slices.Concat(s.Read, s.Write) {
		switch rest, tilde := strings.CutPrefix(p.V, "~"); {
		case tilde && rest != "" && rest[0] != '/':
			ds.Add(diag.New("E-SANDBOX", p.At, "%q names the home folder of somebody else", p.V).Suggest("write an absolute path, or ~/… for your own home folder"))
		case tilde && home == "":
			ds.Add(diag.New("E-SANDBOX", p.At, "%q needs HOME, which is not set", p.V).Suggest("set HOME, or write an absolute path"))
		}
	}
	return ds
}

// Sandbox is how the children of an agent start and what they may do, for a run in the workspace's root. Without an agent of
// that name it is what holds for all.
func (r *Report) Sandbox(agent string) (sandbox.Launcher, sandbox.Access) {
	rules, dir, dirs := tools.Rules{Deny: r.world.root.deny, Guarded: r.world.root.guarded}, r.Root, []string(nil)
	if a := r.world.byName[agent]; a != nil {
		rules = a.rules
		dir = reachable([]config.Ref{{V: a.Directory.Or(".")}}, r.Root, "")[0]
		for _, d := range a.Directories.V {
			dirs = append(dirs, reachable([]config.Ref{d}, r.Root, "")...)
		}
	}
	return r.world.launcher, rules.AccessShown(tools.Roots{Workspace: r.Root, Dir: dir, Dirs: dirs})
}

// Demanded refuses an agent whose settings demand a confinement that this system does not have.
func (r *Report) Demanded(agent string) error {
	l, access := r.Sandbox(agent)
	if l.Mode != sandbox.Require {
		return nil
	}
	if _, err := l.Confinement(access); err != nil {
		return &diag.ListError{List: diag.List{diag.New("E-SANDBOX", r.world.settings.Sandbox.Mode.At, "%v", err).
			Suggest("set sandbox.mode to auto to run without what is missing; `swarmrun doctor` says what this system has")}}
	}
	return nil
}
