package builtin

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/internal/shell"
	"github.com/swarmrun/swarmrun/tools/sandbox"
	"github.com/swarmrun/swarmrun/tools/toolstest"
)

func TestBashConforms(t *testing.T) {
	dir := t.TempDir()
	toolstest.Run(t, toolstest.Case{
		Tool:  newBash(sandbox.Launcher{}),
		Roots: tools.Roots{Workspace: dir, Dir: dir},
		Good:  json.RawMessage(`{"command":"echo x","description":"says x","timeout":5000}`),
		Bad:   json.RawMessage(`{"command":" "}`),
		Slow:  json.RawMessage(`{"command":"sleep 60"}`),
	})
}

func TestBashOutput(t *testing.T) {
	for _, tt := range []struct{ command, want string }{
		{"echo out; echo err >&2; exit 3", "$ echo out; echo err >&2; exit 3\nExit code: 3\n\nSTDOUT:\nout\n\nSTDERR:\nerr\n"},
		{"true", "$ true\nExit code: 0\n\n(no output)\n"},
		{"kill -TERM $$", "$ kill -TERM $$\nEnded by signal SIGTERM\n\n(no output)\n"}, // T06
		{`printf 'a\377b'`, "$ printf 'a\\377b'\nExit code: 0\n\nSTDOUT:\na\uFFFDb\n"},
		{"-x", "$ -x\nExit code: 127\n\nSTDERR:\nbash: line 1: -x: command not found\n"}, // no option of the shell
		{"read line || echo end", "$ read line || echo end\nExit code: 0\n\nSTDOUT:\nend\n"},
	} {
		t.Run(tt.command, func(t *testing.T) {
			if d := cmp.Diff(tt.want, newBench(t).ok("Bash", in{"command": tt.command})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBashWorksInDirectory(t *testing.T) {
	b := newBench(t)
	b.write("sub/x", "")
	b.call.Roots.Dir = b.path("sub")
	if got := b.ok("Bash", in{"command": `ls; echo "$XDG_CACHE_HOME"`}); !strings.Contains(got, "STDOUT:\nx\n"+b.call.Roots.Workspace+"/.swarmrun/cache/commands\n") {
		t.Error(got)
	}
}

// TestBashTimeout is T03 as the model sees it; sandbox tests that nobody is left.
func TestBashTimeout(t *testing.T) {
	b := newBench(t)
	began := time.Now()
	res := b.run("Bash", in{"command": "echo before; sleep 60 & sleep 60", "timeout": 200})
	if took := time.Since(began); took > 1200*time.Millisecond {
		t.Errorf("took %s", took)
	}
	if !res.IsError || !strings.Contains(res.Content, "time limit of 200ms") || !strings.Contains(res.Content, "before") {
		t.Errorf("%+v", res)
	}
}

// TestBashCut is T04 as the model sees it: head and tail of a flood.
func TestBashCut(t *testing.T) {
	res := newBench(t).run("Bash", in{"command": "echo first; head -c 10000000 /dev/zero | tr '\\0' x; echo; echo last"})
	if n := len([]rune(res.Content)); res.IsError || n > tools.MaxText+100 {
		t.Fatalf("%d characters, error %v", n, res.IsError)
	}
	if !strings.Contains(res.Content, "first\nxxx") || !strings.HasSuffix(res.Content, "xxx\nlast\n") || !strings.Contains(res.Content, "left out") {
		t.Errorf("head and tail are not kept: %.80q", res.Content)
	}
	if len(res.Full) < bashKeep || len(res.Full) > 2*bashKeep {
		t.Errorf("the whole has %d bytes", len(res.Full))
	}
}

// TestBashRoot is P07: no spelling of the deletion of everything is run.
func TestBashRoot(t *testing.T) {
	b := newBench(t)
	for _, command := range []string{
		"rm -rf /", "rm -fr /", "rm -r -f /", "rm / -rf", "rm -rf -- /", "rm -Rf /", "rm --recursive --force /", "rm --rec /", "rm -rf / ",
		"rm -rf /*", "rm -rf /.", "rm -rf /./", "rm -rf //", "rm -rf /../", "rm -rf /tmp/..", "rm -rf /.*", "rm -rf '/'", `rm -rf "/"`, `r\m -rf /`,
		"sudo rm -rf /", "sudo -n /bin/rm -rf /", "env A=1 rm -rf /", "nohup rm -rf / &", "timeout 5 rm -rf /", "xargs rm -rf /",
		"true && rm -rf /", "true; rm -rf /", "(rm -rf /)", "echo $(rm -rf /)", "sh -c 'rm -rf /'", `bash -c "sudo rm -rf /*"`, "eval 'rm -rf /'",
		"rm -rf tmp /", "rm --no-preserve-root -r /usr", "rm -rf /$UNSET", `rm -rf "/$UNSET"`, "cd / && rm -rf *", "cd /; rm -rf .", "cd /tmp/.. && rm -r ./*",
		"find / -delete", "find / -exec rm -rf {} +", "find / -xdev -type f -delete", "rm -rf / 'unclosed", "rm\t-rf\t/", "busybox rm -rf /",
		"rm -rf ../../../../../../../../../../../../..",
	} {
		if !shell.DeletesRoot(command, b.call.Roots.Dir) {
			t.Errorf("%q would have been run", command)
		}
	}
	// Through the tool; --help, so that nothing is destroyed should the refusal be broken.
	b.refused("refused", "Bash", in{"command": "rm -r /$UNSET/. --help"})
	for _, command := range []string{
		"rm -rf /tmp/x", "rm -rf build/", "rm -rf *", "rm -rf ./*", "rm x", "rm -rf $DIR/x", "rm -rf /tmp/*", "echo rm -rf /tmp", "find . -delete",
		"find / -name core -delete", "cd src && rm -rf *", "ls /", "grep -r rm /", "rm -rf /tmp/{a,b}", "echo 'rm -rf /'",
	} {
		if shell.DeletesRoot(command, b.call.Roots.Dir) {
			t.Errorf("%q was refused", command)
		}
	}
}

func TestBashNudges(t *testing.T) {
	b := newBench(t)
	b.write("x", "text\n")
	for _, tt := range []struct{ command, tool string }{
		{"cat x", "Read"}, {"grep text x", "Grep"}, {"find . -name x", "Glob"}, {"echo y > y", "Write"}, {"sed -i s/a/b/ x", "Edit"},
	} {
		if got := b.ok("Bash", in{"command": tt.command}); !strings.Contains(got, "Note: "+tt.tool) {
			t.Errorf("%s: no hint of %s in %q", tt.command, tt.tool, got)
		}
		if got := b.ok("Bash", in{"command": tt.command}); strings.Contains(got, "Note:") {
			t.Errorf("%s: the hint came twice", tt.command)
		}
	}
	if got := newBench(t).ok("Bash", in{"command": "echo x | cat"}); strings.Contains(got, "Note:") {
		t.Errorf("a pipeline got a hint: %q", got)
	}
}
