package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"github.com/swarmrun/swarmrun/internal/printable"
)

//go:embed page.css
var common string

//go:embed head.html
var head string

// Frame is what begins every page. The data of a template embeds it.
type Frame struct {
	Title  string
	Style  template.CSS
	Script template.JS
	Policy string // a Content-Security-Policy that names the hashes of both
}

// New is the frame of a page with a style besides the common one, and a script; without one none runs. Both are ours: they stand
// in the page as they are.
func New(title, style, script string) Frame {
	style = common + style
	policy := "default-src 'none'; style-src " + hash(style)
	if script != "" {
		policy += "; script-src " + hash(script)
	}
	return Frame{title, template.CSS(style), template.JS(script), policy + "; base-uri 'none'; form-action 'none'"}
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Write fills in the template of a page, which begins with {{template "head" .}}. Its function plain is a text without hidden
// runes. The error is the writer's, or one of the template.
func Write(w io.Writer, text string, data any) error {
	t, err := template.New("page").Funcs(template.FuncMap{"plain": printable.Unstyled}).Parse(head + text)
	if err != nil {
		return err
	}
	return t.Execute(w, data)
}
