package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/runner/ci"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	base, now := sample(60, 21), sample(60, 21)
	now.OK, now.Kind, now.ExitCode = true, "", 0
	cases(now)[0].Outcome = ci.Failed
	var b bytes.Buffer
	if err := JSON(&b, base); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("base.json"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	files := Files{JUnit: at("out/junit.xml"), SARIF: at("out/log.sarif"), Summary: at("out/summary.md"), JSON: at("base.json"), HTML: at("out/report.html"),
		CodeQuality: at("out/deep/quality.json"), Baseline: at("base.json")}
	plan, err := files.Open()
	if err != nil {
		t.Fatal(err)
	}
	c := plan.Judge(now)
	if len(c.Worse) != 1 || now.OK || now.ExitCode != 1 || now.Kind != "assertion" {
		t.Errorf("worse %v, ok %v, exit code %d", c.Worse, now.OK, now.ExitCode)
	}
	if err := os.WriteFile(at("steps.md"), []byte("# before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	github := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": at("steps.md"), "GITHUB_OUTPUT": at("outputs")}
	var told strings.Builder
	if err := plan.Write(now, c, func(name string) string { return github[name] }, &told); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"out/junit.xml": "<testsuites", "out/log.sarif": `"version": "2.1.0"`, "out/summary.md": "## ❌", "base.json": `"exit_code": 1`,
		"out/report.html": "<!doctype html>", "out/deep/quality.json": "[", "steps.md": "# before\n## ❌", "outputs": "\nworse=1\n"} {
		got, err := os.ReadFile(at(name))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v, %.100s", name, err, got)
		}
	}
	if entries, err := os.ReadDir(at("out")); err != nil || len(entries) != 5 {
		t.Errorf("the folder has %v", entries)
	}
}

func TestFilesOutsideGitHub(t *testing.T) {
	plan, err := Files{}.Open()
	if err != nil {
		t.Fatal(err)
	}
	r := sample(60, 21)
	var told strings.Builder
	if err := plan.Write(r, plan.Judge(r), func(string) string { return "" }, &told); err != nil || told.Len() > 0 {
		t.Errorf("error %v, told %q", err, told.String())
	}
}

// What is there and is no file, such as /dev/stdout, stays what it is.
func TestFilesThatAreNone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	link := filepath.Join(t.TempDir(), "stdout")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	plan, err := Files{JSON: link}.Open()
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	read := make(chan error)
	go func() {
		var err error
		got, err = io.ReadAll(r)
		read <- err
	}()
	err = errors.Join(plan.Write(sample(3, 1), nil, func(string) string { return "" }, nil), w.Close(), <-read)
	if err != nil || !bytes.Contains(got, []byte(`"workspace": "payments"`)) {
		t.Errorf("%v: %.100s", err, got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// A name that is wrong is told before anything runs; a disk that fails afterwards does not keep the other forms from theirs.
func TestFilesThatFail(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no report"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, files := range map[string]Files{
		"--baseline: ":             {Baseline: filepath.Join(dir, "none.json")},
		"no report of swarmrun ci": {Baseline: text},
		"--fail-on: no threshold":  {Baseline: text, FailOn: "wrose"},
		"name one with --baseline": {FailOn: "worse"},
		" is a folder":             {JUnit: dir},
		"--html: ":                 {HTML: filepath.Join(text, "x", "report.html")},
	} {
		if _, err := files.Open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	out := filepath.Join(dir, "out")
	plan, err := Files{JUnit: filepath.Join(out, "junit.xml"), JSON: filepath.Join(dir, "report.json")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	if err := plan.Write(sample(3, 1), nil, func(string) string { return "" }, nil); err == nil || !strings.Contains(err.Error(), "junit.xml") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.json")); err != nil {
		t.Error(err)
	}
}
