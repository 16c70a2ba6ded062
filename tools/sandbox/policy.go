package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// systemRead is what programs need of a system, as far as it exists.
var systemRead = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/sys", "/opt", "/nix", "/gnu", "/snap",
	"/var/lib", "/var/cache", "/run/systemd/resolve", "/run/current-system", "/home/linuxbrew/.linuxbrew",
}

// systemWrite are devices that keep nothing. Others are closed: a disk may hold everything.
var systemWrite = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// homeRead are settings of git and folders of compilers and interpreters in a home folder, none of which is a place for keys.
var homeRead = []string{
	".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes",
	"go", "sdk", ".rustup", ".cargo/bin", ".cargo/registry", ".cargo/git", ".nvm", ".volta", ".bun", ".deno", ".pyenv", ".rbenv", ".asdf",
	".sdkman", ".local/bin", ".local/lib", ".local/share/mise", ".local/share/uv", ".local/share/pnpm",
}

// confine makes the policy of a command.
func (l Launcher) confine(c Command, program, tmp string, k Kernel) launch.Policy {
	p := launch.Policy{Program: program, Argv: c.Argv, Dir: c.Dir, Tmp: tmp, Drain: int(drainGrace.Milliseconds()), Grace: int(termGrace.Milliseconds())}
	if l.Mode == Off {
		return p
	}
	p.Landlock, p.Mounts, p.User, p.Filter = k.Landlock, k.Namespaces, k.user, k.Filter && !l.Sockets
	p.UID, p.GID = os.Getuid(), os.Getgid()
	p.Network = k.Namespaces && l.offline(c.Access)
	p.Hide, p.Keep = resolved(c.Access.Hide), resolved(c.Access.Keep)
	p.Read = slices.Concat(systemRead, []string{program, c.Dir}, l.Read, c.Access.Read, searched(), toolchains())
	p.Write = slices.Concat(systemWrite, []string{tmp}, l.Write, c.Access.Write)
	if c.Cache != "" && os.MkdirAll(c.Cache, 0o700) == nil {
		p.Through = resolved([]string{c.Cache})
		p.Write = append(p.Write, c.Cache)
	}
	p.Write = resolved(p.Write)
	return p
}

// resolved are the paths that exist, without links: a mount is made where a path leads.
func resolved(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			out = append(out, real)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// offline tells whether a child must not reach the network.
func (l Launcher) offline(a Access) bool { return cmp.Or(a.Network, l.Network) == "none" }

// searched are the folders of this process's own PATH, whatever a child's says. One that holds the home folder opens nothing:
// it would open all of that.
func searched() []string {
	home := filepath.Clean(os.Getenv("HOME"))
	var out []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		dir = filepath.Clean(dir)
		if filepath.IsAbs(dir) && dir != "/" && dir != home && !strings.HasPrefix(home, dir+"/") {
			out = append(out, dir)
		}
	}
	return out
}

func toolchains() []string {
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return nil
	}
	out := make([]string, len(homeRead))
	for i, name := range homeRead {
		out[i] = filepath.Join(home, name)
	}
	return out
}
