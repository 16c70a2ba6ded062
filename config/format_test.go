package config

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ name, file, src, want string }{
		{"valid stays as it is", "a.md", "---\nname:   a   # c\ntools: [ x ]\n---\nBody", "---\nname:   a   # c\ntools: [ x ]\n---\nBody"},
		{"quotes", "a.md", "---\nname: a\ndescription: b: c\n---\nBody: x\n", "---\nname: a\ndescription: \"b: c\"\n---\nBody: x\n"},
		{"mark and CRLF stay", "a.md", "\ufeff---\r\ndescription: b: c\r\nname: a\r\n---\r\nB\r\n", "\ufeff---\r\ndescription: \"b: c\"\r\nname: a\r\n---\r\nB\r\n"},
		{"CR stays", "a.md", "---\rdescription: b: c\r---\rB\r", "---\rdescription: \"b: c\"\r---\rB\r"},
		{"mixed line ends stay", "a.md", "---\ndescription: b: c\r\nname: a\n---\r\nB\r", "---\ndescription: \"b: c\"\r\nname: a\n---\r\nB\r"},
		{"folds", "a.md", "---\ndescription: b:\r\n\r\nc\r\n\r\nname: x: y\n---\nB", "---\ndescription: \"b:\\n\\nc\"\r\n\r\nname: \"x: y\"\n---\nB"},
		{"fence at the end", "a.md", "---\ndescription: b: c\n---", "---\ndescription: \"b: c\"\n---"},
		{"broken stays", "a.md", "---\nname: a\nname: b\n---\n", "---\nname: a\nname: b\n---\n"},
		{"documentation stays", "a.md", "# T: x\n", "# T: x\n"},
		{"YAML stays", "a.yaml", "name: b: c\n", "name: b: c\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, changed, _ := Format([]byte(c.src), c.file)
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if changed != (c.src != c.want) {
				t.Errorf("changed %v", changed)
			}
			if again, changed, _ := Format(got, c.file); changed || !bytes.Equal(again, got) {
				t.Errorf("formatting it again gives %q", again)
			}
		})
	}
}

// TestFormatOfFixtures has every agent fixture: what fmt writes loads without a repair, and as the same agent.
func TestFormatOfFixtures(t *testing.T) {
	repaired := 0
	for _, path := range glob(t, filepath.Join("testdata", "formats", "agents", "*.md")) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out, changed, _ := Format(src, path)
		before, was, _ := ReadAgent(src, path, FromClaude)
		after, is, _ := ReadAgent(out, path, FromClaude)
		if changed {
			repaired++
		}
		if changed != (was.Status == Repaired) || is.Status == Repaired {
			t.Errorf("%s: %s before, %s after, changed %v", path, was.Status, is.Status, changed)
		}
		if before != nil && (after.Summary.V != before.Summary.V || after.Prompt != before.Prompt || after.Name != before.Name) {
			t.Errorf("%s: another agent: %+v, was %+v", path, after, before)
		}
	}
	if repaired != 5 {
		t.Errorf("%d fixtures were repaired, want 5", repaired)
	}
}
