//go:build unix

package main

import (
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var pictures = flag.Bool("pictures", false, "draw the pictures of docs anew")

// TestPictures draws docs/chat.svg and docs/reload.svg of real screens, when that is asked for: what it would compare is
// compared by the other tests of tmux.
func TestPictures(t *testing.T) {
	if !*pictures {
		t.Skip("pictures are drawn with -pictures")
	}
	root, bin := repositoryRoot(t), buildProgram(t)
	dir := filepath.Join(t.TempDir(), "review")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "review"))); err != nil {
		t.Fatal(err)
	}
	_ = os.RemoveAll(filepath.Join(dir, ".swarmrun"))
	_ = os.Remove(filepath.Join(dir, "review.md"))
	m := openTmux(t, 96, 26, dir, bin+" chat reviewer", "NO_COLOR=")
	vet := exec.CommandContext(t.Context(), "go", "-C", "shop", "vet", "./...") // so that nobody waits for the compiler
	vet.Dir, vet.Env = dir, m.env
	if out, err := vet.CombinedOutput(); err != nil {
		t.Logf("%v\n%s", err, out)
	}
	picture := func() string { return m.must("capture-pane", "-e", "-p", "-t", "main") }
	m.see("generation 1")
	m.line("Review change.diff.")
	m.see("turns ·")
	first := picture()
	writePicture(t, filepath.Join(root, "docs", "chat.svg"), first)
	m.beside("sed -i 's/^tools: .*/tools: [Raed, Grep]/' agents/reviewer.md")
	m.see("still on generation")
	broken := picture()
	m.beside("sed -i 's/Raed, Grep/Read, Grep, Write/' agents/reviewer.md")
	m.see("generation 2")
	mended := picture()
	writePicture(t, filepath.Join(root, "docs", "reload.svg"), first, broken, mended)
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// look is how text stands in a picture.
type look struct {
	color              string
	bold, faint, under bool
}

// writePicture draws screens as SVG, three seconds each.
func writePicture(t *testing.T, file string, screens ...string) {
	t.Helper()
	const width, lineHeight = 810, 19 // of 96 cells
	lines := strings.Split(strings.TrimRight(screens[0], "\n"), "\n")
	w, h := width+32, len(lines)*lineHeight+52
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#161b22"/><circle cx="20" cy="18" r="5" fill="#ff5f57"/><circle cx="38" cy="18" r="5" fill="#febc2e"/><circle cx="56" cy="18" r="5" fill="#28c840"/>`+"\n", w, h)
	for i, screen := range screens {
		b.WriteString("<g>")
		if n := len(screens); n > 1 {
			values := make([]string, n)
			for j := range values {
				values[j] = "none"
			}
			values[i] = "inline"
			fmt.Fprintf(&b, `<animate attributeName="display" values="%s" dur="%ds" calcMode="discrete" repeatCount="indefinite"/>`, strings.Join(values, ";"), 3*n)
		}
		now := look{color: "#e6edf3"}
		for y, line := range strings.Split(strings.TrimRight(screen, "\n"), "\n") {
			fmt.Fprintf(&b, `<text x="16" y="%d" xml:space="preserve">`, 48+y*lineHeight)
			at := 0
			for _, m := range sgr.FindAllStringSubmatchIndex(line, -1) {
				now.write(&b, line[at:m[0]])
				now.turn(line[m[2]:m[3]])
				at = m[1]
			}
			now.write(&b, line[at:])
			b.WriteString("</text>\n")
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (l *look) write(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, `<tspan fill="%s"`, l.color)
	if l.bold {
		b.WriteString(` font-weight="bold"`)
	}
	if l.faint {
		b.WriteString(` fill-opacity="0.6"`)
	}
	if l.under {
		b.WriteString(` text-decoration="underline"`)
	}
	fmt.Fprintf(b, `>%s</tspan>`, html.EscapeString(text))
}

func (l *look) turn(codes string) {
	colors := []string{"#484f58", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#e6edf3"}
	for code := range strings.SplitSeq(codes, ";") {
		switch n, _ := strconv.Atoi(code); {
		case n == 0:
			*l = look{color: "#e6edf3"}
		case n == 1:
			l.bold = true
		case n == 2:
			l.faint = true
		case n == 4:
			l.under = true
		case n == 22:
			l.bold, l.faint = false, false
		case n == 24:
			l.under = false
		case n == 39:
			l.color = "#e6edf3"
		case n >= 30 && n < 38:
			l.color = colors[n-30]
		}
	}
}
