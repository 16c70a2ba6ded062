package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// ripgrep is the program rg, where there is one. It is a child like any other: started by the launcher, in the folder that
// is searched.
type ripgrep struct {
	launcher sandbox.Launcher
	lookPath func(name string) (string, error)
}

// errNoRipgrep: rg is absent, or would not give the answer that the walk gives.
var errNoRipgrep = errors.New("ripgrep is not used")

// maxNames is how many bytes of file names are taken from ripgrep; with more of them the walk is as good.
const maxNames = 16 << 20

// list returns the files of the tree that ripgrep finds matches in, in no order.
func (rg ripgrep) list(ctx context.Context, s *grepSearch) ([]string, error) {
	program, err := rg.lookPath("rg")
	if err != nil || s.alien {
		return nil, errNoRipgrep
	}
	if !s.all { // not every ripgrep can be told to pass over .rgignore
		own, err := rg.names(ctx, s.path, s.argv(program, "--files", "--glob=.rgignore"))
		if err != nil {
			return nil, err
		}
		if len(own) > 0 {
			return nil, errNoRipgrep
		}
	}
	return rg.names(ctx, s.path, append(s.argv(program, "--files-with-matches", s.types()...), "--regexp="+s.pattern.Ripgrep()))
}

// names runs ripgrep on the folder dir and returns the files that it names.
func (rg ripgrep) names(ctx context.Context, dir string, argv []string) ([]string, error) {
	out, err := rg.launcher.Run(ctx, sandbox.Command{Argv: append(argv, "--", "./"), Dir: dir, Keep: 2 * maxNames})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, sandbox.ErrTimeout):
		return nil, fmt.Errorf("the search was given up: %w; search a smaller folder", err)
	case err != nil, out.Exit != 0 && out.Exit != 1, out.Stdout.Omitted > 0:
		return nil, errNoRipgrep // not startable, a file it could not read, too many names: the walk can tell more
	}
	var names []string
	for name := range strings.SplitSeq(string(slices.Concat(out.Stdout.Head, out.Stdout.Tail)), "\x00") {
		if name = strings.TrimPrefix(name, "./"); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// argv is a command line that makes ripgrep look at the files that the walk looks at.
func (s *grepSearch) argv(program, mode string, more ...string) []string {
	argv := []string{
		program, "--no-config", mode, "--null", "--color=never", "--hidden", "--glob=!.git", "--no-mmap",
		fmt.Sprintf("--max-filesize=%d", maxEditable),
	}
	if s.all {
		argv = append(argv, "--no-ignore")
	} else {
		argv = append(argv, "--no-require-git", "--no-ignore-dot", "--no-ignore-exclude", "--no-ignore-global")
	}
	if s.multiline {
		argv = append(argv, "--multiline")
	}
	return append(argv, more...)
}

// types narrows the search by file name as far as ripgrep means the same by it: as a type, since a glob would bring
// ignored files back.
func (s *grepSearch) types() (args []string) {
	globs := s.globs
	if globs == nil && !s.without && simple(s.glob) {
		globs = []string{s.glob}
	}
	for _, g := range globs {
		args = append(args, "--type-add=wanted:"+g)
	}
	if globs != nil {
		args = append(args, "--type=wanted")
	}
	return args
}

// simple reports whether a glob means the same to everybody: a name of letters, digits, stars and alternatives.
func simple(glob string) bool {
	return glob != "" && !slices.ContainsFunc([]byte(glob), func(c byte) bool {
		return !strings.ContainsRune("*.,{}-_", rune(c)) && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	})
}
