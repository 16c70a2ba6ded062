//go:build unix

package loader

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestOrdinaryUser runs what root cannot see as somebody to whom rights matter.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the other tests run as an ordinary user already")
	}
	dir, err := os.MkdirTemp("", "ordinary-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	must(t, err)
	program, err := os.ReadFile(self)
	must(t, err)
	binary := filepath.Join(dir, "test")
	must(t, errors.Join(os.WriteFile(binary, program, 0o755), os.Chmod(binary, 0o755), os.Chmod(dir, 0o777)))
	cmd := exec.CommandContext(t.Context(), binary, "-test.run=^(TestUnreadable|TestOddFiles)$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "HOME=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: ") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestUnreadable takes the right to read from what is live: the generation stays, and one line says what cannot be read and
// what to do.
func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	env, _ := testEnv(t)
	dir := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""), "agents/b.md", agentFile("b", ""), "swarmrun.yaml", "version: 1\n",
		".claude/settings.json", "{}\n", ".gemini/settings.json", "{}\n", "skills/s/SKILL.md", "---\nname: s\ndescription: A skill.\n---\nDo.\n")
	live := open(t, dir, &Options{Env: env, Environ: []string{}})
	defer live.Close()
	told := watched(t, live)
	for _, name := range []string{"agents/a.md", "swarmrun.yaml", ".claude/settings.json", ".gemini/settings.json", "skills/s/SKILL.md", "agents", "skills/s"} {
		path, what := filepath.Join(dir, filepath.FromSlash(name)), "file"
		info, err := os.Stat(path)
		must(t, err)
		if info.IsDir() {
			what = "folder"
		}
		must(t, os.Chmod(path, 0))
		select {
		case c := <-told:
			if !c.Rejected || c.Published || c.Generation != 1 {
				t.Errorf("%s: %+v", name, c)
			}
			if diff := cmp.Diff([]string{"E-FILE-READ", "W-STALE"}, codes(c.Diagnostics)); diff != "" {
				t.Errorf("%s: codes (-want +got):\n%s", name, diff)
			}
			for _, d := range c.Diagnostics {
				if d.Code == "E-FILE-READ" && (d.Range.File != name || d.Summary != "the "+what+" cannot be read: permission denied" || !strings.Contains(d.Suggestion, "chmod")) {
					t.Errorf("%s: %s: %s; %s", name, d.Range.File, d.Summary, d.Suggestion)
				}
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s: nothing was told", name)
		}
		if n, agents := served(t, live); n != 1 || !cmp.Equal(agents, []string{"a", "b"}) {
			t.Errorf("%s: generation %d with %v is served", name, n, agents)
		}
		must(t, os.Chmod(path, info.Mode().Perm()))
		select {
		case c := <-told:
			if c.Rejected || c.Published || c.Generation != 1 {
				t.Errorf("%s again: %+v", name, c)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s again: nothing was told", name)
		}
	}
}
