//go:build unix

package loader

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipes has named pipes where files are expected: nobody writes to them, and a load waits for nobody.
func TestPipes(t *testing.T) {
	for _, name := range []string{SettingsFile, "agents/a.md", "models/m.yaml", "skills/s/SKILL.md", "notes.txt"} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, t.TempDir(), "agents/b.md", agentFile("b", "")+"@../notes.txt\n", "models/x.yaml", "rules: []\n", "skills/s/x.md", "x")
			if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
				t.Skip(err)
			}
			env, _ := testEnv(t)
			if _, err := Check(t.Context(), dir, &Options{Env: env, Environ: []string{}}); err != nil {
				t.Fatal(err)
			}
		})
	}
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "settings.json"), 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := newSources(nil, false).dir(dir).Open("settings.json"); err == nil {
		t.Error("a pipe was opened")
	}
}
