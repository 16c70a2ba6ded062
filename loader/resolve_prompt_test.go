package loader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/config"
)

// TestIncludesStayInside: what a prompt brings in lies in the workspace, is text of bounded size, and ends somewhere.
func TestIncludesStayInside(t *testing.T) {
	outside := write(t, t.TempDir(), "secret.md", "secret")
	for _, tt := range []struct{ name, line, want string }{
		{"absolute", "@" + filepath.Join(outside, "secret.md"), "not relative"},
		{"home", "@~/secret.md", "not relative"},
		{"upwards", "@../../" + filepath.Base(outside) + "/secret.md", "outside the workspace"},
		{"a link that leads out", "@link.md", "outside the workspace"},
		{"a folder", "@./sub", "not a regular file"},
		{"too deep", "@d1.md", "more than 4 files deep"},
		{"itself", "@a.md", "includes itself"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parent := filepath.Dir(outside)
			dir, err := os.MkdirTemp(parent, "ws")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			write(t, dir, "agents/a.md", agentFile("a", "model: openai/gpt-5\n")+tt.line+"\n", "agents/sub/x.md", "",
				"agents/d1.md", "@d2.md\n", "agents/d2.md", "@d3.md\n", "agents/d3.md", "@d4.md\n", "agents/d4.md", "@d5.md\n", "agents/d5.md", "end\n")
			link(t, filepath.Join(outside, "secret.md"), filepath.Join(dir, "agents", "link.md"))
			r := check(t, dir, &Options{})
			d, ok := r.Show(config.KindAgent, "a")
			if !ok {
				t.Fatal("the agent is gone")
			}
			if strings.Contains(d.Prompt, "secret\n") && !strings.Contains(d.Prompt, tt.line) {
				t.Errorf("the prompt holds %q", d.Prompt)
			}
			if got := diagnostics(r.Diagnostics); !strings.Contains(got, "E-INCLUDE") || !strings.Contains(got, tt.want) {
				t.Errorf("want %q in: %s", tt.want, got)
			}
		})
	}
}
