package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestServeTools has a client of tools as they are: they are held to the rules, the folder, the hooks and the schema that hold for
// agents, what one call read counts for the next, and a save of the rules for the call after it.
func TestServeTools(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settings := "version: 1\ndefaults: {directory: sub}\npermissions: {ask: [Bash], deny: [%s]}\n"
	save("swarmrun.yaml", fmt.Sprintf(settings, `"Read(secret*)"`))
	save("sub/notes.txt", "hello\n")
	save("sub/secret.txt", "key\n")
	save("hooks/no.md", "---\nevent: before_tool\nmatch: [Glob]\nrun: echo no globbing >&2; exit 2\n---\n")
	save("tools/place.md", "---\ndescription: Says where it is.\nrun: basename \"$PWD\"\n---\n")
	save("agents/tell.md", "---\ndescription: Tells.\nmodel: script/m\ntools: []\n---\nBody.\n")
	save("models/m.yaml", "version: 1\nrules: [{reply: {text: told}}]\n")
	c := serveClient(t, dir, "Read", "Edit", "Write(out/**)", "Bash", "Glob", "place", "tell")
	var list struct {
		Tools []struct {
			Name        string
			Annotations struct{ ReadOnlyHint bool }
		}
	}
	c.ask("tools/list", "{}", &list)
	var got []string
	for _, x := range list.Tools {
		got = append(got, strings.TrimSuffix(fmt.Sprintf("%s %v", x.Name, x.Annotations.ReadOnlyHint), " false"))
	}
	if want := "Bash, Edit, Glob true, Read true, Write, place, tell"; strings.Join(got, ", ") != want {
		t.Errorf("tools %v, want %s", got, want)
	}
	edit := `{"file_path": "notes.txt", "old_string": "hello", "new_string": "bye"}`
	for _, step := range []struct {
		name, tool, input, want string
		fails                   bool
		save                    string // before the call
	}{
		{"a file nobody has read", "Edit", edit, "read", true, ""},
		{"in the folder of agents", "Read", `{"file_path": "notes.txt"}`, "hello", false, ""},
		{"what was read", "Edit", edit, "Replaced 1", false, ""},
		{"a rule that denies", "Read", `{"file_path": "secret.txt"}`, "Read(secret*) (swarmrun.yaml:3:", true, ""},
		{"a rule that asks", "Bash", `{"command": "ls"}`, "nobody is there to ask", true, ""},
		{"beyond the folder", "Read", `{"file_path": "/etc/hostname"}`, "lies outside", true, ""},
		{"beyond the entry", "Write", `{"file_path": "notes.txt", "content": "x"}`, "only as Write(out/**)", true, ""},
		{"within the entry", "Write", `{"file_path": "out/x.txt", "content": "x"}`, "Created", false, ""},
		{"a hook", "Glob", `{"pattern": "*"}`, "no globbing", true, ""},
		{"a tool of the workspace", "place", `{}`, "sub", false, ""},
		{"no input that fits", "Read", `{}`, `missing property "file_path"`, true, ""},
		{"an agent beside them", "tell", `{"prompt": "go"}`, "told", false, ""},
		{"another rule", "Read", `{"file_path": "notes.txt"}`, "Read(*.txt)", true, `"Read(*.txt)"`},
	} {
		if step.save != "" {
			save("swarmrun.yaml", fmt.Sprintf(settings, step.save))
			save("agents/tell.md", "---\ndescription: Tells what was saved.\nmodel: script/m\ntools: []\n---\nBody.\n")
			c.heard("notifications/tools/list_changed")
		}
		var answer struct {
			IsError bool
			Content []struct{ Text string }
		}
		c.ask("tools/call", fmt.Sprintf(`{"name": %q, "arguments": %s}`, step.tool, step.input), &answer)
		if len(answer.Content) != 1 || !strings.Contains(answer.Content[0].Text, step.want) || answer.IsError != step.fails {
			t.Errorf("%s: %+v", step.name, answer)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, ".swarmrun", "sessions")); err == nil && len(entries) > 2 { // .gitignore, and that of tell
		t.Errorf("calls of tools are stored: %v", entries)
	}
}
