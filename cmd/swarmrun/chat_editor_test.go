package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChatEditor(t *testing.T) {
	for _, tc := range []struct{ name, text, keys, want string }{ // | is the cursor
		{"up keeps the column", "abcdef\nx\nabc|def", "up up", "abc|def\nx\nabcdef"},
		{"down ends at the end", "ab|c\nx", "down", "abc\nx|"},
		{"above the first line", "a|b", "up", "a|b"},
		{"words", "one two  three|", "ctrl+left alt+b", "one |two  three"},
		{"words forth", "|one two", "alt+f", "one| two"},
		{"line's ends", "a\nbc|d\ne", "home ctrl+k", "a\n|\ne"},
		{"to the beginning", "a\nbc|d\ne", "ctrl+u", "a\n|d\ne"},
		{"joined", "a\n|b", "backspace", "a|b"},
		{"taken behind", "a|bc", "delete", "a|c"},
		{"nothing before", "|a", "backspace left", "|a"},
		{"a line", "a|b", "alt+enter", "a\n|b"},
	} {
		e := &editor{want: -1}
		before, after, _ := strings.Cut(tc.text, "|")
		e.set(before + after)
		e.at = len([]rune(before))
		for _, k := range strings.Fields(tc.keys) {
			e.press(k, "")
		}
		if got := string(e.text[:e.at]) + "|" + string(e.text[e.at:]); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestChatEditorDraws(t *testing.T) {
	for _, tc := range []struct {
		name, text    string
		width, height int
		want          []string
		x, y          int
	}{
		{"nothing", "|", 10, 3, []string{""}, 0, 0},
		{"wrapped", "abcdefgh|", 4, 3, []string{"abcd", "efgh", ""}, 0, 2},
		{"wide", "中文|字", 5, 3, []string{"中文", "字"}, 0, 1},
		{"around the cursor", "a\nb\nc\nd|\ne", 4, 2, []string{"c", "d"}, 1, 1},
		{"a tab", "a\tb|", 9, 1, []string{"a b"}, 3, 0},
	} {
		e := &editor{}
		before, after, _ := strings.Cut(tc.text, "|")
		e.set(before + after)
		e.at = len([]rune(before))
		lines, x, y := e.draw(tc.width, tc.height)
		if diff := cmp.Diff(tc.want, lines); diff != "" || x != tc.x || y != tc.y {
			t.Errorf("%s: cursor %d,%d, want %d,%d (-want +got):\n%s", tc.name, x, y, tc.x, tc.y, diff)
		}
	}
}
