package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// commandTricks try to get at a secret, to change what is kept, or to reach another process. $OUT is a folder outside, $W the
// workspace, $PID our own process. Who succeeds in what leaves no trace says leaked-42.
var commandTricks = []string{
	// Reading what Read is denied.
	"cat .env", "cat ./sub/../.env", `cat "$W/.env"`, "cat < .env", "while read -r l; do echo $l; done < .env", "cp .env copy; cat copy",
	"ln .env hard; cat hard", "ln -s .env soft; cat soft", "mv .env moved; cat moved", "mv sub sub2; cat sub2/.env", "cp -r sub sub3; cat sub3/.env",
	"tar cf - .env sub", "cat /proc/self/root$W/.env", "cat /proc/$PPID/root$W/.env", "cat /proc/$PID/root$W/.env", "cat /proc/self/cwd/.env",
	"cat /proc/$PID/cwd/../../$(basename $W)/.env", "exec 5<.env; cat /dev/fd/5", "dd if=.env", "find . -name '.e*' -exec cat {} +", "grep -r . .", "git diff --no-index /dev/null .env",
	"rm .env; git checkout .env; cat .env", "base64 .env | base64 -d", "chmod 777 .env; cat .env", "cd sub && cat .env", "cat .e?v sub/.e*", "eval 'c''at .en''v'",
	"umount .env; cat .env", "umount -l .env; cat .env", "unshare -Urm bash -c 'umount -l .env; cat .env'", "unshare -Ur cat .env", "mount --bind sub other; cat other/.env",
	"mkdir -p m; unshare -Urm bash -c 'mount --rbind $W m; cat m/.env'", "nsenter -t $PID -m cat $W/.env", "chroot /proc/$PID/root cat $W/.env",
	// Reading the record of runs.
	"cat .swarmrun/sessions/s.jsonl", "cat .swarmrun/cache/../sessions/s.jsonl", "ls .swarmrun/sessions && echo leaked-$((40+2))", "umount -l .swarmrun; cat .swarmrun/sessions/s.jsonl",
	"mv .swarmrun s; cat s/sessions/s.jsonl", `cat "$XDG_CACHE_HOME/../sessions/s.jsonl"`,
	// Reading outside.
	"cat $OUT/key", "cat ../outside/key", "cd ..; cat outside/key", "ln -s $OUT o; cat o/key", "ln -s $OUT/key k; cat k", "ln $OUT/key k; cat k", "cat /proc/self/root$OUT/key",
	"cd $OUT && cat key", "cp $OUT/key . ; cat key", "mkdir -p m; mount --bind $OUT m; cat m/key", "ls $OUT && echo leaked-$((40+2))", "bash -c 'cat $OUT/key'", "xargs cat <<< $OUT/key",
	"for d in /dev/vd* /dev/sd* /dev/nvme* /dev/mem /dev/kmsg; do head -c 1 $d && echo leaked-$((40+2)); done", "head -c 1 /proc/kcore && echo leaked-$((40+2))",
	// Other processes.
	"cat /proc/$PID/environ && echo leaked-$((40+2))", "head -c 1 /proc/$PID/maps && echo leaked-$((40+2))", "readlink /proc/$PID/fd/1 && echo leaked-$((40+2))", "cat /proc/$PID/fd/0 && echo leaked-$((40+2))",
	"cat /proc/$PPID/environ && echo leaked-$((40+2))", "kill -0 $PID && echo leaked-$((40+2))", "kill -9 $PPID && echo leaked-$((40+2))", "kill -STOP $PPID && echo leaked-$((40+2))",
	"echo x > /proc/$PID/oom_score_adj && echo leaked-$((40+2))", "strace -p $PID -o trace && echo leaked-$((40+2))",
	"python3 -c 'import socket; socket.socket(socket.AF_UNIX); print(\"leaked-%d\" % 42)'", "perl -e 'use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0) and print \"leaked-\", 42'",
	// Writing outside.
	"echo x > $OUT/new", "echo x > $OUT/key", "echo x >> ../outside/key", ": > $OUT/key", "truncate -s 0 $OUT/key", "ln -s $OUT/new n; echo x > n", "ln -s $OUT n; echo x > n/new",
	"cp plain $OUT/", "mv plain $OUT/", "rm -rf $OUT", "rm $OUT/key", "mv $OUT gone", "mkdir $OUT/d", "mkfifo $OUT/p", "ln plain $OUT/hard", "ln -s x $OUT/soft", "chmod 777 $OUT/key",
	"chmod 777 $OUT", "touch -d 2001-01-01 $OUT/key", "chown 1:1 $OUT/key", "tee $OUT/new < plain", "dd if=plain of=$OUT/new", "echo x > /proc/self/root$OUT/new", "mount --bind $OUT . && echo x > new",
	"mkdir -p m; unshare -Urm bash -c 'mount --bind $OUT m && echo x > m/new'", "mount -o remount,rw / && echo leaked-$((40+2))", "unshare -Urm mount -o remount,rw / && echo leaked-$((40+2))",
	"echo x > ../new", "mkdir ../new", "mv ../work ../new", "setsid bash -c 'sleep 0.1; echo x > $OUT/late' &", "sudo -n touch $OUT/new", "systemd-run --user touch $OUT/new",
	"tmux new -d touch $OUT/new", "echo 'touch $OUT/new' | at now", "sed -i s/o/x/ $OUT/key", "mknod $OUT/n c 1 3", "mknod n b 1 0 && echo leaked-$((40+2))",
	// Definitions.
	"echo x > agents/a.md", "echo x >> agents/a.md", "echo x > agents/evil.md", "rm agents/a.md", "rm -rf agents", "mv agents other", "mv agents/a.md .", "ln -sf /etc/passwd agents/a.md",
	"mkdir agents/sub", "sed -i s/a/b/ agents/a.md", "chmod 777 agents/a.md", "cp plain agents/a.md", "mv plain agents/b.md", "ln plain agents/b.md", "umount -l agents; echo x > agents/a.md",
	"echo x > swarmrun.yaml", "rm swarmrun.yaml", "mv swarmrun.yaml y", "mv plain swarmrun.yaml",
	// What git runs.
	"echo x > .git/hooks/pre-commit", "echo x > .git/hooks/post-checkout", "mv .git/hooks h", "mv .git g; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit", "rm -rf .git", "chmod 777 .git/hooks/pre-commit",
	"git config core.fsmonitor evil", "echo x > .git/config", "mv plain .git/config", "cp -r .git g2; rm -rf .git; mv g2 .git; echo x >> .git/config", "ln -sf plain .git/hooks/pre-commit",
	"echo ../other > .git/commondir && echo leaked-$((40+2))", "rm .git/commondir && echo leaked-$((40+2))",
	// What other children run.
	"mkdir -p .swarmrun/cache/mcp && echo leaked-$((40+2))", "echo x > $XDG_CACHE_HOME/../x && echo leaked-$((40+2))", "mkdir -p .swarmrun/cache/servers/npm && echo leaked-$((40+2))",
	"cd .git && mv hooks h", "cd .git/hooks && echo x > pre-commit", "unshare -Urm bash -c 'mount -o remount,rw,bind .git/hooks; echo x > .git/hooks/pre-commit'",
}

// fileTricks are calls of file tools that try the same; each is refused before it comes to the tool, or finds nothing.
var fileTricks = []struct{ tool, prepare, input string }{
	{"Read", "", `{"file_path":".env"}`}, {"Read", "", `{"file_path":"sub/../.env"}`}, {"Read", "ln -s .env l", `{"file_path":"l"}`}, {"Read", "ln -s . d", `{"file_path":"d/.env"}`},
	{"Read", "", `{"file_path":"../outside/key"}`}, {"Read", "", `{"file_path":"$OUT/key"}`}, {"Read", "ln -s $OUT o", `{"file_path":"o/key"}`}, {"Read", "ln -s $OUT/key k", `{"file_path":"k"}`},
	{"Read", "", `{"file_path":"/proc/self/cwd/.env"}`}, {"Read", "", `{"file_path":"/proc/self/environ"}`}, {"Read", "", `{"file_path":"/proc/self/root$OUT/key"}`},
	{"Read", "ln -s b a; ln -s a b", `{"file_path":"a"}`}, {"Read", "", `{"file_path":".swarmrun/sessions/s.jsonl"}`}, {"Read", "ln -s .swarmrun r", `{"file_path":"r/sessions/s.jsonl"}`},
	{"Read", "", `{"file_path":".//.env"}`}, {"Read", "", `{"file_path":"nothing/../.env"}`}, {"Read", "ln -s ../outside up", `{"file_path":"up/../outside/key"}`},
	{"Grep", "", `{"pattern":".","output_mode":"content"}`}, {"Grep", "", `{"pattern":".","path":"sub","output_mode":"content"}`}, {"Grep", "", `{"pattern":".","path":"..","output_mode":"content"}`},
	{"Grep", "ln -s $OUT o", `{"pattern":".","path":"o","output_mode":"content"}`}, {"Grep", "", `{"pattern":".","path":".env","output_mode":"content"}`},
	{"Grep", "", `{"pattern":".","path":".swarmrun","output_mode":"content"}`}, {"Glob", "", `{"pattern":"../outside/*"}`}, {"Glob", "", `{"pattern":"*","path":"$OUT"}`}, {"Glob", "ln -s $OUT o", `{"pattern":"o/*"}`},
	{"Write", "", `{"file_path":"../outside/new","content":"x"}`}, {"Write", "ln -s $OUT o", `{"file_path":"o/new","content":"x"}`}, {"Write", "ln -s $OUT/new n", `{"file_path":"n","content":"x"}`},
	{"Write", "", `{"file_path":"agents/evil.md","content":"x"}`}, {"Write", "ln -s agents x", `{"file_path":"x/evil.md","content":"x"}`}, {"Write", "", `{"file_path":"./sub/../agents/a.md","content":"x"}`},
	{"Write", "", `{"file_path":".git/hooks/pre-commit","content":"x"}`}, {"Write", "ln -s .git g", `{"file_path":"g/config","content":"x"}`}, {"Write", "", `{"file_path":".swarmrun/permissions.yaml","content":"x"}`},
	{"Write", "", `{"file_path":"swarmrun.yaml","content":"x"}`}, {"Write", "", `{"file_path":"$OUT/key","content":"x"}`}, {"Edit", "", `{"file_path":"agents/a.md","old_string":"agent","new_string":"x"}`},
	{"Edit", "ln -s $OUT/key k", `{"file_path":"k","old_string":"out","new_string":"x"}`}, {"Edit", "", `{"file_path":".env","old_string":"in","new_string":"x"}`},
}

// escapeScene is a workspace with what must not be reached, inside and outside.
type escapeScene struct {
	outside, work string
	before        map[string]string
	bench         *bench
	rules         tools.Rules
}

func newEscapeScene(t *testing.T, l sandbox.Launcher) *escapeScene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &escapeScene{outside: filepath.Join(dir, "outside"), work: filepath.Join(dir, "work"), bench: newBenchWith(t, Options{Launcher: l})}
	for name, text := range map[string]string{
		"outside/key": "outside-secret", "work/.env": "inside-secret", "work/sub/.env": "sub-secret", "work/agents/a.md": "agent", "work/plain": "plain", "work/swarmrun.yaml": "name: x\n",
		"work/.git/hooks/pre-commit": "hook", "work/.git/config": "", "work/.git/HEAD": "ref: refs/heads/main\n", "work/.git/objects/x": "", "work/.git/refs/x": "", "work/.swarmrun/sessions/s.jsonl": "session-secret",
	} {
		s.bench.write(filepath.Join(dir, name), text)
	}
	s.bench.call.Roots = tools.Roots{Workspace: s.work, Dir: s.work}
	s.rules = tools.Rules{
		Grants: escapeRules(t, "Bash", "Read", "Grep", "Glob", "Write", "Edit"), Deny: escapeRules(t, "Read(.env)"),
		Guarded: []string{"/swarmrun.yaml", "/agents/**/*.md"},
	}
	s.bench.call.Rules = &s.rules
	s.before = s.look(t)
	return s
}

func escapeRules(t *testing.T, texts ...string) (out []tools.Rule) {
	t.Helper()
	for _, text := range texts {
		r, err := tools.ParseRule(text, tools.Native, diag.Range{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// look is all that must stay as it is: content, mode, owner and time of each file.
func (s *escapeScene) look(t *testing.T) map[string]string {
	t.Helper()
	seen := map[string]string{}
	for _, root := range []string{s.outside, filepath.Join(s.work, "agents"), filepath.Join(s.work, ".git/hooks"), filepath.Join(s.work, ".git/config"), filepath.Join(s.work, "swarmrun.yaml"), filepath.Join(s.work, ".env"), filepath.Join(s.work, ".swarmrun/sessions")} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				seen[path] = err.Error()
				return nil
			}
			fi, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			text := fi.Mode().String()
			if fi.Mode().IsRegular() {
				b, err := os.ReadFile(path)
				st := fi.Sys().(*syscall.Stat_t)
				text = fmt.Sprint(text, string(b), err, fi.ModTime(), st.Uid, st.Gid, st.Nlink)
			}
			seen[path] = text
			return nil
		})
	}
	es, err := os.ReadDir(filepath.Dir(s.work))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		seen[e.Name()] = e.Type().String()
	}
	return seen
}

// expand puts the scene's folders into a text.
func (s *escapeScene) expand(text string) string {
	return strings.NewReplacer("$OUT", s.outside, "$W", s.work, "$PID", strconv.Itoa(os.Getpid())).Replace(text)
}

// check holds what was said and what lies there against what must be.
func (s *escapeScene) check(t *testing.T, trick, said string) {
	t.Helper()
	for _, word := range []string{"-secret", "leaked-42"} {
		if strings.Contains(said, word) {
			t.Errorf("%s leaked %s:\n%s", trick, word, said)
		}
	}
	after := s.look(t)
	for path, text := range after {
		if s.before[path] != text && !strings.HasSuffix(path, ".swarmrun/sessions") {
			t.Errorf("%s changed %s: %s", trick, path, cmp.Diff(s.before[path], text))
		}
	}
	for path := range s.before {
		if _, ok := after[path]; !ok {
			t.Errorf("%s removed %s", trick, path)
		}
	}
}

// TestEscapeTricks tries each trick for real: with the rules of an agent that may run everything, and with those of one that
// may run little. What the rules let pass the sandbox holds, and what the sandbox cannot see the rules refuse.
func TestEscapeTricks(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := sandbox.Launcher{Path: self, Probe: &sandbox.Probe{}}
	if k := l.Kernel(); k.Landlock < 6 || !k.Namespaces || !k.Filter {
		t.Skipf("this kernel cannot do it: %+v", k)
	}
	if n := len(commandTricks) + len(fileTricks); n < 60 {
		t.Errorf("%d tricks, want 60", n)
	}
	t.Run("commands", func(t *testing.T) {
		for _, trick := range commandTricks {
			t.Run(trick, func(t *testing.T) {
				t.Parallel()
				s := newEscapeScene(t, l)
				input, err := json.Marshal(map[string]any{"command": s.expand(trick), "timeout": 20_000})
				if err != nil {
					t.Fatal(err)
				}
				narrow := s.rules
				narrow.Grants = escapeRules(t, "Bash(git diff *)", "Bash(ls *)", "Bash(go test *)", "Read", "Edit")
				narrow.Mode = tools.ModeDenyAsks
				call := s.bench.call
				call.Tool, call.Input = "Bash", input
				allowed := narrow.Decide(s.bench.tools["Bash"], &call, nil).Verdict == tools.Allow
				if allowed && !strings.HasPrefix(trick, "ls ") && !strings.HasPrefix(trick, "git diff") {
					t.Error("an agent that may only git diff, ls and go test may run it")
				}
				got, err := s.bench.tools["Bash"].Call(context.Background(), &call)
				if err != nil {
					t.Fatal(err)
				}
				s.check(t, trick, strings.ReplaceAll(got.Content, s.expand(trick), ""))
			})
		}
	})
	t.Run("files", func(t *testing.T) {
		for _, trick := range fileTricks {
			t.Run(trick.tool+trick.input, func(t *testing.T) {
				s := newEscapeScene(t, l)
				if trick.prepare != "" {
					prepare(t, s, trick.prepare)
				}
				call := s.bench.call
				call.Tool, call.Input = trick.tool, json.RawMessage(s.expand(trick.input))
				call.Readable = s.rules.Readable(trick.tool, call.Roots)
				said := ""
				if d := s.rules.Decide(s.bench.tools[trick.tool], &call, nil); d.Verdict == tools.Allow {
					got, err := s.bench.tools[trick.tool].Call(context.Background(), &call)
					if err != nil {
						t.Fatal(err)
					}
					said = got.Content
				}
				s.check(t, trick.tool+trick.input, said)
			})
		}
	})
}

// prepare makes what a person's workspace may hold, such as links.
func prepare(t *testing.T, s *escapeScene, script string) {
	t.Helper()
	out, err := (sandbox.Launcher{Mode: sandbox.Off}).Run(t.Context(), sandbox.Command{Argv: []string{"sh", "-c", s.expand(script)}, Dir: s.work})
	if err != nil || out.Exit != 0 {
		t.Fatal(err, out.Stderr)
	}
}
