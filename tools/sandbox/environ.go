package sandbox

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// passed are the variables that every child gets, besides LC_*.
var passed = []string{"PATH", "HOME", "USER", "LANG", "TZ", "TERM"}

// environ is the environment of a child: the allow list, what the settings name, what the command brings, and a temporary
// folder of its own. Keys of providers are in none of them unless somebody names them.
func (l Launcher) environ(c Command, tmp string) []string {
	source := os.Environ
	if l.Environ != nil {
		source = l.Environ
	}
	env := map[string]string{}
	for _, kv := range source() {
		name, value, ok := strings.Cut(kv, "=")
		if ok && (slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") || slices.Contains(l.Env, name)) {
			env[name] = value
		}
	}
	if c.Cache != "" {
		env["XDG_CACHE_HOME"] = c.Cache
	}
	maps.Copy(env, c.Env)
	env["TMPDIR"] = tmp
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if v := env[name]; !strings.ContainsRune(name+v, 0) && name != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// lookPath finds a program as the child would: by its PATH, never in its working directory by a bare name.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.Contains(name, string(filepath.Separator)) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, nil
	}
	for _, kv := range env {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, d := range filepath.SplitList(list) {
			p := filepath.Join(d, name)
			if fi, err := os.Stat(p); filepath.IsAbs(d) && err == nil && !fi.IsDir() && fi.Mode()&0o111 != 0 {
				return p, nil
			}
		}
	}
	return "", fmt.Errorf("start %s: %w", name, ErrNotFound)
}

// RemoveAll removes a temporary folder, folders without write permission included (Go's module cache has them).
func RemoveAll(dir string) { launch.RemoveAll(dir) }
