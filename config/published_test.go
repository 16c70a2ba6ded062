package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	schemas "github.com/swarmrun/swarmrun/internal/schema"
)

// seenBySchema are the codes that an editor with the published schema marks as well. The others are about text, places and
// other files.
var seenBySchema = []diag.Code{"E-VALUE-TYPE", "E-VALUE-RANGE", "E-KEY-UNKNOWN"}

// TestPublishedSchemas holds the schemas that editors are given against every file of testdata: they find no fault with a
// good one, and mark what the decoder calls an error of a value or a key.
func TestPublishedSchemas(t *testing.T) {
	kinds := map[string]Kind{"agent": KindAgent, "tool": KindTool, "model": KindModel, "job": KindJob, "settings": KindSettings}
	for _, path := range glob(t, filepath.Join("testdata", "*valid", "*", "*")) {
		kind, ok := kinds[filepath.Base(filepath.Dir(path))]
		if !ok {
			continue
		}
		t.Run(filepath.ToSlash(strings.TrimPrefix(path, "testdata/")), func(t *testing.T) {
			faults, ok := publishedFaults(t, path, kind)
			if !ok {
				return
			}
			_, ds, _ := readTestFile(t, path)
			if strings.Contains(path, "invalid") {
				if name := filepath.Base(path); strings.Contains(name, "retry") || name == "large.yaml" {
					return // one number below another, a product of lengths: no schema says that
				}
				marked := slices.ContainsFunc(ds, func(d diag.Diagnostic) bool { return slices.Contains(seenBySchema, d.Code) })
				if marked && len(faults) == 0 {
					t.Errorf("the schema lets pass what the decoder refuses: %v", ds)
				}
				return
			}
			for _, f := range faults {
				t.Errorf("the schema refuses a good file: %s", f)
			}
		})
	}
}

// publishedFaults checks the frontmatter or YAML of a file; false for one that is no YAML mapping as it stands.
func publishedFaults(t *testing.T, path string, kind Kind) ([]schemas.Fault, bool) {
	t.Helper()
	raw, ok := JSONSchema(kind)
	if !ok {
		t.Fatalf("%s has no schema", kind)
	}
	schema, err := schemas.Compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, ds := frontmatter.ParseYAML(src, filepath.Base(path))
	if strings.HasSuffix(path, ".md") {
		doc, ds = frontmatter.Split(src, filepath.Base(path), knownKeys.Get())
	}
	if len(ds) > 0 || doc.Root == nil {
		return nil, false
	}
	d := &decoder{doc: doc, known: knownKeys.Get(), strict: true}
	value, ok := d.toJSON(doc.Root)
	if !ok {
		return nil, false
	}
	return schema.Validate(value), true
}
