package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIncludes(t *testing.T) {
	body := "See:\n@docs/style.md\n   @./b.md  \n\n" +
		"    @indented/code.md\n\n" +
		"```\n@fenced/code.md\n```\n" +
		"- item\n\n  ~~~\n  @in/list.md\n  ~~~\n" +
		"@media\n@@x/y\n@two words.md\nmail a@b.md\n" +
		"`a\n@in/span.md\nb`\n\n" +
		"@last.md"
	got := Includes(body)
	want := []Include{
		{Path: "docs/style.md", Start: 5, End: 20, Line: 1, Column: 1},
		{Path: "./b.md", Start: 20, End: 33, Line: 2, Column: 4},
		{Path: "last.md", Start: len(body) - 8, End: len(body), Line: 22, Column: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, i := range got {
		if line := body[i.Start:i.End]; line[i.Column-1] != '@' {
			t.Errorf("the line of %s is %q", i.Path, line)
		}
	}
	if got := Includes("a@b.md and @x"); got != nil {
		t.Errorf("mentions include %v", got)
	}
}
