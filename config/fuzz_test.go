package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/config/diag"
)

// seed adds all files of testdata that match.
func seed(f *testing.F, patterns ...string) {
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join("testdata", filepath.FromSlash(p)))
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds at %s: %v", p, err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
}

// insideFile holds that every finding points into the file.
func insideFile(t *testing.T, src []byte, ds diag.List) {
	t.Helper()
	text := strings.TrimPrefix(strings.ToValidUTF8(string(src), "?"), "\ufeff")
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	for _, d := range ds {
		for _, p := range []diag.Pos{d.Range.Start, d.Range.End} {
			if p.Line < 1 || int(p.Line) > len(lines) || p.Column < 1 || int(p.Column) > utf8.RuneCountInString(lines[p.Line-1])+1 {
				t.Fatalf("%s is at %d:%d, outside of the file", d.Code, p.Line, p.Column)
			}
		}
	}
}

// FuzzReadAgent looks for panics, places outside of the file, broken files without error, and repairs that fmt loses.
func FuzzReadAgent(f *testing.F) {
	seed(f, "formats/agents/*.md", "invalid/agent/*.md", "invalid/claude/*.md", "valid/agent/*.md", "valid/claude/*.md")
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, o := range []Origin{Workspace, FromClaude} {
			a, def, ds := ReadAgent(src, "x.md", o)
			insideFile(t, src, ds)
			if a == nil && def.Status.Usable() || a != nil && a.Status != def.Status || ds.HasErrors() != (def.Status == Broken) {
				t.Fatalf("agent %v, status %s, findings %v", a, def.Status, ds)
			}
			if a != nil {
				Includes(a.Prompt)
			}
		}
		out, changed, _ := Format(src, "x.md")
		if again, more, _ := Format(out, "x.md"); more || !bytes.Equal(out, again) || changed == bytes.Equal(out, src) {
			t.Fatalf("fmt gives %q (changed %v), then %q", out, changed, again)
		}
	})
}

// FuzzReadTool does the same for custom tools.
func FuzzReadTool(f *testing.F) {
	seed(f, "invalid/tool/*.md", "valid/tool/*.md")
	f.Fuzz(func(t *testing.T, src []byte) {
		tool, def, ds := ReadTool(src, "x.md", Workspace)
		insideFile(t, src, ds)
		if ds.HasErrors() != (def.Status == Broken) || tool == nil && def.Status.Usable() ||
			tool != nil && (tool.Status != def.Status || def.Status.Usable() && tool.Run.V == "" && tool.Interpreter == "" && !tool.Run.Set()) {
			t.Fatalf("tool %+v, status %s, findings %v", tool, def.Status, ds)
		}
	})
}

// FuzzYAML does the same for rule files and settings.
func FuzzYAML(f *testing.F) {
	seed(f, "invalid/model/*.yaml", "valid/model/*.yaml", "invalid/settings/*.yaml", "valid/settings/*.yaml")
	f.Fuzz(func(t *testing.T, src []byte) {
		s, def, ds := ReadScript(src, "x.yaml", []string{"A=b"})
		insideFile(t, src, ds)
		if (def.Status == Broken) != ds.HasErrors() || s == nil && def.Status != Broken || s != nil && s.Status != def.Status {
			t.Fatalf("script %v, status %s, findings %v", s, def.Status, ds)
		}
		settings, ds := ReadSettings(Layers{
			User: Source{"x.yaml", src}, Workspace: Source{"x.yaml", src}, Env: []string{"A=b", "SWARMRUN_RETRY__ATTEMPTS=3"},
		})
		insideFile(t, src, ds)
		if settings == nil || len(settings.Origins) == 0 {
			t.Fatal("no settings")
		}
	})
}

// FuzzReadJob does the same for jobs.
func FuzzReadJob(f *testing.F) {
	seed(f, "invalid/job/*.yaml", "valid/job/*.yaml")
	f.Fuzz(func(t *testing.T, src []byte) {
		j, def, ds := ReadJob(src, "x.yaml", []string{"A=b"})
		insideFile(t, src, ds)
		if (def.Status == Broken) != ds.HasErrors() || j == nil && def.Status != Broken || j != nil && j.Status != def.Status {
			t.Fatalf("job %v, status %s, findings %v", j, def.Status, ds)
		}
	})
}

// FuzzReadSkill looks for panics, places outside of the file, and broken files without error.
func FuzzReadSkill(f *testing.F) {
	seed(f, "formats/skills/*/SKILL.md", "invalid/skill/*.md", "valid/skill/*.md", "invalid/command/*.md", "valid/command/*.md")
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, o := range []Origin{Workspace, FromClaude} {
			s, def, ds := ReadSkill(src, "skills/x/SKILL.md", o)
			insideFile(t, src, ds)
			if ds.HasErrors() != (def.Status == Broken) || s == nil && def.Status != Broken || s != nil && (s.Status != def.Status || def.Status.Usable() && s.Name == "") {
				t.Fatalf("skill %v, status %s, findings %v", s, def.Status, ds)
			}
			c, def, ds := ReadCommand(src, "commands/x.md", o)
			insideFile(t, src, ds)
			if ds.HasErrors() != (def.Status == Broken) || c == nil && def.Status != Broken || c != nil && c.Status != def.Status {
				t.Fatalf("command %v, status %s, findings %v", c, def.Status, ds)
			}
		}
	})
}
