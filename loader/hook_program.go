package loader

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// missing tells of a program of a hook that is not there. Only what can be read out of the command line is looked at: its
// first program, and the script that an interpreter is given.
func (w *world) missing(command config.Value[string], interpreter string, plugin config.Plugin) diag.List {
	if command.V == "" {
		return nil
	}
	if programs := sandbox.Programs(interpreter); interpreter != "" && !slices.ContainsFunc(programs, w.installed) {
		return diag.List{diag.New("W-HOOK-MISSING", command.At, "the interpreter of the hook (%s) is not installed, so the hook fails each time", interpreter).
			Suggest("install it, or write the script in another language")}
	}
	if interpreter != "" && interpreter != "sh" && interpreter != "bash" {
		return nil
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command.V), "")
	if err != nil || len(f.Stmts) == 0 {
		return nil
	}
	call, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	program, ok := w.plain(call.Args[0], plugin)
	if !ok {
		return nil
	}
	if w.there(program) && !w.idle(program) {
		if len(call.Args) < 2 || !runsFile(program) {
			return nil
		}
		if program, ok = w.plain(call.Args[1], plugin); !ok || strings.HasPrefix(program, "-") || !names(program) || w.file(program) {
			return nil
		}
	}
	if w.idle(program) {
		return diag.List{diag.New("W-HOOK-MISSING", command.At, "%s of the hook is not executable, so the hook fails each time", quoted(slash(w.tree.root, program))).
			Suggest("chmod +x it, or name the program that reads it, such as sh %s", program)}
	}
	return diag.List{diag.New("W-HOOK-MISSING", command.At, "%s of the hook was not found, so the hook fails each time", quoted(slash(w.tree.root, program))).
		Suggest("correct the path (it starts at the workspace's folder), or install the program")}
}

// names tells whether an argument of an interpreter can only be the path of a file.
func names(argument string) bool {
	return strings.Contains(argument, "/") || filepath.Ext(argument) != ""
}

// file tells whether a file is there, for who starts in the workspace's folder.
func (w *world) file(path string) bool {
	_, err := os.Stat(within(w.tree.root, path))
	return err == nil
}

// runsFile tells whether a program is an interpreter whose first argument is a file.
func runsFile(program string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh", "python", "python3", "node", "ruby", "perl", "deno", "bun"}, filepath.Base(program))
}

// plain is a word of a command line with the folders that are known; false where only the shell could tell.
func (w *world) plain(word *syntax.Word, plugin config.Plugin) (string, bool) {
	var b strings.Builder
	var parts func([]syntax.WordPart) bool
	parts = func(list []syntax.WordPart) bool {
		for _, p := range list {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(p.Value)
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				if !parts(p.Parts) {
					return false
				}
			case *syntax.ParamExp:
				dir := map[string]string{
					"CLAUDE_PROJECT_DIR": w.tree.root, "SWARMRUN_WORKSPACE": w.tree.root, "SWARM_SDK_PROJECT_DIR": w.tree.root, "CLAUDE_PLUGIN_ROOT": plugin.Root,
				}[p.Param.Value]
				if dir == "" || p.Exp != nil || p.Length || p.Repl != nil {
					return false
				}
				b.WriteString(dir)
			default:
				return false
			}
		}
		return true
	}
	if !parts(word.Parts) {
		return "", false
	}
	text := b.String()
	if strings.ContainsAny(text, "*?[~\\") {
		return "", false
	}
	return text, true
}

// builtins are commands of the shell itself, as far as hooks begin with them.
var builtins = []string{
	"[", "test", "true", "false", "echo", "printf", "exit", "cd", "set", "export", "read", "exec", "eval", ".", "source", ":", "command",
	"trap", "umask", "unset", "ulimit", "local", "shift", "return", "wait", "type", "pwd", "kill", "alias", "let", "declare",
}

// there tells whether a program can be started.
func (w *world) there(program string) bool {
	if program == "" || slices.Contains(builtins, program) {
		return true
	}
	if !strings.Contains(program, "/") {
		return w.installed(program)
	}
	return w.file(program)
}

// idle tells whether a path is that of a file which cannot be started, since its mode does not say so.
func (w *world) idle(program string) bool {
	if runtime.GOOS == "windows" || !strings.Contains(program, "/") {
		return false
	}
	info, err := os.Stat(within(w.tree.root, program))
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 == 0
}

// installed tells whether PATH has a program. Without a PATH nobody knows.
func (w *world) installed(program string) bool {
	list, ok := w.shell.lookup("PATH")
	if !ok {
		return true
	}
	return slices.ContainsFunc(filepath.SplitList(list), func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, program))
		return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
	})
}
