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
	switch kind := filepath.Base(filepath.Dir(path)); kind {
	case "agent":
		a, def, ds := ReadAgent(src, name, Workspace)
		checkDefinition(t, def, ds, a != nil)
		return src, ds, a != nil
	case "claude":
		a, def, ds := ReadAgent(src, name, FromClaude)
		checkDefinition(t, def, ds, a != nil)
		return src, ds, a != nil || def.Status == Skipped
	case "tool":
		v, def, ds := ReadTool(src, name, Workspace)
		checkDefinition(t, def, ds, v != nil)
		return src, ds, v != nil
	case "command":
		v, def, ds := ReadCommand(src, name, FromClaude)
		checkDefinition(t, def, ds, v != nil)
		return src, ds, v != nil
	case "skill": // its folder is named like the file
		v, def, ds := ReadSkill(src, "skills/"+Stem(name)+"/SKILL.md", Workspace)
		checkDefinition(t, def, ds, v != nil)
		return src, ds, v != nil
	case "hook":
		h, def, ds := ReadHook(src, name, Workspace)
		checkDefinition(t, def, ds, h != nil)
		return src, ds, h != nil
	case "model":
		s, def, ds := ReadScript(src, name, nil)
		checkDefinition(t, def, ds, s != nil)
		return src, ds, s != nil
	case "job":
		j, def, ds := ReadJob(src, name, nil)
		used := j != nil && j.Status != Broken
		checkDefinition(t, def, ds, used)
		return src, ds, used
	case "settings":
		_, ds := ReadSettings(Layers{Workspace: Source{name, src}})
		return src, ds, !ds.HasErrors()
	default:
		t.Fatalf("no kind %q", kind)
		return nil, nil, false
	}
}

// checkDefinition holds what is true of every file, whatever became of it.
func checkDefinition(t *testing.T, def Definition, ds diag.List, used bool) {
	t.Helper()
	if def.Name == "" && def.Status != Broken || def.File == "" || def.Kind == "" || def.At.IsZero() {
		t.Errorf("definition %+v has a hole", def)
	}
	if broken := def.Status == Broken; broken != ds.HasErrors() || broken && used {
		t.Errorf("status %s with findings %v, used: %v", def.Status, ds, used)
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
