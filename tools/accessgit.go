package tools

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/tools/sandbox"
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

// keepGit makes the hooks folder where a repository has none, as git itself does, since only what exists can be kept. So it
// is with commondir, which sends git to the settings of another folder: with a dot it names its own.
func (w *accessWalk) keepGit(git string) {
	if _, err := os.Lstat(filepath.Join(git, "HEAD")); err != nil {
		return
	}
	w.make(filepath.Join(git, "hooks"), func(path string) error { return os.Mkdir(path, 0o755) })
	w.make(filepath.Join(git, "commondir"), newFile(".\n"))
	w.ownSettings(git, git)
	for _, name := range []string{"hooks", "config", "commondir", "config.worktree", "modules"} {
		path := filepath.Join(git, name)
		if w.exists(path) {
			w.out.Keep = append(w.out.Keep, path)
		} else if name != "config.worktree" && name != "modules" {
			w.out.Open = append(w.out.Open, sandbox.Gap{Name: path, Absent: true})
		}
	}
	linked, _ := os.ReadDir(filepath.Join(git, "worktrees"))
	for _, e := range linked {
		dir := filepath.Join(git, "worktrees", e.Name())
		w.ownSettings(dir, git)
		w.keepLinked(dir)
	}
}

// keepLinked keeps what tells git where the settings of a linked worktree are.
func (w *accessWalk) keepLinked(gitdir string) {
	for _, name := range []string{"commondir", "config.worktree"} {
		path := filepath.Join(gitdir, name)
		if w.exists(path) {
			w.out.Keep = append(w.out.Keep, path)
		}
	}
}

// maxGitFile is the largest file of git's that is read, in bytes.
const maxGitFile = 1 << 20

// ownSettings makes the settings of one worktree where those of the repository say that git reads them.
func (w *accessWalk) ownSettings(gitdir, common string) {
	text, err := wholefile.Read(filepath.Join(common, "config"), maxGitFile)
	if err == nil && strings.Contains(strings.ToLower(string(text)), "worktreeconfig") {
		w.make(filepath.Join(gitdir, "config.worktree"), newFile(""))
	}
}

// make makes a path where nothing is. Without it the place is told as open, or is no place that git reads.
func (w *accessWalk) make(path string, do func(path string) error) {
	switch _, err := os.Lstat(path); {
	case err == nil:
	case w.looks:
		w.made = append(w.made, path)
	default:
		_ = do(path)
	}
}

func newFile(text string) func(path string) error {
	return func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		return errors.Join(err, f.Close())
	}
}

// exists tells whether a path is there, or would be.
func (w *accessWalk) exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || slices.Contains(w.made, path)
}

func (w *accessWalk) worktree(file string) {
	w.out.Keep = append(w.out.Keep, file) // git goes where it says
	line, err := wholefile.Read(file, 4<<10)
	if err != nil {
		return
	}
	gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "gitdir: ")
	if !ok || !filepath.IsAbs(gitdir) {
		return
	}
	back, err := wholefile.Read(filepath.Join(gitdir, "gitdir"), maxGitFile)
	if err != nil || filepath.Clean(strings.TrimSpace(string(back))) != file {
		return
	}
	common := filepath.Dir(filepath.Dir(gitdir)) // …/.git/worktrees/NAME
	if filepath.Base(filepath.Dir(gitdir)) != "worktrees" {
		return
	}
	w.ownSettings(gitdir, common)
	w.keepLinked(gitdir)
	w.out.Read = append(w.out.Read, common)
	w.out.Write = append(w.out.Write, gitdir, filepath.Join(common, "objects"), filepath.Join(common, "refs"), filepath.Join(common, "logs"))
}
