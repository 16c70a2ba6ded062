package config

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	schemas "github.com/swarmrun/swarmrun/internal/schema"
)

var update = flag.Bool("update", false, "write docs/reference.md")

// TestReferenceDoc compares docs/reference.md with the tables of fields; go test -run ReferenceDoc ./config -update writes it.
func TestReferenceDoc(t *testing.T) {
	file := filepath.Join("..", "docs", "reference.md")
	want := "# Reference of all fields\n\n<!-- Code generated from the field tables of config; DO NOT EDIT. -->\n"
	for _, k := range Described() {
		want += "\n" + Reference(k)
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/reference.md is stale (-want +got):\n%s", diff)
	}
}

// exampleOf is a mapping that has an example of every field; leave names the fields that exclude others.
func exampleOf[T any](t *testing.T, tab *table[T], leave ...string) string {
	t.Helper()
	var b strings.Builder
	for _, f := range tab.fields {
		switch {
		case slices.Contains(leave, f.key):
		case f.inactive:
			fmt.Fprintf(&b, "%s: x\n", f.key)
		case f.example == "":
			t.Errorf("the field %q has no example", f.key)
		default:
			fmt.Fprintf(&b, "%s: %s\n", f.key, f.example)
		}
		if f.doc == "" || f.words == "" {
			t.Errorf("the field %q says nothing about itself: %q, %q", f.key, f.doc, f.words)
		}
	}
	return b.String()
}

// checkTable decodes the examples of a table, finds every field of T filled by them, and every example allowed by the schema
// under each of its spellings.
func checkTable[T any](t *testing.T, tab *table[T], exempt ...string) {
	t.Helper()
	src := exampleOf(t, tab)
	doc, ds := frontmatter.ParseYAML([]byte(src), "example.yaml")
	if len(ds) > 0 {
		t.Fatalf("the examples are no YAML: %v\n%s", ds, src)
	}
	d := &decoder{doc: doc, known: knownKeys.Get(), strict: true}
	var out T
	if f, ok := any(&out).(*agentFile); ok {
		*f = *newAgentFile()
	}
	decode(d, doc.Root, tab, &out)
	if len(d.ds) > 0 {
		t.Errorf("the examples give findings: %v\n%s", d.ds, src)
	}
	for name := range unfilled(reflect.ValueOf(out)) {
		if !slices.Contains(exempt, name) {
			t.Errorf("no field of the table fills %T.%s", out, name)
		}
	}
	schema := compiled(t, tab.object())
	for i := 0; i+1 < len(doc.Root.Content); i += 2 {
		k, v := doc.Root.Content[i], doc.Root.Content[i+1]
		f := tab.find(k.Value)
		for _, name := range append([]string{f.key}, f.names...) {
			for _, fault := range schema.Validate(jsonOf(t, d, map[string]*yaml.Node{name: v})) {
				if !strings.Contains(fault.Message, "missing") {
					t.Errorf("the schema refuses the example of %q: %v", name, fault)
				}
			}
		}
	}
	if tab.rest == nil {
		if faults := schema.Validate(json.RawMessage(`{"no_such_key": 1}`)); len(faults) == 0 {
			t.Error("the schema lets an unknown key pass")
		}
	}
}

// structFields are the names of the fields of a struct.
func structFields[T any]() []string {
	var names []string
	for f := range reflect.TypeFor[T]().Fields() {
		names = append(names, f.Name)
	}
	return names
}

// unfilled are the exported fields of a struct that are zero.
func unfilled(v reflect.Value) map[string]bool {
	out := map[string]bool{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case f.Name == "AgentExtras":
			maps.Copy(out, unfilled(v.Field(i).Elem()))
		case f.Name == "Agent" && f.Anonymous:
			for name := range unfilled(v.Field(i)) {
				out[name] = true
			}
		case f.IsExported() && v.Field(i).IsZero():
			out[f.Name] = true
		}
	}
	return out
}

func compiled(t *testing.T, s schema) *schemas.Schema {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	c, err := schemas.Compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func jsonOf(t *testing.T, d *decoder, values map[string]*yaml.Node) json.RawMessage {
	t.Helper()
	out := map[string]json.RawMessage{}
	for name, n := range values {
		raw, ok := d.toJSON(n)
		if !ok {
			t.Fatalf("%q is no JSON: %v", name, d.ds)
		}
		out[name] = raw
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTablesSchemasAndStructsAgree(t *testing.T) {
	t.Run("agent", func(t *testing.T) { checkTable(t, agentTable.Get(), "Definition", "Prompt", "Body") })
	t.Run("tool", func(t *testing.T) { checkTable(t, toolTable.Get(), "Definition", "Notes", "Interpreter") })
	t.Run("hook", func(t *testing.T) {
		checkTable(t, hookTable.Get(), "Definition", "Notes", "Interpreter")
	})
	t.Run("settings", func(t *testing.T) {
		checkTable(t, settingsTable.Get(), "File", "Models", "Providers", "Override", "Origins")
	})
	t.Run("script", func(t *testing.T) { checkTable(t, scriptTable.Get()) })
	t.Run("model", func(t *testing.T) { checkTable(t, modelTable.Get(), "Name", "Chain", "KeyVar") })
	t.Run("price", func(t *testing.T) { checkTable(t, priceTable.Get()) })
	t.Run("provider", func(t *testing.T) { checkTable(t, providerTable.Get(), "Name", "KeyVar") })
	t.Run("limits", func(t *testing.T) { checkTable(t, limitsTable.Get()) })
	t.Run("breaker", func(t *testing.T) { checkTable(t, breakerTable.Get()) })
	t.Run("sandbox", func(t *testing.T) { checkTable(t, sandboxTable.Get()) })
	t.Run("retry", func(t *testing.T) { checkTable(t, retryTable.Get(), "AttemptTimeout", "Jitter") })
	t.Run("permissions", func(t *testing.T) { checkTable(t, permissionTable.Get(), "At") })
	t.Run("budget", func(t *testing.T) { checkTable(t, budgetTable.Get()) })
	t.Run("thinking", func(t *testing.T) { checkTable(t, thinkingTable.Get()) })
	t.Run("context", func(t *testing.T) { checkTable(t, contextTable.Get()) })
	t.Run("parameters", func(t *testing.T) { checkTable(t, parameterTable(), "Extra") })
	t.Run("delegate", func(t *testing.T) { checkTable(t, delegateFields.Get()) })
	t.Run("rule", func(t *testing.T) { checkTable(t, ruleTable.Get(), "At") })
	t.Run("when", func(t *testing.T) { checkTable(t, whenTable.Get(), "At") })
	t.Run("reply", func(t *testing.T) { checkTable(t, replyTable.Get()) })
	t.Run("call", func(t *testing.T) { checkTable(t, callTable.Get(), "At") })
	t.Run("usage", func(t *testing.T) { checkTable(t, usageTable.Get()) })
	t.Run("job", func(t *testing.T) { checkTable(t, jobTable.Get()) })
	t.Run("case", func(t *testing.T) { checkTable(t, caseTable.Get(), "At", "Matrix") })
	t.Run("part", func(t *testing.T) { checkTable(t, partTable.Get()) })
	t.Run("setup", func(t *testing.T) { checkTable(t, setupTable.Get()) })
	t.Run("shell", func(t *testing.T) { checkTable(t, shellTable.Get()) })
	t.Run("job limits", func(t *testing.T) { checkTable(t, jobLimitsTable.Get()) })
	for name, tab := range map[string]*table[JobCheck]{
		"assertion": assertionTable.Get(), "json": jsonCheckTable.Get(), "tool_called": callCheckTable.Get(), "tool_not_called": uncalledCheckTable.Get(),
		"tool_result": resultCheckTable.Get(), "hook_blocked": hookCheckTable.Get(), "event": eventCheckTable.Get(), "file": fileCheckTable.Get(),
		"diff": diffCheckTable.Get(), "command": commandCheckTable.Get(), "judge": judgeCheckTable.Get(),
	} { // what a kind has no use for is empty
		t.Run(name, func(t *testing.T) { checkTable(t, tab, structFields[JobCheck]()...) })
	}
	t.Run("failure", func(t *testing.T) { checkTable(t, failureTable.Get()) })
}

// TestJSONSchemas holds the published schemas against whole files.
func TestJSONSchemas(t *testing.T) {
	for _, c := range []struct {
		kind   Kind
		text   string
		faults int
	}{
		{KindSettings, fullSettings, 0},
		{KindSettings, "models: {m: {provider: openai, model: x, context_window: \"${WINDOW}\"}}\n", 0},
		{KindSettings, "models: {m: {provider: openai, model: x, context_window: wide}}\n", 1},
		{KindSettings, "modles: {}\n", 1},
		{KindSettings, "retry: {attempts: 21}\n", 1},
		{KindAgent, "name: a\ndescription: b\ntools: [Read]\ncolour: red\n", 0},
		{KindAgent, "name: a\n", 1},
		{KindAgent, "name: a\ndescription: b\nmax_turns: 0\n", 1},
		{KindAgent, "name: a\ndescription: b\ncontext: {compact_at: 1, keep_recent: 0}\n", 0},
		{KindAgent, "name: a\ndescription: b\ncontext: {compact_at: 0}\n", 1},
		{KindTool, "name: a\ndescription: b\nparameters: {path: string}\n", 0},
		{KindHook, "event: [before_tool, Stop]\nmatch: [Write, Edit]\nrun: x\n", 0},
		{KindHook, "run: x\n", 1},
		{KindModel, "rules: [{when: [{agent: a}, {turn: 1}], reply: {text: x}}]\n", 0},
		{KindJob, "agent: a\nmatrix: {n: [1, 2]}\nrepeat: ${{ matrix.n }}\ncases: [{prompt: x, expect: [{turns: \"<= 3\"}, {json: $.a}]}]\n", 0},
		{KindJob, "agent: a\nprompt: x\nexpect: [{contians: x}]\n", 1},
		{KindModel, "rules: [{when: {agnet: a}, reply: {text: x}}]\n", 1},
	} {
		raw, ok := JSONSchema(c.kind)
		if !ok {
			t.Fatalf("no schema of %s", c.kind)
		}
		s, err := schemas.Compile(raw)
		if err != nil {
			t.Fatalf("schema of %s: %v", c.kind, err)
		}
		doc, ds := frontmatter.ParseYAML([]byte(c.text), "x.yaml")
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		instance, _ := (&decoder{doc: doc}).toJSON(doc.Root)
		if faults := s.Validate(instance); len(faults) != c.faults {
			t.Errorf("%s: %q gives %v, want %d faults", c.kind, c.text, faults, c.faults)
		}
	}
	if _, ok := JSONSchema(KindWorkflow); ok {
		t.Error("workflows have a schema without fields")
	}
}

// TestCodesAreExplained reads the package's own source for codes.
func TestCodesAreExplained(t *testing.T) {
	for _, dir := range []string{".", filepath.Join("..", "internal", "frontmatter")} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range strings.Split(string(src), `"`) {
				if len(part) > 3 && strings.IndexByte("EWLI", part[0]) >= 0 && part[1] == '-' && strings.ToUpper(part) == part && !strings.ContainsAny(part, " \n%") {
					if _, ok := diag.Lookup(diag.Code(part)); !ok {
						t.Errorf("%s: the code %s is not explained in config/diag/codes.go", f, part)
					}
				}
			}
		}
	}
}
