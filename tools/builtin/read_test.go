package builtin

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools"
)

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	b := newBench(t)
	b.write("one", "hello\n")
	b.write("open", "a\nb")
	b.write("crlf", "a\r\nb\r\n")
	b.write("empty", "")
	b.write("blank", "\n")
	b.write("latin", "caf\xe9\n")
	b.write("svg.svg", "<svg/>\n")
	b.write("bm.txt", "BM is no picture\n")
	tests := []struct {
		name  string
		input in
		want  string
	}{
		{"one line", in{"file_path": "one"}, "     1→hello\n"},
		{"absolute", in{"file_path": b.path("one")}, "     1→hello\n"},
		{"no final newline", in{"file_path": "open"}, "     1→a\n     2→b\n"},
		{"crlf", in{"file_path": "crlf"}, "     1→a\n     2→b\n"},
		{"empty", in{"file_path": "empty"}, b.path("empty") + " is empty."},
		{"blank line", in{"file_path": "blank"}, "     1→\n"},
		{"window, no note", in{"file_path": "open", "offset": 1, "limit": 1}, "     1→a\n"},
		{"offset", in{"file_path": "open", "offset": 2}, "     2→b\n"},
		{"svg is text", in{"file_path": "svg.svg"}, "     1→<svg/>\n"},
		{"text that looks like a bitmap", in{"file_path": "bm.txt"}, "     1→BM is no picture\n"},
		{"bad UTF-8", in{"file_path": "latin"}, "     1→caf\uFFFD\n\n[not all of it is valid UTF-8: bad bytes are shown as \uFFFD, and Edit will refuse the file]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, b.of(t).ok("Read", tt.input)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	b := newBench(t)
	b.write("f", "a\nb\n")
	b.write("d/x", "")
	b.write("binary", "ELF\x00\x01")
	b.write("fake.png", "\x00\x01\x02")
	b.write("doc.pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	b.write("wide.txt", "\xff\xfeh\x00i\x00")
	b.write("broken.docx", "PK\x03\x04 and no more")
	if err := exec.CommandContext(t.Context(), "mkfifo", b.path("pipe")).Run(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, want string
		input      in
	}{
		{"blank", "is empty", in{"file_path": " "}},
		{"missing", "does not exist", in{"file_path": "nope"}},
		{"missing folder", "does not exist", in{"file_path": "no/such/file"}},
		{"below a file", "not a directory", in{"file_path": "f/x"}},
		{"folder", "Glob lists", in{"file_path": "d"}},
		{"working directory", "Glob lists", in{"file_path": "."}},
		{"pipe", "no regular file", in{"file_path": "pipe"}},
		{"device", "no regular file", in{"file_path": "/dev/zero"}},
		{"offset 0", "from 1", in{"file_path": "f", "offset": 0}},
		{"negative offset", "from 1", in{"file_path": "f", "offset": -3}},
		{"limit 0", "at least 1", in{"file_path": "f", "limit": 0}},
		{"past the end", "the file has 2 lines", in{"file_path": "f", "offset": 3}},
		{"binary", "binary file of 5 bytes", in{"file_path": "binary"}},
		{"no image", "binary", in{"file_path": "fake.png"}},
		{"pdf", "pdftotext", in{"file_path": "doc.pdf"}},
		{"UTF-16", "iconv", in{"file_path": "wide.txt"}},
		{"broken docx", "not a whole .docx", in{"file_path": "broken.docx"}},
		{"NUL", "NUL character", in{"file_path": "a\x00b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b.of(t).refused(tt.want, "Read", tt.input)
		})
	}
}

func TestReadBounds(t *testing.T) {
	b := newBench(t)
	b.write("long", numbered(1, 2500))
	b.write("wide", strings.Repeat("x", 5000)+"\nnext\n")
	b.write("umlauts", strings.Repeat("ä", 2001)+"\n")
	b.write("heavy", strings.Repeat(strings.Repeat("y", 1999)+"\n", 100))

	t.Run("2,000 lines", func(t *testing.T) {
		got := b.of(t).ok("Read", in{"file_path": "long"})
		if !strings.HasSuffix(got, "  2000→line 2000\n\n[lines 1 to 2000 of 2500 lines; continue with offset 2001]\n") {
			t.Errorf("ends %q", got[len(got)-120:])
		}
		rest := b.of(t).ok("Read", in{"file_path": "long", "offset": 2001})
		if lines := strings.Count(rest, "\n"); lines != 500 || !strings.HasPrefix(rest, "  2001→line 2001\n") {
			t.Errorf("the rest has %d lines and begins %.40q", lines, rest)
		}
	})
	t.Run("2,000 characters", func(t *testing.T) {
		want := "     1→" + strings.Repeat("x", 2000) + "… [3000 bytes more]\n     2→next\n"
		if diff := cmp.Diff(want, b.of(t).ok("Read", in{"file_path": "wide"})); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("longer than any buffer", func(t *testing.T) {
		b.write("huge", strings.Repeat("z", 40_000)+"\r\nnext\r\n")
		want := "     1→" + strings.Repeat("z", 2000) + "… [38002 bytes more]\n     2→next\n"
		if diff := cmp.Diff(want, b.of(t).ok("Read", in{"file_path": "huge"})); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("characters, not bytes", func(t *testing.T) {
		want := "     1→" + strings.Repeat("ä", 2000) + "… [2 bytes more]\n"
		if diff := cmp.Diff(want, b.of(t).ok("Read", in{"file_path": "umlauts"})); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("25,000 tokens, also with a limit", func(t *testing.T) {
		got := b.of(t).ok("Read", in{"file_path": "heavy", "limit": 90})
		if n := tokens(got); n > maxReadTokens*1.05 || n < maxReadTokens*0.9 {
			t.Errorf("%.0f tokens", n)
		}
		if !strings.Contains(got, "of 100 lines; continue with offset ") {
			t.Errorf("no way on: %q", got[len(got)-100:])
		}
	})
}

func TestReadImage(t *testing.T) {
	b := newBench(t)
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	tiff := "II*\x00\x08\x00\x00\x00"
	b.write("a.png", png)
	b.write("no-extension", png)
	b.write("b.tif", tiff)
	tests := []struct {
		file string
		want tools.Blob
	}{
		{"a.png", tools.Blob{MediaType: "image/png", Data: []byte(png)}},
		{"no-extension", tools.Blob{MediaType: "image/png", Data: []byte(png)}},
		{"b.tif", tools.Blob{MediaType: "image/tiff", Data: []byte(tiff)}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			if diff := cmp.Diff([]tools.Blob{tt.want}, b.run("Read", in{"file_path": tt.file}).Blobs); diff != "" {
				t.Error(diff)
			}
		})
	}
	b.write("big.png", png+strings.Repeat("\x00", maxImage))
	b.refused("more than 5 MiB", "Read", in{"file_path": "big.png"})
}

func TestReadDocument(t *testing.T) {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	w, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.write("a.docx", buf.String())
	if got, want := b.ok("Read", in{"file_path": "a.docx"}), "     1→Hello\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadTellsWhatWasSeen(t *testing.T) {
	b := newBench(t)
	b.write("f", "x")
	res := b.run("Read", in{"file_path": "f"})
	if res.ReadPath != b.path("f") || res.ReadDigest != "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" {
		t.Errorf("path %q, digest %q", res.ReadPath, res.ReadDigest)
	}
}

func TestReadLinks(t *testing.T) {
	b := newBench(t)
	outside := t.TempDir()
	if err := os.WriteFile(outside+"/secret", []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.write("real/f", "inside\n")
	b.link("real/f", "short")
	b.link("real", "folder")
	b.link(outside+"/secret", "leak")
	b.link(outside, "leaks")
	b.link("nowhere", "dangling")
	b.link("loop", "loop")

	for _, path := range []string{"short", "folder/f", "folder/../real/f"} {
		if got := b.ok("Read", in{"file_path": path}); got != "     1→inside\n" {
			t.Errorf("%s: %q", path, got)
		}
	}
	b.refused("leads out of", "Read", in{"file_path": "leak"})
	b.refused("leads out of", "Read", in{"file_path": "leaks/secret"})
	b.refused("leads nowhere", "Read", in{"file_path": "dangling"})
	b.refused("", "Read", in{"file_path": "loop"})

	// A path outside that the rules let through is read by its own name, and by links outside.
	if got := b.ok("Read", in{"file_path": outside + "/secret"}); got != "     1→s3cret\n" {
		t.Errorf("outside: %q", got)
	}
	b.call.Roots.Dirs = []string{outside}
	if got := b.ok("Read", in{"file_path": "leak"}); got != "     1→s3cret\n" {
		t.Errorf("from one folder of the run into another: %q", got)
	}
	b.call.Readable = func(path string) bool { return path != b.path("real/f") }
	b.refused("the rules keep", "Read", in{"file_path": "short"})
}

// TestFoldersThatChange has folders of the run come into being, and lead elsewhere, after the rules looked at them.
func TestFoldersThatChange(t *testing.T) {
	b := newBench(t)
	b.write("one/f", "1")
	b.write("two/f", "2")
	b.link("one", "current")
	b.call.Roots.Dirs = []string{b.path("late"), b.path("current")}
	b.call.Ground = tools.NewGround(b.call.Roots)
	b.ok("Write", in{"file_path": "late/f", "content": "new"})
	if got := b.content("late/f"); got != "new" {
		t.Errorf("a folder of the run that was not there yet: %q", got)
	}
	if err := os.Remove(b.path("current")); err != nil {
		t.Fatal(err)
	}
	b.link("two", "current")
	if got := b.ok("Read", in{"file_path": "current/f"}); got != "     1→2\n" {
		t.Errorf("a folder of the run that is another one now: %q", got)
	}
}

// TestLinksAfterTheRules has the rules decide on a file, and a folder on the way become a link before it is read.
func TestLinksAfterTheRules(t *testing.T) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("two spellings may be one file here")
	}
	outside := t.TempDir()
	if err := os.WriteFile(outside+"/f", []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.write("d/f", "mine")
	b.link("d", "l")
	read := func(name string, between func()) (direct bool, said string) {
		call := b.call
		call.Tool, call.Input = "Read", json.RawMessage(fmt.Sprintf(`{"file_path":%q}`, b.path(name)))
		(&tools.Rules{}).Decide(b.tools["Read"], &call, nil)
		between()
		res, err := b.tools["Read"].Call(t.Context(), &call)
		if err != nil {
			t.Fatal(err)
		}
		return call.Direct(b.path(name)), res.Content
	}
	if direct, said := read("d/f", func() {}); !direct || said != "     1→mine\n" {
		t.Errorf("without a link: %v, %q", direct, said)
	}
	if direct, said := read("l/f", func() {}); direct || said != "     1→mine\n" {
		t.Errorf("by a link: %v, %q", direct, said)
	}
	direct, said := read("d/f", func() {
		if err := os.Rename(b.path("d"), b.path("moved")); err != nil {
			t.Fatal(err)
		}
		b.link(outside, "d")
	})
	if !direct || !strings.Contains(said, "leads out of") {
		t.Errorf("by a link that came after the rules: %v, %q", direct, said)
	}
}

// TestPinHolds exchanges what was pinned for links to the outside and for links to another file inside.
func TestPinHolds(t *testing.T) {
	outside := t.TempDir()
	for _, target := range []string{outside, "other"} {
		b := newBench(t)
		b.write("d/f", "mine")
		b.write("other/f", "not asked for")
		if err := os.WriteFile(outside+"/f", []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := pin(b.path("d/f"), &b.call)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if err := os.Rename(b.path("d"), b.path("moved")); err != nil {
			t.Fatal(err)
		}
		b.link(target, "d")
		if got, err := p.read(100); err != nil || string(got) != "mine" {
			t.Errorf("read %q, %v through a folder exchanged for a link to %s", got, err, target)
		}
		if err := p.replace([]byte("new")); err != nil {
			t.Fatal(err)
		}
		if got := b.content("moved/f"); got != "new" {
			t.Errorf("the write went elsewhere: %q", got)
		}
		if err := os.Remove(b.path("moved/f")); err != nil {
			t.Fatal(err)
		}
		b.link(outside+"/f", "moved/f")
		if _, err := p.read(100); err == nil {
			t.Error("read through a file exchanged for a link")
		}
		if err := p.replace([]byte("overwritten")); err == nil {
			t.Error("wrote over a file exchanged for a link")
		}
		if got := b.content(outside + "/f"); got != "secret" {
			t.Errorf("the file outside is now %q", got)
		}
	}
}

func TestDescendFollowsNoLink(t *testing.T) {
	b := newBench(t)
	b.write("real/f", "")
	b.link("real", "link")
	if d, err := descend(b.call.Roots.Dir, []string{"link"}); err == nil {
		d.Close()
		t.Error("entered a folder through a link")
	}
}
