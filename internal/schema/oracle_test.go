package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/xeipuuv/gojsonschema" // its module carries the official suite
)

// dialects are the drafts by the URL that names them.
var dialects = map[draft]string{
	4: "http://json-schema.org/draft-04/schema#", 6: "http://json-schema.org/draft-06/schema#", 7: "http://json-schema.org/draft-07/schema#",
	2019: "https://json-schema.org/draft/2019-09/schema", 2020: "https://json-schema.org/draft/2020-12/schema",
}

// suite is one file of the official test suite: groups of instances for a schema.
type suite []struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// suites reads the copies of the official suite that two modules carry, by the path of the file.
func suites(t testing.TB) map[string]suite {
	t.Helper()
	out := map[string]suite{}
	for module, folder := range map[string]string{"github.com/xeipuuv/gojsonschema": "testdata", "github.com/google/jsonschema-go": "jsonschema/testdata"} {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			t.Fatal(err)
		}
		root := os.DirFS(filepath.Join(strings.TrimSpace(string(dir)), filepath.FromSlash(folder)))
		err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".json" || !strings.HasPrefix(name, "draft") {
				return err
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			var s suite
			if err := json.Unmarshal(text, &s); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			out[path.Base(module)+"/"+name] = s
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// apart are the files of the suite that ask for what is optional and not done: contents of texts, names beyond ASCII, and
// integers by how they are written.
func apart(name string) bool {
	for _, part := range []string{"optional/content.json", "format/idn-", "format/iri.json", "optional/zeroTerminatedFloats.json"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// The official suite: what it calls valid is, and the rest is not. Schemas that lead to others are refused.
func TestSuite(t *testing.T) {
	tests, refusals := 0, 0
	for name, s := range suites(t) {
		if apart(name) {
			continue
		}
		d := draft(2020)
		for other := range dialects {
			if strings.Contains(name, fmt.Sprintf("/draft%d/", other)) {
				d = other
			}
		}
		for _, group := range s {
			t.Run(name+"/"+group.Description, func(t *testing.T) {
				compiled, err := Compile(inDialect(group.Schema, d, false))
				if err != nil && strings.Contains(string(group.Schema), "http://localhost:1234") && strings.HasSuffix(err.Error(), refused) {
					refusals++
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, tt := range group.Tests {
					tests++
					if faults := compiled.Validate(tt.Data); (len(faults) == 0) != tt.Valid {
						t.Errorf("%s: want valid %v, got %v", tt.Description, tt.Valid, faults)
					}
				}
			})
		}
	}
	if tests < 3000 || refusals > 60 {
		t.Errorf("%d tests, %d schemas refused", tests, refusals)
	}
	t.Logf("%d tests, %d schemas refused since they lead to others", tests, refusals)
}

// inDialect names the draft in a schema that names none, or whatever it names.
func inDialect(schema json.RawMessage, d draft, always bool) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(schema, &m) != nil || m == nil || m["$schema"] != nil && !always {
		return schema
	}
	m["$schema"], _ = json.Marshal(dialects[d])
	raw, _ := json.Marshal(m)
	return raw
}

type none struct{}

func (none) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// askOracle compiles a schema with the other implementation.
func askOracle(schema []byte) (*oracle.Schema, error) {
	doc, err := decode(schema)
	if err != nil {
		return nil, err
	}
	c := oracle.NewCompiler()
	c.DefaultDraft(oracle.Draft2020)
	c.AssertFormat()
	c.UseLoader(none{})
	if err := c.AddResource(location, doc); err != nil {
		return nil, err
	}
	return c.Compile(location)
}

func agree(t *testing.T, schema []byte, instances ...json.RawMessage) {
	t.Helper()
	ours, err := Compile(schema)
	theirs, theirErr := askOracle(schema)
	if (err == nil) != (theirErr == nil) {
		t.Errorf("schema %s\nours: %v\ntheirs: %v", schema, err, theirErr)
		return
	}
	if err != nil {
		return
	}
	for _, instance := range instances {
		value, err := decode(instance)
		if err != nil {
			continue
		}
		faults, theirErr := ours.Validate(instance), theirs.Validate(value)
		if (len(faults) == 0) != (theirErr == nil) {
			t.Errorf("schema %s\ninstance %s\nours: %v\ntheirs: %v", schema, instance, faults, theirErr)
		}
	}
}

// Every schema of the suite under every draft, also under those it was not written for.
func TestOracle(t *testing.T) {
	for name, s := range suites(t) {
		for _, group := range s {
			for d := range dialects {
				t.Run(fmt.Sprintf("%s/%s/%d", name, group.Description, d), func(t *testing.T) {
					var instances []json.RawMessage
					for _, tt := range group.Tests {
						instances = append(instances, tt.Data)
					}
					agree(t, inDialect(group.Schema, d, true), instances...)
				})
			}
		}
	}
}

// FuzzFormat lets both implementations judge texts by each format.
func FuzzFormat(f *testing.F) {
	names := []string{"date", "time", "date-time", "duration", "period", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
		"uri-template", "json-pointer", "relative-json-pointer", "uuid", "semver", "regex"}
	schemas := map[string]*Schema{}
	theirs := map[string]*oracle.Schema{}
	for _, name := range names {
		text := []byte(fmt.Sprintf(`{"format":%q}`, name))
		ours, err := Compile(text)
		other, otherErr := askOracle(text)
		if err := errors.Join(err, otherErr); err != nil {
			f.Fatal(err)
		}
		schemas[name], theirs[name] = ours, other
	}
	for _, text := range []string{"2026-02-29", "23:59:60Z", "15:59:60-08:00", "2026-01-02t03:04:05.6+07:00", "P1Y2M3DT4H5M6S", "P3W", "P1D/2026-01-02T03:04:05Z",
		`"a b"@[IPv6:::1]`, "a.b@c.d", "a-b.example.", "1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4", "fe80::1%eth0", "http://[::1]:80/a?b#c", "http://::1/", `a\b`,
		"http://a/{b}/%7Bc", "/a~0~1/b", "0/~2", "12#", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "1.0.0-rc.1+build.01", "1.0.0-01", "[a", "(?=a)", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		value, err := decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			faults, err := schemas[name].Validate(raw), theirs[name].Validate(value)
			if (len(faults) == 0) != (err == nil) && !signed(name, text) {
				t.Errorf("%s %q\nours: %v\ntheirs: %v", name, text, faults, err)
			}
		}
	})
}

// signed tells times such as "+1:02:03Z", which the oracle takes.
func signed(format, text string) bool {
	return (strings.Contains(format, "time") || format == "period") && strings.ContainsAny(text, "+-")
}
