package builtin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestApply(t *testing.T) {
	tests := []struct {
		name, content string
		edit          replacement
		want          applied
	}{
		{"once", "a b c", replacement{Old: "b", New: "x"}, applied{"a x c", 1, 1}},
		{"all", "b\nb\n", replacement{Old: "b", New: "x", All: true}, applied{"x\nx\n", 2, 1}},
		{"all, once", "b", replacement{Old: "b", New: "", All: true}, applied{"", 1, 1}},
		{"second line", "a\nb\n", replacement{Old: "b", New: "c"}, applied{"a\nc\n", 1, 2}},
		{"backslashes", "x", replacement{Old: "x", New: `\0 \1 \\ \n $1 ${1} %s &`}, applied{`\0 \1 \\ \n $1 ${1} %s &`, 1, 1}},
		{"backslashes in the old text", `a\0b`, replacement{Old: `\0`, New: `\\`}, applied{`a\\b`, 1, 1}},
		{"crlf kept", "a\r\nb\r\nc\r\n", replacement{Old: "a\nb", New: "x\ny\nz"}, applied{"x\r\ny\r\nz\r\nc\r\n", 1, 1}},
		{"crlf given", "a\r\nb\r\n", replacement{Old: "a\r\nb", New: "x\r\ny"}, applied{"x\r\ny\r\n", 1, 1}},
		{"mixed: byte for byte", "a\r\nb\nc\n", replacement{Old: "b\nc", New: "x\ny"}, applied{"a\r\nx\ny\n", 1, 2}},
		{"lf gets what is given", "a\nb\n", replacement{Old: "a", New: "x\r\ny"}, applied{"x\r\ny\nb\n", 1, 1}},
		{"no final newline", "a\nb", replacement{Old: "b", New: "c"}, applied{"a\nc", 1, 2}},
		{"BOM stays", "\ufeffa", replacement{Old: "a", New: "b"}, applied{"\ufeffb", 1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.edit.apply(tt.content)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestEditRefuses(t *testing.T) {
	b := newBench(t)
	b.write("f", "one\ntwo\ntwo\n")
	b.write("latin", "caf\xe9\n")
	b.write("mixed", "a\r\nb\n")
	b.write("d/x", "")
	for _, f := range []string{"f", "latin", "mixed"} {
		b.ok("Read", in{"file_path": f})
	}
	tests := []struct{ name, want, file, old, new string }{
		{"not found", "was not found", "f", "three", "x"},
		{"ambiguous", "occurs 2 times", "f", "two", "x"},
		{"same", "are the same", "f", "one", "one"},
		{"empty", "old_string is empty", "f", "", "x"},
		{"missing", "does not exist", "g", "a", "b"},
		{"folder", "is a folder", "d", "a", "b"},
		{"bad UTF-8", "not valid UTF-8", "latin", "caf", "x"},
		{"mixed line ends", "mixed line ends", "mixed", "a\nb", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b.of(t).refused(tt.want, "Edit", in{"file_path": tt.file, "old_string": tt.old, "new_string": tt.new})
		})
	}
	if got := b.content("f"); got != "one\ntwo\ntwo\n" {
		t.Errorf("refused edits changed the file to %q", got)
	}
}

func TestMultiEdit(t *testing.T) {
	const before = "alpha beta\n"
	list := []in{{"old_string": "alpha", "new_string": `\1`}, {"old_string": `\1 beta`, "new_string": "gamma"}}
	tests := []struct {
		name  string
		input in
		want  string // "" = nothing changes
		says  string
	}{
		{"list", in{"edits": list}, "gamma\n", "Made 2 edits"},
		{"json", in{"edits_json": `[{"old_string":"alpha","new_string":"a"},{"old_string":"a","new_string":"o","replace_all":true}]`}, "o beto\n", "3 occurrences"},
		{"second fails", in{"edits": []in{list[0], {"old_string": "alpha", "new_string": "x"}}}, "", "edit 2 of 2: old_string was not found"},
		{"ambiguous", in{"edits": []in{{"old_string": "a", "new_string": "x"}}}, "", "edit 1 of 1: old_string occurs 3 times"},
		{"both", in{"edits": list, "edits_json": "[]"}, "", "not both"},
		{"none", in{}, "", "is empty"},
		{"empty list", in{"edits_json": "[]"}, "", "is empty"},
		{"no JSON", in{"edits_json": "[{"}, "", "JSON list"},
		{"no list", in{"edits_json": `{"old_string":"a"}`}, "", "JSON list"},
		{"faults by number", in{"edits_json": `[{"new_string":"a"},7,{"old_string":"b"}]`}, "", "edit 1: old_string is missing; edit 2: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.write("f", before)
			b.ok("Read", in{"file_path": "f"})
			tt.input["file_path"] = "f"
			res := b.of(t).run("MultiEdit", tt.input)
			if !strings.Contains(res.Content, tt.says) {
				t.Errorf("said %q, want %q in it", res.Content, tt.says)
			}
			want := tt.want
			if want == "" {
				want = before
			}
			if res.IsError != (tt.want == "") {
				t.Errorf("IsError %t", res.IsError)
			}
			if diff := cmp.Diff(want, b.content("f")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzApply holds an edit to its promise: what is outside the occurrences stays, byte for byte.
func FuzzApply(f *testing.F) {
	f.Add("a b a", "a", `\1`, true)
	f.Add("x\r\ny\r\n", "x\ny", "z\n", false)
	f.Add("aaa", "aa", "a", true)
	f.Fuzz(func(t *testing.T, content, old, repl string, all bool) {
		got, err := replacement{Old: old, New: repl, All: all}.apply(content)
		if err != nil {
			return
		}
		if !all && got.count != 1 {
			t.Fatalf("%d occurrences replaced without replace_all", got.count)
		}
		if allCRLF(content) {
			old, repl = toCRLF(old), toCRLF(repl)
			if strings.Contains(got.text, "\n") && !allCRLF(got.text) && !strings.Contains(old, "\r") && !strings.Contains(old, "\n") {
				t.Fatalf("line ends were mixed: %q", got.text)
			}
		}
		parts := strings.Split(content, old)
		if want := strings.Join(parts, repl); want != got.text {
			t.Fatalf("got %q, want %q", got.text, want)
		}
		if len(parts)-1 != got.count || got.line < 1 || got.line > 1+strings.Count(content, "\n") {
			t.Fatalf("count %d, line %d", got.count, got.line)
		}
	})
}
