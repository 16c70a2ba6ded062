package mutate

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var plant = flag.Bool("plant", false, "plant every fault and run the suite on it")

// root is package providers.
const root = "../.."

// files are the edited files of a fault, by path below root.
func files(t *testing.T, f fault) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, e := range f.edits {
		src, ok := out[e.file]
		if !ok {
			var err error
			if src, err = os.ReadFile(filepath.Join(root, filepath.FromSlash(e.file))); err != nil {
				t.Fatal(err)
			}
		}
		if n := bytes.Count(src, []byte(e.old)); n != 1 {
			t.Fatalf("the edit of %s fits %d places, not one:\n%s", e.file, n, e.old)
		}
		out[e.file] = bytes.Replace(src, []byte(e.old), []byte(e.new), 1)
	}
	return out
}

// TestFaultsFit keeps the table in step with the code.
func TestFaultsFit(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			for file, src := range files(t, f) {
				if _, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestSuiteCatches plants the faults one by one.
func TestSuiteCatches(t *testing.T) {
	if !*plant {
		t.Skip("make mutate plants the faults")
	}
	if out, caught, err := suite(t, nil); err != nil || caught {
		t.Fatalf("the suite fails without any fault: %v\n%s", err, out)
	}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			out, caught, err := suite(t, files(t, f))
			if err != nil {
				t.Fatalf("the suite did not run: %v\n%s", err, out)
			}
			if !caught {
				t.Error("the suite passes")
				return
			}
			t.Log(firstFailure(out))
		})
	}
}

// suite runs the tests of the providers with files laid over the real ones. Caught means that a test failed; what does not
// compile is an error.
func suite(t *testing.T, files map[string][]byte) (out []byte, caught bool, err error) {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for file, src := range files {
		real, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, false, err
		}
		laid := filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(laid, src, 0o600); err != nil {
			return nil, false, err
		}
		replace[real] = laid
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, false, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return nil, false, err
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-vet=off", "-failfast", "-timeout=5m", "-overlay=" + list}, packages(files)...)...)
	cmd.Dir = root
	out, err = cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out, false, nil
	case errors.As(err, &exit) && !bytes.Contains(out, []byte("[build failed]")):
		return out, true, nil
	}
	return out, false, err
}

// packages are those whose tests hold the edited files: the runner's own, or the providers'.
func packages(files map[string][]byte) []string {
	for file := range files {
		if dir, ok := strings.CutPrefix(path.Dir(file), "../"); ok {
			return []string{"../" + dir}
		}
	}
	return []string{".", "./internal/wire"}
}

func firstFailure(out []byte) string {
	var first string
	for l := range strings.Lines(string(out)) {
		switch l = strings.TrimSpace(l); {
		case strings.HasPrefix(l, "--- FAIL") || strings.HasPrefix(l, "panic:"):
			first = l
		case first != "" && l != "":
			return first + ": " + l
		}
	}
	return first
}
