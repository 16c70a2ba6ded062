package tools_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/tools"
)

var escapes = flag.Int("escapes", 300, "how many random command lines TestEscapes tries")

// pieces of command lines, chosen for what shells do with them.
var pieces = []string{
	"git diff", "git diff ", "ls ", "ls", "echo ", "rm x", " rm x", "rm", "git ", "git push", " x", "x", "a", "-", "--output=f",
	";", "; ", "&&", "||", "|", "|&", "&", "\n", "\r", "\t", " ", "!", "#", "\\", "\\\n", "'", "\"", "`", "$(", ")", "(", "{ ", ";}", "{a,b}", "{rm,x}",
	"$x", "${x}", "\"$x\"", "x=rm", "x='rm x'", "x=", "PATH=/", "$'", "$\"", "\\x72m", "$((", "))", "((", "[[ ", " ]]", "*", "?", "[a]", "~", "~/",
	"<", ">", ">f", ">>f", "<<EOF\n", "\nEOF\n", "<<'EOF'\n", "<<-E\n", "<<<", "<(", ">(", ">&", "2>&1", "&>f", ">|f", "<>f", "/dev/null", ">/dev/null",
	"eval ", "sh -c ", "command ", "time ", "timeout 1 ", "xargs ", "env ", "exec ", "builtin ", "coproc ", "nohup ", "f() ", "function f ", "f",
	"if ", "then ", "fi", "for x in a rm; do ", "for PATH in /; do ", "!(", "@(", "; do ", "done", "while ", "case a in a) ", ";; esac", "${x:-rm}", "${!x}", "${x@P}", "export ", "declare ",
	"alias ls=rm\n", "trap 'rm x' EXIT;", "set -- rm x;", "\"$@\"", "$@", "$*", "printf -v x ", "read x ", "test ", "[ ", " ]", "-eq ",
}

// TestEscapes hands random command lines to an agent that may only `git diff`, `ls`, `echo` and `xargs`, and runs those that pass
// with a real bash in which every program is a stub that writes down its arguments. Nothing else may have been started, and
// no file written.
func TestEscapes(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	at := workspace(t)
	rules := tools.Rules{Grants: parse(t, "Bash(git diff *)", "Bash(ls *)", "Bash(echo *)", "Bash(xargs *)", "Bash(export *)", "Bash(f *)")}
	bin := stubs(t)
	random := rand.New(rand.NewPCG(1, uint64(*escapes)))
	passed := 0
	for range *escapes {
		var b strings.Builder
		b.WriteString([]string{"git diff ", "git diff", "ls ", "echo ", ""}[random.IntN(5)])
		for range 1 + random.IntN(9) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		command := b.String()
		if rules.Decide(bash, call(bash, command, at), nil).Verdict != tools.Allow {
			continue
		}
		passed++
		if ran, wrote := try(t, shell, bin, command); ran != "" || wrote != "" {
			t.Errorf("%q ran %q, wrote %q", command, ran, wrote)
		}
	}
	if passed < *escapes/200 {
		t.Errorf("%d of %d passed: too few to say anything", passed, *escapes)
	}
	t.Logf("%d of %d passed", passed, *escapes)
}

// try runs a command line and returns what it ran and wrote that it may not.
func try(t *testing.T, shell, bin, command string) (ran, wrote string) {
	t.Helper()
	dir, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", "--", command)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, []string{"PATH=" + bin, "HOME=" + dir, "LOG=" + log}, time.Second
	_ = cmd.Run() // how it ends does not matter
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		wrote = files[0].Name()
	}
	b, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		for len(words) > 1 && strings.Contains(" xargs nohup timeout 1 command ", " "+words[0]+" ") {
			words = words[1:]
		}
		switch {
		case words[0] == "ls", words[0] == "f", words[0] == "echo", words[0] == "xargs", words[0] == "nohup", words[0] == "command":
		case words[0] == "git" && len(words) > 1 && words[1] == "diff" && !strings.Contains(line, " --output"):
		default:
			ran += line
		}
	}
	return ran, wrote
}

// stubs are programs that write a line with their name and arguments to $LOG.
func stubs(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for _, name := range []string{"git", "ls", "rm", "sh", "env", "xargs", "timeout", "nohup", "a", "x", "f", "time", "test", "[", "true"} {
		script := "#!/bin/sh\nprintf '%s\\n' \"$(printf '%s ' \"${0##*/}\" \"$@\" | /usr/bin/tr '\\n' ' ')\" >>\"$LOG\"\n" +
			"case ${0##*/} in xargs|nohup|env) exec \"$@\";; timeout) shift; exec \"$@\";; esac\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}
