package config

import (
	"encoding/json"
	"time"
)

// toolTable is the fields of a custom tool.
var toolTable = lazyTable[Tool]{New: func() *table[Tool] {
	return newTable(
		value("name", text(), func(t *Tool) *Ref { return &t.NameRef }).
			or("file name").like("list_notes").means("what agents call it by"),
		value("description", text(), func(t *Tool) *Value[string] { return &t.Summary }).needed().
			like("Lists the notes of a folder.").means("what it does; models choose by it"),
		value("parameters", toolParameters(), func(t *Tool) *Value[json.RawMessage] { return &t.Parameters }).
			like("{path: string, depth: {type: integer, default: 2}}").
			means("JSON Schema of the input, or names to types; a parameter without default is required there"),
		value("run", one(commandLine), func(t *Tool) *Value[string] { return &t.Run }).guarded().
			or("the first fenced block").like("./list.sh").means("command line; the input is JSON on stdin and SWARMRUN_ARG_NAME"),
		value("timeout", span(bounds{above: true}), func(t *Tool) *Value[time.Duration] { return &t.Timeout }).
			or("60s").like("10s").means("time of one call"),
		value("env", textMap(), func(t *Tool) *Value[map[string]string] { return &t.Env }).
			or("{}").like("{TZ: UTC}").means("more variables of the command"),
		value("read_only", boolean(), func(t *Tool) *Value[bool] { return &t.ReadOnly }).
			or("false").like("true").means("it changes nothing, so that plan mode offers it"),
		with("output", word(nil, "text", "json"), func(t *Tool, v Value[string]) {
			t.JSON = Value[bool]{V: v.V == "json", At: v.At, Key: v.Key}
		}).or("text").like("json").means("what stdout holds"),
	).labelled()
}}
