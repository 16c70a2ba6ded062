package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the golden parts of testdata/script anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"swarmrun": main})
}

// TestScripts runs the program as people do: each file of testdata/script is a workspace and what happens in it.
//
// Besides testscript's own commands there are
//
//	exit N COMMAND…   runs it and expects exit code N (exec takes every code but 0 after "!")
//	normal FILE       replaces what differs from run to run: durations, times, ids, the scratch folder
func TestScripts(t *testing.T) {
	root := repositoryRoot(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("EXAMPLES", filepath.Join(root, "examples"))
			e.Setenv("GOFLAGS", "-mod=mod")
			e.Setenv("GOCACHE", os.Getenv("GOCACHE"))
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exit":     expectExit,
			"normal":   normalise,
			"copytree": copyTree,
		},
	})
}

// expectExit runs a command and compares its exit code.
func expectExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit N COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		m := exitStatus.FindStringSubmatch(err.Error())
		if m == nil {
			ts.Fatalf("%v", err)
		}
		got, _ = strconv.Atoi(m[1])
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

var exitStatus = regexp.MustCompile(`exit status (\d+)`)

var differs = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\d{8}-\d{6}-[0-9a-f]{10}`), "ID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?`), "TIME"},
	{regexp.MustCompile(`"duration_ms":\d+`), `"duration_ms":0`},
	{regexp.MustCompile(`\b\d+(\.\d+)? m?s\b`), "DURATION"},
}

// normalise rewrites files so that two runs compare equal.
func normalise(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		file := ts.MkAbs(name)
		var text string
		if name == "stdout" || name == "stderr" {
			text, file = ts.ReadFile(name), ts.MkAbs(name+".txt")
		} else {
			text = ts.ReadFile(name)
		}
		text = strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")
		for _, d := range differs {
			text = d.re.ReplaceAllString(text, d.by)
		}
		ts.Check(os.WriteFile(file, []byte(text), 0o644))
	}
}

// copyTree copies a folder.
func copyTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copytree FROM TO")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}
