package config

import (
	"encoding/json"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// interpreterOf is the program that a fenced block is for, by the word that people write behind the fence; "" = there is none.
func interpreterOf(language string) string {
	switch language {
	case "sh", "shell":
		return "sh"
	case "python", "python3", "py":
		return "python"
	case "node", "javascript", "js":
		return "node"
	case "ruby", "rb":
		return "ruby"
	case "bash":
		return "bash"
	}
	return ""
}

// toolName is what the interfaces of models take as the name of a tool, up to 64 characters.
var toolName = lazy.MustCompile(`^[A-Za-z0-9_-]+$`)

// ReadTool reads a custom tool. The tool is nil when the file is skipped or nothing of it could be read; see Broken.
func ReadTool(src []byte, file string, o Origin) (*Tool, Definition, diag.List) {
	doc, def, d, ds := open(KindTool, src, file, o)
	if d == nil {
		return nil, def, ds
	}
	var t Tool
	decode(d, doc.Root, toolTable.Get(), &t)
	if d.name(&def, t.NameRef) && (len(def.Name) > 64 || !toolName.Get().MatchString(def.Name)) {
		d.add(diag.New("E-NAME", def.At, "models cannot call a tool %s", shown(def.Name)).
			Suggest("use letters, digits, _ and -, at most 64"))
	}
	def.Description = t.Summary.V
	if strings.TrimSpace(t.Summary.V) == "" && !t.Summary.Lost() {
		d.add(diag.New("E-NO-DESCRIPTION", doc.Fence, "the tool has no description").
			Suggest("add a line \"description: what it does\"; models choose tools by it"))
	}
	if !t.Parameters.Set() {
		t.Parameters.V = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	t.Notes = doc.Body
	if !t.Run.Written() {
		t.Run, t.Interpreter, t.Notes = d.script("E-TOOL-SCRIPT", "the tool")
	}
	t.Notes = strings.TrimSpace(t.Notes)
	t.Definition = d.finish(def)
	return &t, t.Definition, d.ds
}

// script takes the first fenced block of the body for what a definition runs, and the rest of it for notes.
func (d *decoder) script(code diag.Code, whose string) (run Value[string], interpreter, notes string) {
	b, ok := firstBlock(d.doc.Body)
	if !ok {
		d.add(diag.New(code, d.doc.Fence, "%s has nothing to run", whose).
			Suggest("write run: COMMAND, or a fenced block such as ```sh in the body"))
		return run, "", d.doc.Body
	}
	at := d.doc.BodyRange(b.start, 0)
	program := interpreterOf(b.language)
	if program == "" {
		d.add(diag.New(code, at, "no interpreter for a block of %q", b.language).
			Suggest("write sh, bash, python, node or ruby behind the fence, or run: COMMAND"))
		return run, "", d.doc.Body
	}
	notes = strings.TrimSpace(d.doc.Body[:b.start]) + "\n\n" + strings.TrimSpace(d.doc.Body[b.end:])
	return Value[string]{V: b.text, At: at, Key: at.Span()}, program, notes
}

// toolParameters is a JSON Schema of an object, or the short form: names to types, or to schemas of single values.
func toolParameters() shape[json.RawMessage] {
	full := jsonSchema()
	return shape[json.RawMessage]{
		words:  "JSON Schema, or map of names to types",
		schema: full.schema,
		read: func(d *decoder, n *yaml.Node) (json.RawMessage, bool) {
			if n.Kind != yaml.MappingNode {
				d.wrong(n, "a JSON Schema, or a map of names to types")
				return nil, false
			}
			if isObjectSchema(n) {
				before := len(d.ds)
				if t := child(n, "type"); t == nil {
					n = withType(n)
				} else if t.Value != "object" {
					d.wrong(t, "object, the type of all input")
				}
				raw, ok := full.read(d, n)
				return raw, ok && !d.failed(before)
			}
			return d.shortForm(n)
		},
	}
}

// withType is a schema that says that it is of an object, which the interfaces of models ask for.
func withType(n *yaml.Node) *yaml.Node {
	key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "type", Line: n.Line, Column: n.Column}
	object := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "object", Line: n.Line, Column: n.Column}
	out := *n
	out.Content = append([]*yaml.Node{key, object}, n.Content...)
	return &out
}

// isObjectSchema tells a JSON Schema from the short form, in which "type" may be the name of a parameter.
func isObjectSchema(n *yaml.Node) bool {
	if t := child(n, "type"); t != nil && t.Value == "object" {
		return true
	}
	p := child(n, "properties")
	return p != nil && p.Kind == yaml.MappingNode || child(n, "$schema") != nil || child(n, "$ref") != nil
}

var jsonTypes = []string{"string", "number", "integer", "boolean", "array", "object"}

// shortForm makes a schema out of names and types.
func (d *decoder) shortForm(n *yaml.Node) (json.RawMessage, bool) {
	properties := make(map[string]json.RawMessage, len(n.Content)/2)
	required, all := []string{}, true
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		raw, ok := d.parameter(v)
		properties[k.Value], all = raw, all && ok
		if child(v, "default") == nil {
			required = append(required, k.Value)
		}
	}
	if !all {
		return nil, false
	}
	out, err := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	})
	return out, err == nil
}

// parameter is the schema of one value in the short form.
func (d *decoder) parameter(v *yaml.Node) (json.RawMessage, bool) {
	if v.Kind == yaml.MappingNode {
		raw, ok := d.toJSON(v)
		return raw, ok && d.compiles(v, raw)
	}
	name, ok := word(nil, jsonTypes...).read(d, v)
	return json.RawMessage(`{"type":"` + name + `"}`), ok
}
