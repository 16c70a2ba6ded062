package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorder is a program that stands as swarmrun before a script of a CI system and writes its arguments down, a line each.
const recorder = "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$RECORD\"\n"

// calledWith runs a script and tells what swarmrun was called with.
func calledWith(t *testing.T, shell, script string, environ map[string]string) []string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"swarmrun": recorder, "base.json": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), shell, "-e", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "RECORD=" + filepath.Join(dir, "record"), "CI_PROJECT_DIR=" + dir}
	for name, value := range environ {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "owned*")); err != nil || len(left) > 0 {
		t.Errorf("an input was run as a command: %v", left)
	}
	record, err := os.ReadFile(filepath.Join(dir, "record"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(record), dir, "$PWD"), "\n"), "\n")
}

const hostileInput = `$(touch owned1) "; touch owned2; echo "`

// The action for GitHub: what it names is declared, and inputs are arguments, never commands.
func TestGitHubAction(t *testing.T) {
	var action struct {
		Inputs, Outputs map[string]struct{ Description, Default, Value string }
		Runs            struct {
			Using string
			Steps []struct {
				ID, Uses, Shell, Run string
				Env, With            map[string]string
			}
		}
	}
	readYAML(t, "action.yml", &action)
	step := action.Runs.Steps[len(action.Runs.Steps)-1]
	if action.Runs.Using != "composite" || step.ID != "ci" {
		t.Fatalf("the last step is %q", step.ID)
	}
	named := regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`)
	environ, used := map[string]string{}, map[string]bool{}
	for name, value := range step.Env {
		m := named.FindStringSubmatch(value)
		if m == nil {
			t.Errorf("%s is %q", name, value)
			continue
		}
		if _, ok := action.Inputs[m[1]]; !ok {
			t.Errorf("there is no input %q", m[1])
		}
		used[m[1]], environ[name] = true, action.Inputs[m[1]].Default
	}
	for name := range action.Inputs {
		if !used[name] {
			t.Errorf("nothing uses the input %q", name)
		}
	}
	for _, s := range action.Runs.Steps {
		if strings.Contains(s.Run, "${{") || s.Run != "" && s.Shell != "bash" {
			t.Errorf("the script of %q takes text as a command, or has no shell: %s", s.ID, s.Run)
		}
	}
	for name, output := range action.Outputs {
		if want := "${{ steps.ci.outputs." + name + " }}"; output.Value != want {
			t.Errorf("the output %s is %q, want %q", name, output.Value, want)
		}
	}
	want := []string{"-C", ".", "ci", "--junit", "$PWD/swarmrun-reports/junit.xml", "--sarif", "$PWD/swarmrun-reports/swarmrun.sarif", "--json",
		"$PWD/swarmrun-reports/report.json", "--html", "$PWD/swarmrun-reports/report.html"}
	if diff := cmp.Diff(append(want, "--"), calledWith(t, "bash", step.Run, environ)); diff != "" {
		t.Errorf("without inputs (-want +got):\n%s", diff)
	}
	maps.Copy(environ, map[string]string{"SWARMRUN_JOBS": "a b", "SWARMRUN_TAGS": "fast nightly", "SWARMRUN_LIVE": "true", "SWARMRUN_BASELINE": "base.json",
		"SWARMRUN_FAIL_ON": hostileInput, "SWARMRUN_DIRECTORY": hostileInput})
	want[1] = hostileInput
	want = append(want, "--baseline", "$PWD/base.json", "--fail-on", hostileInput, "--live", "--tag", "fast", "--tag", "nightly", "--", "a", "b")
	if diff := cmp.Diff(want, calledWith(t, "bash", step.Run, environ)); diff != "" {
		t.Errorf("with inputs (-want +got):\n%s", diff)
	}
	knownFlags(t, buildProgram(t), "ci", want)
}

// The template for GitLab, run by the shell that its runner takes.
func TestGitLabTemplate(t *testing.T) {
	var file map[string]struct {
		Image     string
		Script    []string
		Variables map[string]string
		Artifacts struct {
			When    string
			Paths   []string
			Reports map[string]string
		}
	}
	readYAML(t, filepath.Join(".gitlab", "swarmrun.gitlab-ci.yml"), &file)
	job := file[".swarmrun-ci"]
	script := strings.Join(job.Script, "\n")
	got := calledWith(t, "sh", script, job.Variables)
	for kind, path := range job.Artifacts.Reports {
		i := slices.Index(got, "--"+kind)
		if i < 0 || got[i+1] != "$PWD/"+path || !strings.HasPrefix(path, job.Artifacts.Paths[0]) {
			t.Errorf("the report %s is not what swarmrun writes: %v", kind, got)
		}
	}
	if job.Artifacts.When != "always" {
		t.Error("a run that fails leaves no report")
	}
	maps.Copy(job.Variables, map[string]string{"SWARMRUN_JOBS": "a * b", "SWARMRUN_BASELINE": "base.json", "SWARMRUN_FAIL_ON": hostileInput, "SWARMRUN_DIRECTORY": hostileInput})
	got = calledWith(t, "sh", script, job.Variables)
	want := []string{"--baseline", "$PWD/base.json", "--fail-on", hostileInput, "--", "a", "*", "b"}
	if diff := cmp.Diff(want, got[len(got)-len(want):]); diff != "" || got[1] != hostileInput {
		t.Errorf("with variables (-want +got):\n%s", diff)
	}
	knownFlags(t, buildProgram(t), "ci", got)
}
