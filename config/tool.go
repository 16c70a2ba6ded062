package config

import (
	"encoding/json"
	"time"
)

// Tool is a custom tool file: tools/<any>.md.
type Tool struct {
	Definition
	Notes       string // the body without its script: notes for the model
	NameRef     Ref
	Summary     Value[string]
	Parameters  Value[json.RawMessage] // JSON Schema of the input, short form expanded; always an object
	Run         Value[string]          // a command line, or the text of the first fenced block
	Interpreter string                 // of a fenced block: sh, bash, python, node, ruby; "" = Run is a command line for sh
	Timeout     Value[time.Duration]
	Env         Value[map[string]string]
	ReadOnly    Value[bool]
	JSON        Value[bool] // output: json
}
