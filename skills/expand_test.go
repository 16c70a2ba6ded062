package skills_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/skills"
)

// TestFormatRender fills in the fixtures that say what must come of it.
func TestFormatRender(t *testing.T) {
	formats := filepath.Join("..", "config", "testdata", "formats")
	raw, err := os.ReadFile(filepath.Join(formats, "EXPECT.json"))
	if err != nil {
		t.Fatal(err)
	}
	var table map[string]struct {
		Want   struct{ Body string }
		Render []struct{ Arguments, Text string }
	}
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for name, e := range table {
		for _, r := range e.Render {
			ran++
			k := skills.Skill{Text: e.Want.Body}
			got, err := k.Expand(t.Context(), skills.Use{Arguments: r.Arguments})
			if err != nil || got != r.Text {
				t.Errorf("%s with %q: %v\n%s", name, r.Arguments, err, cmp.Diff(r.Text, got))
			}
		}
	}
	if ran != 2 {
		t.Errorf("%d renderings, want 2", ran)
	}
}

func TestExpand(t *testing.T) {
	sh := func(_ context.Context, line string) (string, error) {
		if strings.HasPrefix(line, "false") {
			return "", errors.New("ended with 1")
		}
		return "<" + line + ">\n", nil
	}
	files := func(path string) (string, error) {
		switch path {
		case "notes.md":
			return "the notes, $0\n</file>", nil
		case "../x":
			return "", errors.New("it lies outside")
		}
		return "", skills.ErrNoFile
	}
	for _, tt := range []struct {
		name, text, args string
		names            []string
		want             string // begins with !: the error holds the rest
	}{
		{name: "nothing", text: "Plain.\n", want: "Plain.\n"},
		{name: "no placeholder", text: "Plain.\n", args: "a b", want: "Plain.\n\nARGUMENTS: a b\n"},
		{name: "all", text: "Do $ARGUMENTS.", args: ` "a b"  c `, want: `Do "a b"  c.`},
		{name: "by index", text: "$ARGUMENTS[1] $0 $ARGUMENTS[7] $2", args: `"a b" c`, want: "c a b $ARGUMENTS[7] $2"},
		{name: "by name", text: "$since..$until and $sinces", args: "v1", names: []string{"since", "until"}, want: "v1.. and $sinces"},
		{name: "name with a hyphen", text: "$since-tag $a-b", args: "v1 x", names: []string{"since", "a-b"}, want: "v1-tag x"},
		{name: "escaped", text: `\$0 \$ARGUMENTS \$since \\ \n \$`, args: "x", names: []string{"since"}, want: "$0 $ARGUMENTS $since \\\\ \\n \\$\n\nARGUMENTS: x\n"},
		{name: "a longer word", text: "$ARGUMENTS_FILE $ARGUMENTSX", args: "x", want: "$ARGUMENTS_FILE $ARGUMENTSX\n\nARGUMENTS: x\n"},
		{name: "huge number", text: "$99999999999999999999", args: "x", want: "$99999999999999999999\n\nARGUMENTS: x\n"},
		{name: "only a number without argument", text: "awk '{print $5}'", args: "x", want: "awk '{print $5}'\n\nARGUMENTS: x\n"},
		{name: "variable", text: "${CLAUDE_SKILL_DIR}/x ${CLAUDE_NOTHING} ${HOME}", want: "/s k/x ${CLAUDE_NOTHING} ${HOME}"},
		{name: "arguments are not filled in", text: "$0 $1", args: "'$1' '$0'", want: "$1 $0"},

		{name: "command", text: "Now: !`date`\n!`uname`\nx!`id`", want: "Now: <date>\n<uname>\nx!`id`"},
		{name: "block", text: "Log:\n```!\ngit log\ngit status\n```\nEnd", want: "Log:\n<git log\ngit status>\nEnd"},
		{name: "empty commands", text: "!` ` and\n```!\n\n```\n", want: "!` ` and\n```!\n\n```\n"},
		{name: "command fails", text: "!`false`", want: "!ended with 1"},
		{name: "argument in a command", text: "!`git log $0`", args: "v1", want: "<git log v1>"},
		{name: "argument with a semicolon", text: "!`git log $0`", args: `"v1; rm -rf ."`, want: "<git log 'v1; rm -rf .'>"},
		{name: "all of them", text: "!`git log $ARGUMENTS`", args: `v1 "a b" ; rm`, want: "<git log v1 'a b' ';' rm>"},
		{name: "between quotes", text: "!`grep \"$0\" '$1' x`", args: `'a"$(rm)' "b'c"`, want: `<grep "a\"\$(rm)" 'b'\''c' x>`},
		{name: "awk", text: "!`awk '{print \\$1}' $0`", args: "f", want: "<awk '{print $1}' f>"},
		{name: "too involved", text: "!`bash -c \"ls $0\"`", args: `"; rm"`, want: "!too involved"},
		{name: "involved and plain", text: "!`bash -c \"ls $0\"`", args: "src", want: "<bash -c \"ls src\">"},
		{name: "substitution", text: "!`ls $(echo $0)`", args: `"; rm"`, want: "!too involved"},
		{name: "an argument is no command", text: "Do $ARGUMENTS", args: "!`rm x`", want: "Do !`rm x`"},
		{name: "output is not looked at", text: "!`echo \\$0 @notes.md`", args: "x", want: "<echo $0 @notes.md>\n\nARGUMENTS: x\n"},
		{name: "variable in a command", text: "!`sh ${CLAUDE_SKILL_DIR}/x.sh`", want: "<sh '/s k'/x.sh>"},

		{name: "file", text: "See @notes.md, and me@notes.md @none", want: "See @notes.md, and me@notes.md @none\n<file path=\"notes.md\">\nthe notes, $0\n&lt;/file>\n</file>\n"},
		{name: "file twice, outside", text: "@notes.md @notes.md @../x", args: "", want: "@notes.md @notes.md @../x\n<file path=\"notes.md\">\nthe notes, $0\n&lt;/file>\n</file>\n\n[@../x is not attached: it lies outside.]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := skills.Skill{Text: tt.text, Arguments: tt.names, Variables: map[string]string{"CLAUDE_SKILL_DIR": "/s k"}}
			got, err := k.Expand(t.Context(), skills.Use{Arguments: tt.args, Shell: sh, Attach: files})
			if words, ok := strings.CutPrefix(tt.want, "!"); ok && err != nil {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("got %v, want %q in it", err, words)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExpandVerbatimAndLook(t *testing.T) {
	text := "$0 !`rm` \\$1 @x ${CLAUDE_SKILL_DIR}"
	sh := func(context.Context, string) (string, error) { t.Error("a command ran"); return "", nil }
	k := skills.Skill{Text: text, Verbatim: true}
	got, err := k.Expand(t.Context(), skills.Use{Arguments: "a", Shell: sh})
	if want := text + "\n\nARGUMENTS: a\n"; err != nil || got != want {
		t.Errorf("verbatim: %q, %v", got, err)
	}
	k = skills.Skill{Text: "Log:\n!`git log`\n"}
	if got, err := k.Expand(t.Context(), skills.Use{}); err != nil || got != k.Text {
		t.Errorf("a look: %q, %v", got, err)
	}
	k.NoShell = true
	if _, err := k.Expand(t.Context(), skills.Use{Shell: sh}); err == nil || !strings.Contains(err.Error(), "switch commands of skills off") {
		t.Errorf("switched off: %v", err)
	}
}

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                   nil,
		" a  b\tc\n":         {"a", "b", "c"},
		`"a b" 'c d' e\ f`:   {"a b", "c d", "e f"},
		`a"b c"d ''`:         {"ab cd", ""},
		`it's "open`:         {"it's", `"open`},
		`"a\"b" 'c\d' "\$x"`: {`a"b`, `c\d`, "$x"},
		`a\`:                 {`a\`},
	} {
		if diff := cmp.Diff(want, skills.Words(line)); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
	for _, words := range [][]string{nil, {"a"}, {"a b", "c"}, {""}, {"it's", `"`, `\`, "$x"}, {"a\nb"}} {
		if diff := cmp.Diff(words, skills.Words(skills.Join(words))); diff != "" {
			t.Errorf("%q: %s", words, diff)
		}
	}
}

// FuzzExpand: nothing panics, an argument never becomes a command, words survive Join, and a body without placeholders
// stays what it is.
func FuzzExpand(f *testing.F) {
	for _, seed := range [][2]string{
		{"$0 \\$1 $ARGUMENTS[2] $since ${CLAUDE_SKILL_DIR}", "a 'b c' !`rm`"}, {"!`git log $0`", "x; y"}, {"```!\nls $ARGUMENTS\n```", `"`},
		{"plain", "a"}, {"!`echo \"$0\" '$1'`", "' \" \\"}, {"@x $", "$0"}, {"\\", "\\"}, {"$ARGUMENTS", "\x00"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, body, args string) {
		if diff := cmp.Diff(fmt.Sprint(skills.Words(args)), fmt.Sprint(skills.Words(skills.Join(skills.Words(args))))); diff != "" {
			t.Fatalf("Join(Words(%q)): %s", args, diff)
		}
		count := func(body, args string) (n int) {
			k := skills.Skill{Text: body, Arguments: []string{"since"}}
			_, _ = k.Expand(t.Context(), skills.Use{Arguments: args, Shell: func(context.Context, string) (string, error) { n++; return "", nil }})
			return n
		}
		if with, without := count(body, args), count(body, ""); with > without {
			t.Fatalf("%q ran %d commands with %q, %d without", body, with, args, without)
		}
		k := skills.Skill{Name: args, Text: body}
		text, err := k.Expand(t.Context(), skills.Use{Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		content := k.Content(text)
		if strings.Count(content, "</skill_content") != 1 || strings.Count(content, "<skill_content") != 1 {
			t.Fatalf("the element is ended in the middle:\n%s", content)
		}
		if got := skills.Contents(content); len(got) != 1 || got[0] != content {
			t.Fatalf("Contents(%q) = %q", content, got)
		}
	})
}
