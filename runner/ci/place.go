package ci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// place is where an attempt works.
type place struct {
	dir  string // the workspace of the attempt, without links
	own  bool   // it is a copy
	drop string // folder to remove at the end; "" = none
}

// settle makes the folder of an attempt.
func (r *session) settle(ctx context.Context, u *unit) (place, error) {
	s := u.c.Setup
	if s.Files == "" && s.Git == "" {
		return place{dir: r.g.Root()}, nil
	}
	drop, err := os.MkdirTemp(r.temp, "case-")
	if err != nil {
		return place{}, err
	}
	p := place{own: true, drop: drop}
	if s.Git != "" {
		p.dir, err = r.checkout(ctx, s.Git, filepath.Join(drop, filepath.Base(r.g.Root())))
	} else {
		p.dir = filepath.Join(drop, filepath.Base(s.Files))
		err = copyTree(s.Files, p.dir)
	}
	if err == nil {
		p.dir, err = filepath.EvalSymlinks(p.dir)
	}
	return p, err
}

func (p place) close() {
	if p.drop != "" {
		sandbox.RemoveAll(p.drop)
	}
}

// copyTree copies a folder: files with their modes, links as links. A link that leads into the folder by an absolute path
// leads into the copy. What is neither file, folder nor link is left out, and so is a .git that points at another repository:
// git in the copy would change that one.
func copyTree(from, to string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	var modes []func() error // of folders, which are filled first
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch mode := info.Mode(); {
		case mode.IsDir():
			modes = append(modes, func() error { return os.Chmod(at, mode.Perm()) })
			return os.MkdirAll(at, 0o755)
		case mode&fs.ModeSymlink != 0:
			return copyLink(path, at, from, to)
		case mode.IsRegular() && d.Name() != ".git":
			return copyFile(path, at, mode.Perm())
		}
		return nil
	})
	for i := len(modes) - 1; err == nil && i >= 0; i-- {
		err = modes[i]()
	}
	return err
}

func copyLink(path, at, from, to string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	if rest, ok := strings.CutPrefix(target, from+string(filepath.Separator)); ok {
		target = filepath.Join(to, rest)
	}
	return os.Symlink(target, at)
}

func copyFile(path, at string, mode fs.FileMode) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}

// checkout makes a repository of its own with the commit checked out, which shares the objects of the workspace's. It returns
// the folder in it that stands for the workspace.
func (r *session) checkout(ctx context.Context, ref, to string) (string, error) {
	root := r.g.Root()
	prefix, err := r.git(ctx, root, "rev-parse", "--show-prefix")
	if err != nil {
		return "", err
	}
	commit, err := r.git(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("there is no commit %q", ref)
	}
	top, err := r.git(ctx, root, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	if _, err = r.git(ctx, root, "clone", "--quiet", "--shared", "--no-checkout", "--", top, to); err == nil {
		_, err = r.git(ctx, to, "checkout", "--quiet", "--detach", commit)
	}
	return filepath.Join(to, filepath.FromSlash(prefix)), err
}

// copies tells whether a case has files of its own.
func copies(s agents.Setup) bool { return s.Files != "" || s.Git != "" }
