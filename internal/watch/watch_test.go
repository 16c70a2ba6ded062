package watch

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// bench is a watched folder. After each act a file of its own is written: what was told until it turns up is what the act did.
type bench struct {
	t    *testing.T
	dir  string
	told chan Change
	n    int
}

func watching(t *testing.T, o Options, places func(dir string) Places, before func(dir string)) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir, told: make(chan Change, 100)}
	if before != nil {
		before(dir)
	}
	o.Quiet, o.Every = 30*time.Millisecond, 50*time.Millisecond
	w := New(&o)
	p := places(dir)
	if err := os.MkdirAll(filepath.Join(dir, "marks"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.Folders = append(p.Folders, filepath.Join(dir, "marks"))
	w.Follow(p)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx, func(c Change) { b.told <- c }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != context.Canceled {
			t.Errorf("Run ended with %v", err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// after is what an act made known: paths below the folder, or "all".
func (b *bench) after(act func()) []string {
	b.t.Helper()
	act()
	b.n++
	mark := filepath.Join(b.dir, "marks", fmt.Sprint(b.n))
	b.write(mark, "x")
	var got []string
	for deadline := time.After(30 * time.Second); ; {
		select {
		case c := <-b.told:
			if c.All {
				got = append(got, "all")
			}
			for _, p := range c.Paths {
				if strings.HasPrefix(p, filepath.Join(b.dir, "marks")) {
					continue
				}
				rel, err := filepath.Rel(b.dir, p)
				if err != nil {
					b.t.Fatal(err)
				}
				got = append(got, rel)
			}
			if slices.Contains(c.Paths, mark) {
				slices.Sort(got)
				return slices.Compact(got)
			}
		case <-deadline:
			b.t.Fatalf("nothing was told of %s; so far %v", mark, got)
		}
	}
}

func (b *bench) write(path, text string) {
	b.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.dir, path)
	}
	must(b.t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
}

func (b *bench) rename(from, to string) {
	b.t.Helper()
	must(b.t, os.Rename(filepath.Join(b.dir, from), filepath.Join(b.dir, to)))
}

func (b *bench) remove(name string) {
	b.t.Helper()
	must(b.t, os.RemoveAll(filepath.Join(b.dir, name)))
}

func (b *bench) link(target, name string) {
	b.t.Helper()
	_ = os.Remove(filepath.Join(b.dir, name))
	must(b.t, os.Symlink(target, filepath.Join(b.dir, name)))
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func modes(t *testing.T, test func(t *testing.T, o Options)) {
	t.Run("events", func(t *testing.T) { test(t, Options{}) })
	t.Run("polling", func(t *testing.T) { test(t, Options{Mode: Poll}) })
}

func tree(dir string) Places { return Places{Trees: []string{filepath.Join(dir, "agents")}} }

// TestSaves has the ways in which editors and programs write files.
func TestSaves(t *testing.T) {
	modes(t, func(t *testing.T, o Options) {
		b := watching(t, o, tree, func(dir string) {
			for _, name := range []string{"agents/a.md", "agents/old/o.md", "elsewhere/target.md", "agents2/x.md"} {
				path := filepath.Join(dir, name)
				must(t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("1"), 0o644))
			}
		})
		a := []string{"agents/a.md"}
		steps := []struct {
			name string
			act  func()
			want []string // "all" is fine in its place
		}{
			{"plain write", func() { b.write("agents/a.md", "22") }, a},
			{"append", func() {
				f, err := os.OpenFile(filepath.Join(b.dir, "agents/a.md"), os.O_APPEND|os.O_WRONLY, 0)
				must(t, err)
				_, err = f.WriteString("3")
				must(t, err, f.Close())
			}, a},
			{"chmod", func() { must(t, os.Chmod(filepath.Join(b.dir, "agents/a.md"), 0o600)) }, a},
			{"chmod of a folder", func() { must(t, os.Chmod(filepath.Join(b.dir, "agents/old"), 0o700)) }, []string{"all"}},
			{"vim, backupcopy=no", func() {
				b.rename("agents/a.md", "agents/a.md~")
				b.write("agents/a.md", "4444")
				b.remove("agents/a.md~")
			}, a},
			{"write after vim", func() { b.write("agents/a.md", "55555") }, a},
			{"vim's probe and swap file", func() {
				b.write("agents/4913", "")
				b.remove("agents/4913")
				b.write("agents/.a.md.swp", "x")
				b.remove("agents/.a.md.swp")
			}, nil},
			{"temporary file, then rename", func() {
				b.write("agents/a.md.tmp", "666666")
				b.rename("agents/a.md.tmp", "agents/a.md")
			}, a},
			{"safe write of an IDE", func() {
				b.write("agents/a.md___jb_tmp___", "7777777")
				b.rename("agents/a.md", "agents/a.md___jb_old___")
				b.rename("agents/a.md___jb_tmp___", "agents/a.md")
				b.remove("agents/a.md___jb_old___")
			}, a},
			{"emacs' lock", func() {
				b.link("nobody@nowhere", "agents/.#a.md")
				b.remove("agents/.#a.md")
			}, nil},
			{"a new file", func() { b.write("agents/b.md", "1") }, []string{"agents/b.md"}},
			{"removed", func() { b.remove("agents/b.md") }, []string{"agents/b.md"}},
			{"renamed", func() { b.rename("agents/a.md", "agents/c.md") }, []string{"agents/a.md", "agents/c.md"}},
			{"renamed back", func() { b.rename("agents/c.md", "agents/a.md") }, []string{"agents/a.md", "agents/c.md"}},
			{"new folders and files at once", func() { b.write("agents/sub/deep/y.md", "1") }, []string{"all"}},
			{"a write in them", func() { b.write("agents/sub/deep/y.md", "22") }, []string{"agents/sub/deep/y.md"}},
			{"a folder renamed", func() { b.rename("agents/sub", "agents/moved") }, []string{"all"}},
			{"a write in it", func() { b.write("agents/moved/deep/y.md", "333") }, []string{"agents/moved/deep/y.md"}},
			{"a folder removed", func() { b.remove("agents/moved") }, []string{"all"}},
			{"a folder made anew", func() { b.remove("agents/old"); b.write("agents/old/o.md", "22") }, []string{"all"}},
			{"a write in that", func() { b.write("agents/old/o.md", "333") }, []string{"agents/old/o.md"}},
			{"a file turned into a folder", func() { b.remove("agents/a.md"); b.write("agents/a.md/x.md", "1") }, []string{"all"}},
			{"and back", func() { b.remove("agents/a.md"); b.write("agents/a.md", "1") }, []string{"all"}},
			{"a link to a file", func() { b.link("../elsewhere/target.md", "agents/l.md") }, []string{"all"}},
			{"a write to its target", func() { b.write("elsewhere/target.md", "22") }, []string{"all"}},
			{"a link to a folder", func() { b.link("../elsewhere", "agents/linked") }, []string{"all"}},
			{"a write behind it", func() { b.write("elsewhere/target.md", "333") }, []string{"agents/linked/target.md"}},
			{"the link leads elsewhere", func() { b.link("../agents2", "agents/linked") }, []string{"all"}},
			{"a write behind that", func() { b.write("agents2/x.md", "22") }, []string{"agents/linked/x.md"}},
			{"a circle of links", func() { b.link(".", "agents/loop") }, []string{"all"}},
			{"a neighbour is nobody's", func() { b.write("other/x.md", "1") }, nil},
			{"the whole tree is removed", func() { b.remove("agents") }, []string{"all"}},
			{"and restored", func() { b.write("agents/a.md", "1") }, []string{"all"}},
			{"a write in it then", func() { b.write("agents/a.md", "22") }, a},
		}
		for _, s := range steps {
			got := b.after(s.act)
			if slices.Contains(got, "all") && len(s.want) > 0 {
				continue
			}
			if o.Mode == Poll && slices.Contains(s.want, "all") && len(got) > 0 {
				continue // it compares files, so it can name them
			}
			if slices.Contains(s.want, "all") || cmp.Diff(s.want, got) != "" {
				t.Errorf("%s: told %v, want %v", s.name, got, s.want)
			}
		}
	})
}

// TestPlaces has places that are no trees, and trees that come later.
func TestPlaces(t *testing.T) {
	modes(t, func(t *testing.T, o Options) {
		places := func(dir string) Places {
			return Places{
				Trees: []string{filepath.Join(dir, "x", "y", "later")}, Folders: []string{filepath.Join(dir, "flat")}, Files: []string{filepath.Join(dir, "swarmrun.yaml")},
			}
		}
		b := watching(t, o, places, func(dir string) { must(t, os.MkdirAll(filepath.Join(dir, "flat", "sub"), 0o755)) })
		for _, s := range []struct {
			path string
			want string
		}{
			{"flat/a.md", "[flat/a.md]"}, {"flat/sub/a.md", "[]"}, {"swarmrun.yaml", "[swarmrun.yaml]"}, {"README.md", "[]"},
			{"x/y/later/a.md", "[all]"}, {"x/y/later/b.md", "[x/y/later/b.md]"}, {"x/z.md", "[]"},
		} {
			if got := fmt.Sprint(b.after(func() { b.write(s.path, "text") })); got != s.want {
				t.Errorf("%s: told %s, want %s", s.path, got, s.want)
			}
		}
	})
}

// TestManyAtOnce has a checkout of hundreds of files told as few changes, none of them lost.
func TestManyAtOnce(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	var git func(args ...string)
	b := watching(t, Options{}, tree, func(dir string) {
		git = func(args ...string) {
			t.Helper()
			cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main"}, args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		must(t, os.MkdirAll(filepath.Join(dir, "agents"), 0o755))
		for _, text := range []string{"one", "two"} {
			for i := range 400 {
				must(t, os.WriteFile(filepath.Join(dir, "agents", fmt.Sprintf("%03d.md", i)), []byte(text+fmt.Sprint(i)), 0o644))
			}
			if text == "one" {
				git("init", "-q")
			}
			git("add", "agents")
			git("commit", "-q", "-m", text)
		}
	})
	if got := b.after(func() { git("checkout", "-q", "HEAD~1") }); len(got) != 400 && !slices.Contains(got, "all") {
		t.Errorf("%d files were told, want 400", len(got))
	}
}

// TestIdle watches without doing anything, and gives everything back.
func TestIdle(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "agents", "a", "b"), 0o755))
	before := descriptors(t)
	w := New(nil)
	w.Follow(tree(dir))
	if w.notify == nil {
		t.Skip("this system gives no events")
	}
	if n := len(w.notify.WatchList()); n != 3 {
		t.Errorf("%d folders are watched, want 3", n)
	}
	w.Follow(Places{Folders: []string{dir}})
	if got := w.notify.WatchList(); len(got) != 1 {
		t.Errorf("%v are watched still", got)
	}
	must(t, w.Close())
	if after := descriptors(t); after > before {
		t.Errorf("%d files are open, %d before", after, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return len(entries)
}

// TestFallBack says once why it polls, and how to get events.
func TestFallBack(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("watch: %w", noSpace), "max_user_watches"}, {fmt.Errorf("watch: %w", noFiles), "max_user_instances"}, {fs.ErrPermission, "gives no events"},
	} {
		var told []string
		w := New(&Options{Told: func(n Notice) { told = append(told, n.String()) }})
		w.fallBack(tc.err)
		w.fallBack(tc.err)
		if len(told) != 1 || !strings.Contains(told[0], tc.want) || w.notify != nil {
			t.Errorf("told %q, want one line with %q", told, tc.want)
		}
	}
}
