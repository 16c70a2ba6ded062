package builtin

import (
	"bytes"
	"net/http"
	"strings"
)

// imageType returns the media type of an image that begins with head, "" for everything else. SVG is text.
func imageType(head []byte) string {
	if isText(head) {
		return ""
	}
	if bytes.HasPrefix(head, []byte("II*\x00")) || bytes.HasPrefix(head, []byte("MM\x00*")) {
		return "image/tiff"
	}
	if t := http.DetectContentType(head); strings.HasPrefix(t, "image/") {
		return t
	}
	return ""
}
