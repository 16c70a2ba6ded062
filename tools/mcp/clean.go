package mcp

import (
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/printable"
)

// Bounds of what a server says.
const (
	maxDescription = 4 << 10 // characters of a tool's description
	maxSchema      = 64 << 10
	maxTools       = 512
	maxPages       = 128
	maxMessage     = 2 << 10 // bytes of its words in our messages
)

// short is clean text of at most n bytes.
func short(s string, n int) string {
	s = strings.TrimSpace(printable.Unstyled(s))
	if len(s) <= n {
		return s
	}
	s = s[:n]
	for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	if r, size := utf8.DecodeLastRuneInString(s); r == utf8.RuneError && size == 1 {
		s = s[:len(s)-1]
	}
	return s + " …"
}
