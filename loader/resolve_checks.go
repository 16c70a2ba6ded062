package loader

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/schema"
)

// check compiles a check.
func (r *jobResolver) check(k config.JobCheck, c *agents.Case) agents.Check {
	out := agents.Check{
		Kind: k.Kind, Name: k.Name.V, Text: k.Text, Lost: k.Lost, Path: k.Path, Value: k.Value, Input: k.Input, Error: k.Error,
		Exists: k.Exists, Times: (*agents.Bound)(k.Times), Lines: (*agents.Bound)(k.Lines), Only: k.Only, Keep: k.Keep,
		Run: shell(k.Run), Model: k.Model.V, Rubric: k.Rubric, Pass: cmp.Or(k.Pass, 0.7), Votes: max(k.Votes, 1), Cost: k.Cost, Timeout: k.Timeout, Origin: k.Key,
	}
	if k.Pattern != "" {
		out.Pattern = regexp.MustCompile(k.Pattern) // config has compiled it
	}
	if k.Condition != nil {
		out.Condition, out.Source = k.Condition, k.Condition.String()
	}
	for _, o := range k.Order {
		out.Order = append(out.Order, r.check(o, c))
	}
	raw := k.Schema
	switch {
	case k.Kind == "json_schema" && k.File.Set():
		raw = r.schemaFile(k.File)
	case k.File.Set():
		out.File = r.place(k.File.V)
	case k.Kind == "judge" && c.Tape != "":
		ext := filepath.Ext(c.Tape)
		out.File = strings.TrimSuffix(c.Tape, ext) + ".judge" + ext
	}
	if out.File != "" {
		r.job.made.Files = append(r.job.made.Files, out.File)
	}
	if raw != nil {
		out.Schema = r.validator(raw, k.File)
	}
	if k.Kind == "json" && !k.Name.Set() {
		r.reaches(k, c)
	}
	r.model(k.Model)
	return out
}

// schemaFile reads a schema that lies in a file of its own.
func (r *jobResolver) schemaFile(f config.Ref) json.RawMessage {
	path := r.place(f.V)
	r.job.made.Files = append(r.job.made.Files, path)
	raw, err := r.sources.read(path)
	if err != nil {
		r.ds.Add(diag.New("E-FIXTURE", f.At, "the schema %q cannot be used: %s", f.V, readFault(err)).Suggest("paths start at the workspace's folder"))
		return nil
	}
	return raw
}

func (r *jobResolver) validator(raw json.RawMessage, from config.Ref) agents.Validator {
	s, err := schema.Compile(raw)
	if err != nil {
		var bad schema.CompileErrors
		errors.As(err, &bad)
		for _, e := range bad {
			r.ds.Add(diag.New("E-SCHEMA", from.At, "%s is no JSON Schema: %v", quoted(from.V), e).Suggest("correct the file; it is of draft 2020-12"))
		}
		return nil
	}
	return func(v json.RawMessage) []string {
		var out []string
		for _, f := range s.Validate(v) {
			out = append(out, f.String())
		}
		return out
	}
}

// reaches holds a path against the schema of the agent's answers, as far as that names properties.
func (r *jobResolver) reaches(k config.JobCheck, c *agents.Case) {
	a := r.byName[r.asked(c.Target)]
	if r.lost || a == nil || k.Path == nil || !a.Output.Set() || k.Exists != nil && !*k.Exists {
		return
	}
	var at map[string]any
	if json.Unmarshal(a.Output.V, &at) != nil {
		return
	}
	for _, s := range k.Path.Steps() {
		names, ok := at["properties"].(map[string]any)
		if s.Element || s.All {
			if at["prefixItems"] != nil {
				return // items speaks of the rest only
			}
			if at, ok = at["items"].(map[string]any); !ok {
				return // nothing is said
			}
			continue
		}
		if next, there := names[s.Name]; there {
			if at, ok = next.(map[string]any); !ok {
				return // true: anything
			}
			continue
		}
		if !ok || namesMore(at) {
			return
		}
		code := diag.Code("W-JSONPATH")
		if at["additionalProperties"] == false {
			code = "E-JSONPATH"
		}
		r.ds.Add(suggest(diag.New(code, k.At, "%s leads nowhere: the output of %q has no %q there", k.Path, a.Name, s.Name), s.Name, slices.Sorted(maps.Keys(names)), "Properties there").
			Note(a.Output.At, "the schema"))
		return
	}
}

// applicators are the keywords beside properties that may allow names of their own.
var applicators = [...]string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"}

// namesMore tells whether an object may have names that do not stand under properties by the word of its schema.
func namesMore(schema map[string]any) bool {
	if others, said := schema["additionalProperties"]; said && others != false {
		return true
	}
	return slices.ContainsFunc(applicators[:], func(k string) bool { return schema[k] != nil })
}
