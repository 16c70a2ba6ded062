package archtest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write THIRD_PARTY.md")

// thirdParty is a module of the list in go.mod with the texts that must go along with it.
type thirdParty struct {
	Path, Version string
	Dir           string // in the module cache, "" when it is not there
}

// TestThirdParty compares THIRD_PARTY.md with the modules of go.mod: each with its version, its licence, and the text of
// the licence, as these ask for.
func TestThirdParty(t *testing.T) {
	root := filepath.Join("..", "..")
	file := filepath.Join(root, "THIRD_PARTY.md")
	modules := listModules(t, root)
	if *update {
		download(t, root, modules)
		if err := os.WriteFile(file, []byte(notices(t, listModules(t, root))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(names(modules), tableOf(string(got))); diff != "" {
		t.Errorf("THIRD_PARTY.md is stale, run make golden (-go.mod +THIRD_PARTY.md):\n%s", diff)
	}
	for _, m := range modules {
		if m.Dir == "" {
			continue // not needed to build or test, so not on this machine
		}
		for _, text := range licences(t, m) {
			if !strings.Contains(string(got), text) {
				t.Errorf("THIRD_PARTY.md lacks the licence of %s, run make golden", m.Path)
			}
		}
	}
}

// listModules reads the modules of go.mod; the go command says where they lie.
func listModules(t *testing.T, root string) []thirdParty {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"list", "-m", "-json"}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+`).FindAllStringSubmatch(string(text), -1) {
		args = append(args, m[1])
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var ms []thirdParty
	d := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var m thirdParty
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		ms = append(ms, m)
	}
	slices.SortFunc(ms, func(a, b thirdParty) int { return strings.Compare(a.Path, b.Path) })
	return ms
}

func download(t *testing.T, root string, ms []thirdParty) {
	t.Helper()
	args := []string{"mod", "download"}
	for _, m := range ms {
		args = append(args, m.Path+"@"+m.Version)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}

func names(ms []thirdParty) []string {
	var ns []string
	for _, m := range ms {
		ns = append(ns, m.Path+" "+m.Version)
	}
	return ns
}

// tableOf reads the modules back out of the table.
func tableOf(doc string) []string {
	var ns []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+) \| (v\d\S*) \|`).FindAllStringSubmatch(doc, -1) {
		ns = append(ns, m[1]+" "+m[2])
	}
	return ns
}

// notices writes the document. A text that several modules share stands once.
func notices(t *testing.T, ms []thirdParty) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Third-party software\n\n<!-- Code generated from go.mod by make golden; DO NOT EDIT. -->\n\n" +
		"The modules that swarmrun is built from and tested with, and their licences.\n\n" +
		"| module | version | licence |\n|---|---|---|\n")
	var texts []string
	users := make(map[string][]string)
	for _, m := range ms {
		var kinds []string
		for _, text := range licences(t, m) {
			kinds = append(kinds, licenceKinds(text)...)
			if users[text] == nil {
				texts = append(texts, text)
			}
			users[text] = append(users[text], m.Path)
		}
		slices.Sort(kinds)
		kinds = slices.Compact(kinds)
		if len(kinds) == 0 {
			t.Errorf("%s has no licence that is known here", m.Path)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", m.Path, m.Version, strings.Join(kinds, ", "))
	}
	for _, text := range texts {
		fmt.Fprintf(&b, "\n## %s\n\n````text\n%s\n````\n", strings.Join(users[text], ", "), text)
	}
	return b.String()
}

// licences are the texts of a module that must go along with it.
func licences(t *testing.T, m thirdParty) []string {
	t.Helper()
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|unlicense)`)
	var texts []string
	for _, e := range entries {
		if e.IsDir() || !form.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.ReplaceAll(string(text), "\r\n", "\n")
		lines := strings.Split(strings.TrimSpace(plain), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " \t")
		}
		texts = append(texts, strings.Join(lines, "\n"))
	}
	return texts
}

// licenceKinds are the SPDX names of what a text grants; none for a notice.
func licenceKinds(text string) []string {
	plain := strings.ToLower(strings.Join(strings.Fields(text), " "))
	has := func(mark string) bool { return strings.Contains(plain, mark) }
	var kinds []string
	switch {
	case has("neither the name of"), has("name of any author may not be used"):
		kinds = append(kinds, "BSD-3-Clause")
	case has("redistribution and use in source and binary forms"):
		kinds = append(kinds, "BSD-2-Clause")
	}
	for _, k := range []struct{ mark, name string }{
		{"mozilla public license version 2.0", "MPL-2.0"},
		{"apache license, version 2.0", "Apache-2.0"},
		{"apache license version 2.0", "Apache-2.0"},
		{"permission is hereby granted, free of charge", "MIT"},
		{"permission to use, copy, modify, and", "ISC"},
		{"this is free and unencumbered software", "Unlicense"},
	} {
		if has(k.mark) && !slices.Contains(kinds, k.name) {
			kinds = append(kinds, k.name)
		}
	}
	return kinds
}
