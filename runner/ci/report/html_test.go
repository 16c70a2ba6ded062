package report

import (
	"bytes"
	"flag"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

var pages = flag.String("pages", "", "folder to write sample pages and their pictures to")

// chromium runs the browser on a file and returns what it prints.
func chromium(t *testing.T, args ...string) string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("there is no chromium")
	}
	if err != nil {
		t.Fatal(err)
	}
	base := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(), "--host-resolver-rules=MAP * ~NOTFOUND"}
	cmd := exec.CommandContext(t.Context(), browser, append(base, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	return string(out)
}

func write(t *testing.T, name string, page []byte) string {
	t.Helper()
	dir := t.TempDir()
	if *pages != "" {
		dir = *pages
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Ten thousand cases are a page that a browser has ready with a hundred of them drawn. How long that takes is told and not
// judged: -v shows it.
func TestHTMLOfTenThousand(t *testing.T) {
	r := sample(10_000, 7)
	c := Compare(sample(10_000, 8), r)
	var b bytes.Buffer
	began := time.Now()
	if err := HTML(&b, r, c); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB in %v", b.Len()>>20, time.Since(began))
	if b.Len() > 8<<20 {
		t.Errorf("the page has %d bytes: cases are not stored small", b.Len())
	}
	dom := chromium(t, "--dump-dom", "file://"+write(t, "ten-thousand.html", b.Bytes()))
	ready := regexp.MustCompile(`data-ready="(\d+)"`).FindStringSubmatch(dom)
	if ready == nil {
		t.Fatalf("the page is not ready: %.300s", dom)
	}
	t.Logf("ready after %s ms", ready[1])
	if n := strings.Count(dom, `<details class="case"`); n != 100 {
		t.Errorf("%d cases are drawn, want a page of 100", n)
	}
}

// A report of hostile texts, opened case by case: no element, script or style comes of them, and nothing is asked of the network.
func TestHTMLOfHostileTexts(t *testing.T) {
	r := hostile()
	var b bytes.Buffer
	if err := HTML(&b, r, Compare(sample(3, 1), r)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "owned'</script>") || strings.Contains(b.String(), "<img") {
		t.Error("a text is markup in the page as it is written")
	}
	id := url.PathEscape(r.Jobs[0].Cases[0].ID)
	dom := chromium(t, "--virtual-time-budget=8000", "--dump-dom", "file://"+write(t, "hostile.html", b.Bytes())+"#"+id)
	if !strings.Contains(dom, "data-ready=") || !strings.Contains(dom, `class="check no"`) || !strings.Contains(dom, "transcript, 1 entries") {
		t.Fatalf("the case was not opened: %.2000s", dom)
	}
	page, err := html.Parse(strings.NewReader(dom))
	if err != nil {
		t.Fatal(err)
	}
	scripts := 0
	for n := range page.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.Data == "title" && strings.HasPrefix(n.Data, "owned"):
			t.Error("a script of a text has run")
		case n.Type == html.TextNode && n.Parent.Data != "script" && strings.ContainsAny(n.Data, "\u202E\x1b\x00"):
			t.Errorf("control characters in <%s>: %q", n.Parent.Data, n.Data)
		case n.Type == html.ElementNode && n.Data == "script":
			scripts++
		case n.Type == html.ElementNode && (n.Data == "img" || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return strings.HasPrefix(a.Key, "on") })):
			t.Errorf("a text has become <%s>", n.Data)
		}
	}
	if scripts != 3 {
		t.Errorf("%d scripts, want the page's own and its two of data", scripts)
	}
	for _, loads := range []string{"src=", "href=\"http", "url(", "@import", "fetch(", "XMLHttpRequest", "import("} {
		if strings.Contains(pageHTML+pageCSS+pageJS, loads) {
			t.Errorf("the page loads something: %s", loads)
		}
	}
}

// Without its script the page has the numbers, the jobs and what did not pass.
func TestHTMLWithoutScript(t *testing.T) {
	r, c := small(t)
	var b bytes.Buffer
	if err := HTML(&b, r, c); err != nil {
		t.Fatal(err)
	}
	start, end := strings.Index(b.String(), "<body>"), strings.Index(b.String(), `<script type="application/json"`)
	golden(t, "page.html", []byte(b.String()[start:end]))
}
