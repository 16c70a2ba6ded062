package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
)

// marker is what a file of testdata/invalid says about itself. At the end of a line it speaks of that line, alone in a line
// of the next one, with @N of line N; several stand side by side.
var marker = regexp.MustCompile(`# (ERROR|WARNING)\(([EWL]-[A-Z-]+)(?: @(\d+))?\): \S`)

// expected reads the markers of a file as "line code".
func expected(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for i, line := range strings.Split(text, "\n") {
		spoken := i + 1
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			spoken++
		}
		for _, m := range marker.FindAllStringSubmatch(line, -1) {
			at, word, code := spoken, m[1], m[2]
			if m[3] != "" {
				n, err := strconv.Atoi(m[3])
				if err != nil {
					t.Fatal(err)
				}
				at = n
			}
			if (word == "ERROR") != (code[0] == 'E') {
				t.Errorf("line %d calls %s an %s", i+1, code, word)
			}
			out = append(out, fmt.Sprintf("%d %s", at, code))
		}
	}
	sortByLine(out)
	return out
}

func sortByLine(lines []string) {
	number := func(s string) int {
		n, _ := strconv.Atoi(strings.Fields(s)[0])
		return n
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b)) })
}

// readTestFile reads a file as the kind that its folder names.
func readTestFile(t *testing.T, path string) (src []byte, ds diag.List, used bool) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(path)
	var def Definition
	read := true // something of it
	switch kind := filepath.Base(filepath.Dir(path)); kind {
	case "agent":
		var v *Agent
		v, def, ds = ReadAgent(src, name, Workspace)
		read = v != nil
	case "claude":
		var v *Agent
		v, def, ds = ReadAgent(src, name, FromClaude)
		read = v != nil || def.Status == Skipped
	case "tool":
		var v *Tool
		v, def, ds = ReadTool(src, name, Workspace)
		read = v != nil
	case "command":
		var v *Skill
		v, def, ds = ReadCommand(src, name, FromClaude)
		read = v != nil
	case "skill": // its folder is named like the file
		var v *Skill
		v, def, ds = ReadSkill(src, "skills/"+Stem(name)+"/SKILL.md", Workspace)
		read = v != nil
	case "hook":
		var v *Hook
		v, def, ds = ReadHook(src, name, Workspace)
		read = v != nil
	case "mcp":
		var v *MCP
		v, def, ds = ReadMCP(src, name, Workspace, nil)
		read = v != nil
	case "model":
		var v *Script
		v, def, ds = ReadScript(src, name, nil)
		read = v != nil
	case "job":
		var v *Job
		v, def, ds = ReadJob(src, name, nil)
		read = v != nil
	case "settings":
		_, ds = ReadSettings(Layers{Workspace: Source{name, src}})
		return src, ds, !ds.HasErrors()
	default:
		t.Fatalf("no kind %q", kind)
	}
	checkDefinition(t, def, ds, read)
	return src, ds, def.Status.Usable() || read && def.Status == Skipped
}

// checkDefinition holds what is true of every file, whatever became of it.
func checkDefinition(t *testing.T, def Definition, ds diag.List, read bool) {
	t.Helper()
	if def.Name == "" && def.Status != Broken || def.File == "" || def.Kind == "" || def.At.IsZero() {
		t.Errorf("definition %+v has a hole", def)
	}
	if broken := def.Status == Broken; broken != ds.HasErrors() || !broken && !read {
		t.Errorf("status %s with findings %v, something was read: %v", def.Status, ds, read)
	}
}

func TestInvalid(t *testing.T) {
	files := glob(t, filepath.Join("testdata", "invalid", "*", "*"))
	if len(files) < 40 {
		t.Errorf("only %d files", len(files))
	}
	for _, path := range files {
		t.Run(filepath.ToSlash(strings.TrimPrefix(path, "testdata/invalid/")), func(t *testing.T) {
			src, ds, _ := readTestFile(t, path)
			want := expected(t, string(src))
			if len(want) == 0 {
				t.Fatal("the file has no marker")
			}
			var got []string
			for _, d := range ds {
				if d.Severity == diag.Info {
					continue
				}
				got = append(got, fmt.Sprintf("%d %s", d.Range.Start.Line, d.Code))
				if d.Suggestion == "" && d.Fix == nil {
					t.Errorf("%s %s offers no way out: %s", d.Range, d.Code, d.Summary)
				}
				if d.Range.Start.Column < 1 || d.Range.End.Compare(d.Range.Start) < 0 {
					t.Errorf("%s %s has the range %+v", d.Range, d.Code, d.Range)
				}
			}
			sortByLine(got)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("findings by line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestValid(t *testing.T) {
	for _, path := range glob(t, filepath.Join("testdata", "valid", "*", "*")) {
		t.Run(filepath.ToSlash(strings.TrimPrefix(path, "testdata/valid/")), func(t *testing.T) {
			_, ds, used := readTestFile(t, path)
			if !used {
				t.Error("the file is not used")
			}
			for _, d := range ds {
				if d.Severity != diag.Info {
					t.Errorf("%s %s: %s", d.Range, d.Code, d.Summary)
				}
			}
		})
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files at %s: %v", pattern, err)
	}
	return files
}
