package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A fenced block of a page is executed by its language:
//
//   - console: each line that starts with "$ " is a command; what follows must be its output (stdout and stderr). "…" stands
//     for any text in a line, a line that is only "…" for any lines. "$ cmd  # exit N" expects exit code N, else 0.
//   - markdown, yaml, json with <!-- file: PATH --> on the line above: written to the page's scratch folder. json must parse.
//   - go with <!-- program --> above: must compile inside this module.
//   - text, mermaid: prose in a fixed pitch.
//
// Any other block fails the test, unless <!-- not run: REASON --> stands above it. The commands of one page share a scratch
// folder, which begins as a copy of examples/, and find the program as swarmrun.
type block struct {
	line       int
	lang, text string
	note       string // the HTML comment on the line above
}

var noteLine = regexp.MustCompile(`^<!-- (.*) -->$`)

func blocks(page string) []block {
	var out []block
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		fence := strings.TrimRight(lines[i], " ")
		ticks := len(fence) - len(strings.TrimLeft(fence, "`"))
		if ticks < 3 {
			continue
		}
		b := block{line: i + 1, lang: fence[ticks:]}
		if i > 0 {
			if m := noteLine.FindStringSubmatch(lines[i-1]); m != nil {
				b.note = m[1]
			}
		}
		var body []string
		for i++; i < len(lines) && strings.TrimRight(lines[i], " ") != fence[:ticks]; i++ {
			body = append(body, lines[i])
		}
		b.text = strings.Join(body, "\n") + "\n"
		out = append(out, b)
	}
	return out
}

func TestDocs(t *testing.T) {
	root := repositoryRoot(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "examples", "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
	bin := buildProgram(t)
	for _, page := range pages {
		name, _ := filepath.Rel(root, page)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			p := newPage(t, root, bin)
			for _, b := range blocks(string(text)) {
				if err := p.execute(b); err != nil {
					t.Errorf("%s:%d: %v", name, b.line, err)
				}
			}
		})
	}
}

// docPage is the scratch folder that the blocks of one page share.
type docPage struct {
	t              *testing.T
	root, dir, bin string
}

func newPage(t *testing.T, root, bin string) *docPage {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	// What the reader's own runs of the examples left is no part of the page.
	for _, left := range []string{"*/.swarmrun", "review/review.md", "hooks/book", "skills/RELEASE.md"} {
		paths, err := filepath.Glob(filepath.Join(dir, "examples", left))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			if err := os.RemoveAll(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &docPage{t: t, root: root, dir: dir, bin: bin}
}

func (p *docPage) execute(b block) error {
	if strings.HasPrefix(b.note, "not run: ") {
		return nil
	}
	if file, ok := strings.CutPrefix(b.note, "file: "); ok {
		path := filepath.Join(p.dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(b.text), 0o644)
	}
	switch b.lang {
	case "console":
		return p.console(b.text)
	case "json":
		if !json.Valid([]byte(b.text)) {
			return fmt.Errorf("not valid JSON")
		}
		return nil
	case "go":
		return p.compile(b)
	case "text", "mermaid":
		return nil
	}
	return fmt.Errorf("a %q block that no rule executes: give it a file, or say why it is not run", b.lang)
}

var exitNote = regexp.MustCompile(`\s+# exit (\d+)$`)

func (p *docPage) console(text string) error {
	for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		code := "0"
		if m := exitNote.FindStringSubmatch(command); m != nil {
			code, command = m[1], strings.TrimSuffix(command, m[0])
		}
		got, exit := p.shell(command)
		if fmt.Sprint(exit) != code {
			return fmt.Errorf("$ %s\nexit %d, want %s\n%s", command, exit, code, got)
		}
		if strings.TrimSpace(want) != "" && !matchOutput(want, got) {
			return fmt.Errorf("$ %s\n--- got\n%s--- want\n%s", command, got, want)
		}
	}
	return nil
}

func (p *docPage) shell(command string) (output string, exit int) {
	command = strings.ReplaceAll(command, "go run ./cmd/swarmrun", "swarmrun") // the same program, built once
	cmd := exec.CommandContext(p.t.Context(), "sh", "-c", command)
	cmd.Dir = p.dir
	cmd.Env = append(cleanEnviron(), "PATH="+filepath.Dir(p.bin)+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+p.dir, "TERM=dumb")
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		return err.Error(), -1
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (p *docPage) compile(b block) error {
	dir, err := os.MkdirTemp(filepath.Join(p.root, "cmd", "swarmrun", "testdata"), "doc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(b.text), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(p.t.Context(), "go", "vet", "./"+filepath.Base(dir))
	cmd.Dir = filepath.Dir(dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("does not compile: %w\n%s", err, out)
	}
	return nil
}

// matchOutput compares line by line. "…" in a line of want stands for any text, a line that is only "…" for any lines.
func matchOutput(want, got string) bool {
	var re strings.Builder
	re.WriteString(`^`)
	for line := range strings.Lines(strings.TrimRight(want, "\n") + "\n") {
		if strings.TrimSpace(line) == "…" {
			re.WriteString(`(?s:.*)`)
			continue
		}
		re.WriteString(strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, "\n ")), "…", ".*") + `[ \t]*\n`)
	}
	re.WriteString(`$`)
	return regexp.MustCompile(re.String()).MatchString(strings.TrimRight(got, "\n") + "\n")
}

func TestMatchOutput(t *testing.T) {
	tests := []struct {
		want, got string
		match     bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb\n", "a\nc\n", false},
		{"a … c\n", "a bb c\n", true},
		{"a\n…\nz\n", "a\nm\nn\nz\n", true},
		{"a\n", "a\nb\n", false},
		{"a.c\n", "abc\n", false},
	}
	for _, tt := range tests {
		if got := matchOutput(tt.want, tt.got); got != tt.match {
			t.Errorf("matchOutput(%q, %q) = %v, want %v", tt.want, tt.got, got, tt.match)
		}
	}
}

func TestBlocks(t *testing.T) {
	page := "x\n<!-- file: a.md -->\n````markdown\n---\n```sh\n```\n````\n```json\n{}\n```\n"
	got := blocks(page)
	if len(got) != 2 || got[0].note != "file: a.md" || got[0].text != "---\n```sh\n```\n" || got[1].lang != "json" || got[1].line != 8 {
		t.Errorf("blocks = %+v", got)
	}
}

// cleanEnviron is the environment without anything that would change what the program does.
func cleanEnviron() []string {
	var out []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name == "HOME" || name == "PATH" || name == "NO_COLOR" || name == "TERM" || strings.HasSuffix(name, "_API_KEY") || strings.HasPrefix(name, "SWARMRUN_") {
			continue
		}
		out = append(out, v)
	}
	return out
}

// repositoryRoot is the folder of go.mod.
func repositoryRoot(t *testing.T) string {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(string(bytes.TrimSpace(out)))
}

// buildProgram builds the program as users run it, without the race detector.
func buildProgram(t *testing.T) string {
	bin := filepath.Join(t.TempDir(), "swarmrun")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}
