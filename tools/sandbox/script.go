package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// interpreters are the programs that may run a script, the first that is there, and the options that hand it over.
var interpreters = map[string]struct{ programs, options []string }{
	"":           {[]string{"sh"}, []string{"-c", "--"}},
	"sh":         {[]string{"sh"}, []string{"-c", "--"}},
	"bash":       {[]string{"bash"}, []string{"-c", "--"}},
	"python":     {[]string{"python3", "python"}, []string{"-c"}},
	"node":       {[]string{"node"}, []string{"-e"}},
	"ruby":       {[]string{"ruby"}, []string{"-e"}},
	"powershell": {[]string{"pwsh", "powershell"}, []string{"-NoProfile", "-NonInteractive", "-Command"}},
}

// Interpreters lists the languages of scripts.
func Interpreters() []string {
	names := slices.Sorted(maps.Keys(interpreters))
	return slices.DeleteFunc(names, func(n string) bool { return n == "" || n == "powershell" })
}

// Programs are the programs that may run a script in a language; none: there is no such language.
func Programs(interpreter string) []string { return slices.Clone(interpreters[interpreter].programs) }

// RunScript runs a script in a language, "" being a command line for sh. c.Argv is filled in.
func (l Launcher) RunScript(ctx context.Context, interpreter, script string, c Command) (out Output, err error) {
	in, ok := interpreters[interpreter]
	if !ok {
		return out, fmt.Errorf("there is no interpreter for %q; write the script in one of %s", interpreter, strings.Join(Interpreters(), ", "))
	}
	for _, program := range in.programs {
		c.Argv = slices.Concat([]string{program}, in.options, []string{script})
		if out, err = l.Run(ctx, c); !errors.Is(err, ErrNotFound) {
			break
		}
	}
	return out, err
}
