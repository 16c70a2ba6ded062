package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// walled is a Launcher on a system that can do all; it skips where something is missing.
func walled(t testing.TB) sandbox.Launcher {
	t.Helper()
	l := confined(t)
	if k := l.Kernel(); k.Landlock < 3 || !k.Namespaces || !k.Filter {
		t.Skipf("this kernel cannot do it: %+v", k)
	}
	return l
}

// scene is a workspace with what must not be reached, inside and outside.
type scene struct{ outside, work string }

func newScene(t testing.TB) scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := scene{filepath.Join(dir, "outside"), filepath.Join(dir, "work")}
	for path, text := range map[string]string{
		filepath.Join(s.outside, "key"): "outside-secret", filepath.Join(s.work, ".env"): "inside-secret", filepath.Join(s.work, "sub/.env"): "sub-secret",
		filepath.Join(s.work, "agents/a.md"): "agent", filepath.Join(s.work, ".git/hooks/pre-commit"): "hook", filepath.Join(s.work, ".git/config"): "config",
		filepath.Join(s.work, ".git/HEAD"): "head", filepath.Join(s.work, ".swarmrun/sessions/s.jsonl"): "session-secret", filepath.Join(s.work, "plain"): "plain",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s scene) command(script string) sandbox.Command {
	in := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, filepath.Join(s.work, n))
		}
		return out
	}
	return sandbox.Command{
		Argv: []string{"bash", "-c", "--", script}, Dir: s.work, Cache: filepath.Join(s.work, ".swarmrun/cache"),
		Access: sandbox.Access{
			Read: []string{s.work}, Write: []string{s.work},
			Hide: in(".env", "sub/.env", ".swarmrun"), Keep: in("agents", ".git/hooks", ".git/config"),
		},
	}
}

// TestConfinedWork: what an agent's commands do every day goes.
func TestConfinedWork(t *testing.T) {
	l := walled(t)
	for _, script := range []string{
		"echo x >new && cat new && rm new", "mkdir -p a/b && mv a/b c && rmdir a c", "echo x >>plain", "ln -s plain link && cat link && rm link",
		`t=$(mktemp) && echo x >"$t" && cat "$t"`, `echo x >"$XDG_CACHE_HOME/file" && cat "$XDG_CACHE_HOME/file"`, "cat /etc/passwd >/dev/null",
		"ls -la . sub agents .git >/dev/null", "cat agents/a.md .git/config", "echo x >.git/index && rm .git/index", "echo x | cat | tee copy && rm copy",
		"cat <(echo x)", "echo x >sub/file && mv sub/file sub/other && rm sub/other", "(echo x >/dev/shm/mine && cat /dev/shm/mine)", "kill -0 $$",
		"sleep 60 & kill $!; wait; true",
	} {
		s := newScene(t)
		out, err := l.Run(t.Context(), s.command(script))
		if err != nil || out.Exit != 0 {
			t.Errorf("%s: exit %d, %v\n%s%s", script, out.Exit, err, out.Stdout, out.Stderr)
		}
	}
}

// TestConfinedCache: what a child leaves in the cache is there for the next one, although the folder around it is hidden.
func TestConfinedCache(t *testing.T) {
	l, s := walled(t), newScene(t)
	if out, err := l.Run(t.Context(), s.command(`echo kept >"$XDG_CACHE_HOME/f"`)); err != nil || out.Exit != 0 {
		t.Fatal(err, out.Stderr)
	}
	if b, err := os.ReadFile(filepath.Join(s.work, ".swarmrun/cache/f")); err != nil || string(b) != "kept\n" {
		t.Errorf("%q %v", b, err)
	}
}

// TestConfinedNetwork: none is a network of one's own with nobody in it but oneself.
func TestConfinedNetwork(t *testing.T) {
	l, s := walled(t), newScene(t)
	ln := listen(t)
	c := s.command("exec 3<>/dev/tcp/127.0.0.1/" + ln)
	if out, err := l.Run(t.Context(), c); err != nil || out.Exit != 0 {
		t.Errorf("host: exit %d, %v, %s", out.Exit, err, out.Stderr)
	}
	c.Access.Network = "none"
	if out, err := l.Run(t.Context(), c); err != nil || out.Exit == 0 {
		t.Errorf("none: exit %d, %v, %s", out.Exit, err, out.Stderr)
	}
	l.Network = "none"
	c.Access.Network = ""
	if out, err := l.Run(t.Context(), c); err != nil || out.Exit == 0 {
		t.Errorf("none of the launcher: exit %d, %v", out.Exit, err)
	}
}

// TestConfinedDescriptors: what this process was started with opens nothing to a child. A folder of the system's own view of
// files would show what is hidden and change what is kept.
func TestConfinedDescriptors(t *testing.T) {
	l, s := walled(t), newScene(t)
	fd, err := syscall.Open(s.work, syscall.O_RDONLY|syscall.O_DIRECTORY, 0) // inherited
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	at := "/proc/self/fd/" + strconv.Itoa(fd)
	out, err := l.Run(t.Context(), s.command("cat "+at+"/.env; echo x >"+at+"/agents/a.md"))
	if err != nil || strings.Contains(out.Stdout.String(), "secret") {
		t.Errorf("%v: %s", err, out.Stdout)
	}
	if b, err := os.ReadFile(filepath.Join(s.work, "agents/a.md")); err != nil || string(b) != "agent" {
		t.Errorf("%q %v", b, err)
	}
}

// TestConfinedShared: shared memory without a file is a command's own, whoever made it.
func TestConfinedShared(t *testing.T) {
	l, s := walled(t), newScene(t)
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	if errors.Is(err, unix.ENOSYS) {
		t.Skip("this kernel has no System V memory")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }()
	out, err := l.Run(t.Context(), s.command("cat /proc/sysvipc/shm"))
	if lines := strings.Count(out.Stdout.String(), "\n"); err != nil || lines != 1 { // the heading
		t.Errorf("%v: %s%s", err, out.Stdout, out.Stderr)
	}
}

// TestIgnored: a child ignores the signals that it would ignore if it were started directly, as under nohup.
func TestIgnored(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	nohup := exec.Command("sh", "-c", `trap '' HUP INT; exec "$0"`, self)
	nohup.Env = append(os.Environ(), "SANDBOX_IGNORED=1")
	out, err := nohup.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	direct, through, _ := strings.Cut(string(out), "\n")
	mask, err := strconv.ParseUint(strings.TrimPrefix(direct, "SigIgn:\t"), 16, 64)
	if through != direct+"\n" || err != nil || mask&3 != 3 { // who started the tests may ignore more
		t.Errorf("%v: %q", err, out)
	}
}

// ignored prints what two children ignore, one of which is started directly.
func ignored() int {
	self, _ := os.Executable()
	for _, mode := range []sandbox.Mode{sandbox.Off, sandbox.Auto} {
		l := sandbox.Launcher{Path: self, Mode: mode}
		out, err := l.Run(context.Background(), sandbox.Command{Dir: "/", Argv: []string{"grep", "SigIgn", "/proc/self/status"}})
		if err != nil {
			return 1
		}
		_, _ = os.Stdout.WriteString(out.Stdout.String())
	}
	return 0
}

// TestDemand: mode require starts nothing where something is missing, and says what.
func TestDemand(t *testing.T) {
	s := newScene(t)
	l := sandbox.Launcher{Mode: sandbox.Require, Probe: &sandbox.Probe{}}
	if _, err := l.Run(t.Context(), s.command("true")); !errors.Is(err, sandbox.ErrUnconfined) || !strings.Contains(err.Error(), "its own file") {
		t.Errorf("no launching process: %v", err)
	}
	l = walled(t)
	l.Mode = sandbox.Require
	if out, err := l.Run(t.Context(), s.command("true")); err != nil || out.Exit != 0 {
		t.Errorf("all there: %d %v", out.Exit, err)
	}
}

// TestTell: mode auto says once what does not hold, and nothing where all does.
func TestTell(t *testing.T) {
	s := newScene(t)
	var told []string
	l := sandbox.Launcher{Probe: &sandbox.Probe{}, Tell: func(text string) { told = append(told, text) }}
	for range 2 {
		if _, err := l.Run(t.Context(), s.command("true")); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "children write and read what the user can") {
		t.Errorf("told %q", told)
	}
	told = nil
	full := walled(t)
	full.Tell = l.Tell
	if _, err := full.Run(t.Context(), s.command("true")); err != nil || len(told) != 0 {
		t.Errorf("told %q, %v", told, err)
	}
}

// TestParentKilled: whatever a server or a command has started is gone within 3 s of a kill -9 of us, however it hid, and its
// temporary folder with it.
func TestParentKilled(t *testing.T) {
	for _, mode := range []string{"server", "command", "server off"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			parent := exec.Command(self)
			parent.Env = append(os.Environ(), "SANDBOX_PARENT="+mode, "SANDBOX_DIR="+dir, "TMPDIR="+dir)
			out, err := parent.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			parent.Stderr = os.Stderr
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
				t.Fatalf("%q %v", line, err)
			}
			_ = parent.Process.Signal(syscall.SIGKILL)
			began := time.Now()
			_ = parent.Wait()
			all := pids(t, filepath.Join(dir, "pids"))
			if len(all) != 4 {
				t.Fatalf("%d processes, want 4", len(all))
			}
			for _, pid := range all {
				gone(t, pid)
			}
			for {
				left, err := filepath.Glob(filepath.Join(dir, "swarmrun-*"))
				if took := time.Since(began); took > 3*time.Second || err != nil {
					t.Fatalf("took %s; left are %q, %v", took, left, err)
				}
				if len(left) == 0 {
					break
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// TestSupervisorKilled: who looks after a command is killed itself. The command is ended, and that is an error.
func TestSupervisorKilled(t *testing.T) {
	dir := t.TempDir()
	c := sandbox.Command{
		Dir: dir, Access: sandbox.Access{Write: []string{dir}},
		Argv: []string{"bash", "-c", `echo $$ >>some; echo $PPID >>some; mv some pids; exec sleep 300`},
	}
	ended := make(chan error, 1)
	go func() {
		_, err := confined(t).Run(context.Background(), c)
		ended <- err
	}()
	for {
		if _, err := os.Stat(filepath.Join(dir, "pids")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	both := pids(t, filepath.Join(dir, "pids"))
	if err := syscall.Kill(both[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.HasSuffix(err.Error(), "ended early: signal: killed") {
		t.Errorf("got %v", err)
	}
	for _, pid := range both {
		gone(t, pid)
	}
}

// TestSupervisorLate: who looks after a command is too late with ending it. What has left the group ends all the same.
func TestSupervisorLate(t *testing.T) {
	dir := t.TempDir()
	c := sandbox.Command{
		Dir: dir, Access: sandbox.Access{Write: []string{dir}},
		Argv: []string{"bash", "-c", `setsid sleep 300 & echo $! >>some; echo $$ >>some; echo $PPID >>some; mv some pids; exec sleep 300`},
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := confined(t).Run(ctx, c)
		ended <- err
	}()
	for {
		if _, err := os.Stat(filepath.Join(dir, "pids")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	all := pids(t, filepath.Join(dir, "pids"))
	if err := syscall.Kill(all[2], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, pid := range all {
		gone(t, pid)
	}
}

// parent starts a server or a command that scatters processes, says ready and waits to be killed.
func parent(mode string) int {
	self, _ := os.Executable()
	dir := os.Getenv("SANDBOX_DIR")
	l := sandbox.Launcher{Path: self}
	if strings.HasSuffix(mode, "off") {
		l.Mode = sandbox.Off
	}
	c := sandbox.Command{Dir: dir, Access: sandbox.Access{Write: []string{dir}}, Argv: []string{"bash", "-c", `
		trap '' TERM
		mkdir -p "$TMPDIR/locked/in"; chmod 500 "$TMPDIR/locked"
		setsid bash -c 'trap "" TERM; echo $$ >>pids; sleep 300 & echo $! >>pids; while :; do wait; done' &
		(setsid sleep 301 & echo $! >>pids) &
		echo $$ >>pids
		until [ "$(wc -l <pids)" -ge 4 ]; do :; done
		touch ready; while :; do wait; sleep 1; done`}}
	go func() {
		if strings.HasPrefix(mode, "server") {
			_, _ = l.Start(context.Background(), c)
			return
		}
		_, _ = l.Run(context.Background(), c)
	}()
	for {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	_, _ = os.Stdout.WriteString("ready\n")
	select {}
}

// TestOrdinaryUser: who is not root is confined as well, by a user namespace.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the other tests run as an ordinary user already")
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("no setpriv")
	}
	dir, err := os.MkdirTemp("", "ordinary-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "test")
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(dir, 0o777), os.WriteFile(binary, b, 0o755), os.Chmod(binary, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", binary, "-test.run=TestConfined|TestTricks|TestParentKilled|TestRunOutcome", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "HOME=" + dir, "SANDBOX_CLOSED=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Logf("%s", out)
	}
}

func listen(t testing.TB) (port string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { ln.Close() })
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
}
