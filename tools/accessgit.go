package tools

import (
	"os"
	"path/filepath"
	"strings"
)

// git lets children use a repository and keeps what git runs by itself: hooks, and the settings that can name programs. A
// linked worktree has its repository elsewhere; that one is reached where it points back, so that a file that anybody can
// write opens nothing.
func (w *accessWalk) git(dir string) {
	own := filepath.Join(dir, ".git")
	fi, err := os.Lstat(own)
	switch {
	case err != nil:
		w.gitAbove(dir)
	case fi.IsDir():
		w.keepGit(own)
	case fi.Mode().IsRegular():
		w.worktree(own)
	}
}

// gitAbove lets a child read the repository that a folder lies in.
func (w *accessWalk) gitAbove(dir string) {
	for up := filepath.Dir(dir); up != filepath.Dir(up); up = filepath.Dir(up) {
		if _, err := os.Lstat(filepath.Join(up, ".git", "HEAD")); err == nil {
			w.out.Read = append(w.out.Read, filepath.Join(up, ".git"))
			return
		}
	}
}

// keepGit makes the hooks folder where a repository has none, as git itself does, since only what exists can be kept.
func (w *accessWalk) keepGit(git string) {
	if _, err := os.Lstat(filepath.Join(git, "HEAD")); err != nil {
		return
	}
	hooks := filepath.Join(git, "hooks")
	_ = os.Mkdir(hooks, 0o755) // it is there, or it cannot be had and is told as open below
	for _, name := range []string{"hooks", "config", "config.worktree", "modules"} {
		path := filepath.Join(git, name)
		if _, err := os.Lstat(path); err == nil {
			w.out.Keep = append(w.out.Keep, path)
		} else if name == "hooks" || name == "config" {
			w.out.Open = append(w.out.Open, path+" does not exist yet and can be made")
		}
	}
}

func (w *accessWalk) worktree(file string) {
	line, err := os.ReadFile(file)
	if err != nil || len(line) > 4096 {
		return
	}
	gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "gitdir: ")
	if !ok || !filepath.IsAbs(gitdir) {
		return
	}
	back, err := os.ReadFile(filepath.Join(gitdir, "gitdir"))
	if err != nil || filepath.Clean(strings.TrimSpace(string(back))) != file {
		return
	}
	common := filepath.Dir(filepath.Dir(gitdir)) // …/.git/worktrees/NAME
	if filepath.Base(filepath.Dir(gitdir)) != "worktrees" {
		return
	}
	w.out.Read = append(w.out.Read, common)
	w.out.Write = append(w.out.Write, gitdir, filepath.Join(common, "objects"), filepath.Join(common, "refs"), filepath.Join(common, "logs"))
}
