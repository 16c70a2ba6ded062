package webtext

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Markdown returns the text of an HTML page and its title. Links are made absolute by base. A page nested deeper than any
// that a person wrote is an error.
func Markdown(src string, base *url.URL) (text, title string, err error) {
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		return "", "", fmt.Errorf("the page is not readable HTML: %w", err)
	}
	r := &renderer{base: base}
	r.children(root)
	return strings.TrimRight(r.out.String(), " \n"), r.title, nil
}

// renderer writes nodes as they come. Line breaks and blanks are held back until text follows them.
type renderer struct {
	base   *url.URL
	out    strings.Builder
	prefix []string // what every line begins with: quotes, indents of list items
	lists  []int    // open lists: next number, 0 = not numbered
	breaks int      // line breaks before the next text
	blank  bool     // a blank before the next text
	fresh  bool     // right behind the mark of a list item
	pre    bool
	marks  int // open emphasis and links
	title  string
}

// maxMarks is how deep emphasis and links are written inside each other.
const maxMarks = 3

func (r *renderer) children(n *html.Node) {
	for c := range n.ChildNodes() {
		r.node(c)
	}
}

func (r *renderer) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		r.text(n.Data)
	case html.ElementNode:
		if !unseen(n) {
			r.element(n)
		}
	case html.DocumentNode:
		r.children(n)
	}
}

// unseen reports whether a reader of the page would not see the element.
func unseen(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Math, atom.Iframe, atom.Object, atom.Canvas,
		atom.Audio, atom.Video, atom.Select, atom.Textarea, atom.Button, atom.Dialog, atom.Datalist:
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			return a.Val == "true"
		case "style":
			style := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

func (r *renderer) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Title:
		if r.title == "" {
			r.title = r.inline(n)
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if s := r.inline(n); s != "" {
			r.block(func() { r.emit(strings.Repeat("#", int(n.Data[1]-'0')) + " " + s) })
		}
	case atom.Br:
		r.line(1)
	case atom.Hr:
		r.block(func() { r.emit("---") })
	case atom.Ul, atom.Menu:
		r.list(n, 0)
	case atom.Ol:
		r.list(n, 1)
	case atom.Li:
		r.item(n)
	case atom.Blockquote:
		r.block(func() { r.indented("> ", n) })
	case atom.Pre:
		r.fence(n)
	case atom.Table:
		r.table(n)
	case atom.A:
		r.link(n)
	case atom.Img:
		if alt := strings.TrimSpace(attr(n, "alt")); alt != "" {
			r.word("[image: " + alt + "]")
		}
	case atom.B, atom.Strong:
		r.marked(n, "**")
	case atom.I, atom.Em:
		r.marked(n, "*")
	case atom.Code, atom.Kbd, atom.Samp:
		r.marked(n, "`")
	case atom.Tr, atom.Dt, atom.Dd, atom.Option, atom.Summary:
		r.line(1)
		r.children(n)
		r.line(1)
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Figure,
		atom.Figcaption, atom.Form, atom.Fieldset, atom.Details, atom.Address, atom.Dl, atom.Caption, atom.Body, atom.Center:
		r.block(func() { r.children(n) })
	case atom.Td, atom.Th:
		r.blank = true
		r.children(n)
		r.blank = true
	default:
		r.children(n)
	}
}

// text writes running text, blanks folded unless it is preformatted.
func (r *renderer) text(s string) {
	if r.pre {
		for i, l := range strings.Split(s, "\n") {
			if i > 0 {
				r.breaks++
			}
			if l != "" {
				r.emit(l)
			}
		}
		return
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		r.blank = r.blank || s != ""
		return
	}
	if strings.TrimLeft(s[:1], " \t\r\n\f") == "" {
		r.blank = true
	}
	r.word(strings.Join(words, " "))
	if strings.TrimRight(s[len(s)-1:], " \t\r\n\f") == "" {
		r.blank = true
	}
}

// word writes text after the blank that is due, if it does not begin a line.
func (r *renderer) word(s string) {
	if r.blank && r.breaks == 0 && r.out.Len() > 0 {
		s = " " + s
	}
	r.emit(s)
}

// emit writes text after the line breaks that are due.
func (r *renderer) emit(s string) {
	switch {
	case r.out.Len() == 0:
		r.out.WriteString(strings.Join(r.prefix, ""))
	case r.breaks > 0:
		prefix := strings.Join(r.prefix, "")
		for range r.breaks - 1 {
			r.out.WriteString("\n" + strings.TrimRight(prefix, " "))
		}
		r.out.WriteString("\n" + prefix)
	}
	r.breaks, r.blank, r.fresh = 0, false, false
	r.out.WriteString(s)
}

// line ends the line; n-1 empty ones follow.
func (r *renderer) line(n int) {
	if r.blank = false; r.fresh {
		return
	}
	r.breaks = max(r.breaks, n)
}

// block sets what f writes apart by empty lines, or by line breaks alone inside a list.
func (r *renderer) block(f func()) {
	n := 2
	if len(r.lists) > 0 {
		n = 1
	}
	r.line(n)
	f()
	r.line(n)
}

func (r *renderer) indented(by string, n *html.Node) {
	r.prefix = append(r.prefix, by)
	r.children(n)
	r.prefix = r.prefix[:len(r.prefix)-1]
}

func (r *renderer) list(n *html.Node, first int) {
	r.block(func() {
		r.lists = append(r.lists, first)
		r.children(n)
		r.lists = r.lists[:len(r.lists)-1]
	})
}

func (r *renderer) item(n *html.Node) {
	mark := "- "
	if depth := len(r.lists); depth > 0 && r.lists[depth-1] > 0 {
		mark = fmt.Sprintf("%d. ", r.lists[depth-1])
		r.lists[depth-1]++
	}
	r.line(1)
	r.emit(mark)
	r.fresh = true
	r.indented(strings.Repeat(" ", len(mark)), n)
	r.fresh = false
	r.line(1)
}

func (r *renderer) fence(n *html.Node) {
	sub := &renderer{base: r.base, pre: true, marks: maxMarks}
	sub.children(n)
	code := strings.Trim(sub.out.String(), "\n")
	if code == "" {
		return
	}
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	r.block(func() {
		r.emit(fence)
		for l := range strings.SplitSeq(code, "\n") {
			r.breaks = 1
			r.emit(l)
		}
		r.breaks = 1
		r.emit(fence)
	})
}

// inline is the text of the element on one line.
func (r *renderer) inline(n *html.Node) string {
	sub := &renderer{base: r.base, marks: r.marks + 1}
	sub.children(n)
	return strings.Join(strings.Fields(sub.out.String()), " ")
}

func (r *renderer) marked(n *html.Node, mark string) {
	if r.marks >= maxMarks {
		r.children(n)
		return
	}
	if s := r.inline(n); s != "" {
		r.around(n, mark+s+mark)
	}
}

// around writes s in place of the element, with the blanks that begin and end its text.
func (r *renderer) around(n *html.Node, s string) {
	if f := n.FirstChild; f != nil && f.Type == html.TextNode && strings.TrimLeft(f.Data, " \t\r\n") != f.Data {
		r.blank = true
	}
	r.word(s)
	if l := n.LastChild; l != nil && l.Type == html.TextNode && strings.TrimRight(l.Data, " \t\r\n") != l.Data {
		r.blank = true
	}
}

func (r *renderer) link(n *html.Node) {
	to := r.target(attr(n, "href"))
	if to == "" || r.marks >= maxMarks {
		r.children(n)
		return
	}
	if s := r.inline(n); s != "" {
		r.around(n, "["+s+"]("+to+")")
	}
}

// target is where a link leads; "" for places in the same page and for what is no address.
func (r *renderer) target(href string) string {
	u, err := url.Parse(strings.TrimSpace(href))
	if err != nil || href == "" || strings.HasPrefix(href, "#") {
		return ""
	}
	if r.base != nil {
		u = r.base.ResolveReference(u)
	}
	switch u.Scheme {
	case "http", "https", "mailto", "":
		return u.String()
	}
	return ""
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
