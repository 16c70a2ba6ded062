package webtext

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdown(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "example.com", Path: "/docs/"}
	tests := []struct{ name, html, want string }{
		{"paragraphs", "<p>One\n two</p><p>three</p>", "One two\n\nthree"},
		{"headings", "<h1>Top</h1>text<h3>Sub <em>x</em></h3>", "# Top\n\ntext\n\n### Sub *x*"},
		{"emphasis", "a <b>bold </b>and<i> it</i>, <code>c d</code>", "a **bold** and *it*, `c d`"},
		{"links", `<a href="a.html">A</a> <a href="/b">B</a> <a href="http://x.org/">C</a>`, "[A](https://example.com/docs/a.html) [B](https://example.com/b) [C](http://x.org/)"},
		{"links that lead nowhere", `<a href="#x">A</a> <a href="javascript:alert(1)">B</a> <a>C</a> <a href="/e"></a>`, "A B C"},
		{"list", "<ul><li>a<li>b<ol><li>c</li><li>d</li></ol></li></ul>end", "- a\n- b\n  1. c\n  2. d\n\nend"},
		{"list of paragraphs", "<ul><li><p>a</p></li><li><p>b</p></li></ul>", "- a\n- b"},
		{"quote", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"},
		{"code", "<pre><code>x := 1\n\n\tif y {\n</code></pre>", "```\nx := 1\n\n\tif y {\n```"},
		{"code with a fence", "<pre>```\n</pre>", "````\n```\n````"},
		{"table", "<table><tr><th>a</th><th>b|c</th></tr><tr><td>1 <b>2</b></td><td></td></tr></table>", "| a | b\\|c |\n|---|---|\n| 1 **2** |  |"},
		{"layout table", "<table><tr><td><ul><li>x</li></ul></td><td>y</td></tr></table>", "- x\n\ny"},
		{"break, rule, image", `a<br>b<hr><img alt="A cat" src=c.png><img src=d.png>`, "a\nb\n\n---\n\n[image: A cat]"},
		{"unseen", `a<script>s()</script><style>x{}</style><p hidden>h</p><p style="DISPLAY : none">i</p><p aria-hidden="true">j</p><noscript>k</noscript>b`, "ab"},
		{"entities", "a&nbsp;&amp;&lt;b&gt; &auml;", "a &<b> ä"},
		{"blanks between inline elements", "<span>a</span> <span>b</span><span>c</span>", "a bc"},
		{"definitions", "<dl><dt>a</dt><dd>b</dd></dl>", "a\nb"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := Markdown(tt.html, base)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	text, title, err := Markdown("<html><head><title> The \n page </title><body>text", nil)
	if err != nil || text != "text" || title != "The page" {
		t.Errorf("text %q, title %q, %v", text, title, err)
	}
}

func TestNestedTooDeep(t *testing.T) {
	if _, _, err := Markdown(strings.Repeat("<div>", 5000), nil); err == nil {
		t.Error("5,000 nested elements were taken")
	}
}

func TestDecode(t *testing.T) {
	tests := []struct{ name, body, contentType, want string }{
		{"utf-8", "ä", "text/html; charset=UTF-8", "ä"},
		{"bad utf-8", "a\xff", "text/html; charset=utf-8", "a\uFFFD"},
		{"unsaid, utf-8", "ä", "text/html", "ä"},
		{"unsaid, not utf-8", "\xe4\x80", "text/html", "ä€"},
		{"header", "\xc1", "text/plain; charset=koi8-r", "а"},
		{"meta", `<meta charset="windows-1251">` + "\xe0", "text/html", `<meta charset="windows-1251">а`},
		{"old meta", `<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">` + "\xa4", "", `<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">€`},
		{"meta that cannot be", `<meta charset=utf-16>ä`, "", `<meta charset=utf-16>ä`},
		{"mark beats header", "\xef\xbb\xbfä", "text/html; charset=koi8-r", "ä"},
		{"utf-16 with mark", "\xff\xfea\x00\xe4\x00", "", "aä"},
		{"utf-16 big", "\xfe\xff\x00a", "", "a"},
		{"utf-16 by header", "\x00a\x00", "text/plain; charset=utf-16be", "a"},
		{"broken header", "a", ";;", "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Decode([]byte(tt.body), tt.contentType)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if _, err := Decode([]byte("x"), "text/html; charset=shift_jis"); err == nil || !strings.Contains(err.Error(), `"shift_jis"`) {
		t.Errorf("an unknown encoding: %v", err)
	}
}

// FuzzMarkdown holds that no page breaks the conversion or brings out what is hidden.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"<p>a<b>c", "<table><tr><td><table><li>x", "<pre>\n```</pre>", "<a href='%zz'><a href=b>x</a>", "<ol><li><blockquote><pre>x", "<ul><h1><li>", "<svg><title>x</title><p>y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		text, err := Decode([]byte(src), "text/html")
		if err != nil {
			return
		}
		const hidden = "<script>xyzzy</script><p hidden>xyzzy</p>"
		out, title, err := Markdown(hidden+text, nil)
		if err != nil {
			return
		}
		if !utf8.ValidString(out) || !utf8.ValidString(title) {
			t.Fatalf("not UTF-8: %q, %q", out, title)
		}
		if strings.Contains(out, "xyzzy") && !strings.Contains(text, "xyzzy") {
			t.Fatalf("hidden text came out: %q", out)
		}
	})
}
