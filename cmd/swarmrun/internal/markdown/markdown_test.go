package markdown

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"charm.land/lipgloss/v2"
)

var update = flag.Bool("update", false, "write the golden files")

func safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return -1
	}, s)
}

func coloured() Styles {
	return Styles{
		Heading: lipgloss.NewStyle().Bold(true), Strong: lipgloss.NewStyle().Bold(true), Emphasis: lipgloss.NewStyle().Italic(true),
		Strike: lipgloss.NewStyle().Strikethrough(true), Code: lipgloss.NewStyle().Foreground(lipgloss.Color("6")),
		Link: lipgloss.NewStyle().Underline(true), Faint: lipgloss.NewStyle().Faint(true),
	}
}

// TestGolden draws each text of testdata in widths of 72 and 20, and with styles.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(file, ".md")
		for suffix, lines := range map[string][]string{
			"72": New(Styles{}, safe).Render(string(source), 72), "20": New(Styles{}, safe).Render(string(source), 20),
			"styled": New(coloured(), safe).Render(string(source), 72),
		} {
			got := strings.Join(lines, "\n") + "\n"
			golden := name + "." + suffix + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != got {
				t.Errorf("%s differs:\n%s", golden, got)
			}
		}
	}
}

// TestStreaming draws each text as it grows, whole blocks once: the end is what the whole text is.
func TestStreaming(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil {
		t.Fatal(err)
	}
	r := New(Styles{}, safe)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var done []string
		tail := ""
		for _, c := range string(source) {
			tail += string(c)
			if n := r.Settled(tail); n > 0 {
				if len(done) > 0 {
					done = append(done, "")
				}
				done = append(done, r.Render(tail[:n], 72)...)
				tail = tail[n:]
			}
		}
		if len(done) > 0 {
			done = append(done, "")
		}
		done = append(done, r.Render(tail, 72)...)
		if got, want := strings.Join(done, "\n"), strings.Join(r.Render(string(source), 72), "\n"); got != want {
			t.Errorf("%s: streamed\n%s\nwhole\n%s", file, got, want)
		}
	}
}

func FuzzRender(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.md")
	for _, file := range files {
		source, _ := os.ReadFile(file)
		f.Add(string(source), 20)
	}
	f.Add("&#27;[31m \x1b]0;x\a `\x1b[2J` [a](\x1b) <b\x1b> \\\x1b", 10)
	f.Add("| a | b |\n|---|---|\n| \u4e2d\u6587 | e\u0301 |", 7)
	r := New(Styles{}, safe)
	f.Fuzz(func(t *testing.T, source string, width int) {
		width = min(max(width, 4), 200)
		if n := r.Settled(source); n < 0 || n > len(source) {
			t.Fatalf("settled %d of %d bytes", n, len(source))
		}
		for _, line := range r.Render(source, width) {
			if strings.ContainsFunc(line, unicode.IsControl) {
				t.Fatalf("a control character is in %q", line)
			}
		}
	})
}
