package webtext

import (
	"bytes"
	"fmt"
	"mime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// metaCharset is how an HTML page names its encoding.
var metaCharset = lazy.MustCompile(`(?i)<meta[^>]+?charset\s*=\s*["']?([a-z0-9_:.-]+)`)

// Decode returns body as UTF-8. The encoding is told, strongest first, by a byte order mark, the charset of contentType,
// and a meta element at the beginning; without any it is UTF-8 if the bytes are, else Windows-1252. Bytes that mean
// nothing become U+FFFD. UTF-8, UTF-16 and one-byte encodings are known; another is an error that names it.
func Decode(body []byte, contentType string) (string, error) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return lenient(body[3:]), nil
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return wide(body[2:], 1), nil
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return wide(body[2:], 0), nil
	}
	name := ""
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		name = params["charset"]
	}
	if m := metaCharset.Get().FindSubmatch(body[:min(len(body), 2048)]); name == "" && m != nil {
		if name = string(m[1]); strings.HasPrefix(strings.ToLower(name), "utf-16") {
			name = "utf-8" // it could not have been read otherwise
		}
	}
	return decodeAs(strings.ToLower(strings.TrimSpace(name)), body)
}

func decodeAs(name string, body []byte) (string, error) {
	switch name {
	case "utf-8", "utf8":
		return lenient(body), nil
	case "":
		if utf8.Valid(body) {
			return string(body), nil
		}
		name = "windows-1252"
	case "utf-16le", "utf-16":
		return wide(body, 1), nil
	case "utf-16be":
		return wide(body, 0), nil
	}
	table := oneByte(name)
	if table == nil {
		return "", fmt.Errorf("the page is encoded as %q, which is not decoded here", name)
	}
	var b strings.Builder
	b.Grow(len(body))
	for _, c := range body {
		b.WriteRune(table.DecodeByte(c))
	}
	return b.String(), nil
}

// oneByte is the table of an encoding by its usual names; nil = unknown.
func oneByte(name string) *charmap.Charmap {
	switch name {
	case "windows-1252", "cp1252", "iso-8859-1", "iso8859-1", "latin1", "us-ascii", "ascii":
		return charmap.Windows1252
	case "iso-8859-2", "latin2":
		return charmap.ISO8859_2
	case "iso-8859-5":
		return charmap.ISO8859_5
	case "iso-8859-7":
		return charmap.ISO8859_7
	case "iso-8859-9", "latin5", "windows-1254":
		return charmap.Windows1254
	case "iso-8859-15", "latin9":
		return charmap.ISO8859_15
	case "windows-1250":
		return charmap.Windows1250
	case "windows-1251", "cp1251":
		return charmap.Windows1251
	case "windows-1253":
		return charmap.Windows1253
	case "windows-1255", "iso-8859-8":
		return charmap.Windows1255
	case "windows-1256":
		return charmap.Windows1256
	case "windows-1257":
		return charmap.Windows1257
	case "koi8-r":
		return charmap.KOI8R
	case "koi8-u":
		return charmap.KOI8U
	case "macintosh":
		return charmap.Macintosh
	}
	return nil
}

func lenient(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// wide decodes UTF-16; high is the place of the high byte in each pair.
func wide(b []byte, high int) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i+high])<<8 | uint16(b[2*i+1-high])
	}
	return string(utf16.Decode(units))
}
