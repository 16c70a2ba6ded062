package providers

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// MarshalJSON writes the stored form.
func (m Message) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }

// AppendJSON adds the stored form, in one line. It is written by hand since every turn of every run stores its messages;
// arguments that are no JSON are an error.
func (m Message) AppendJSON(dst []byte) ([]byte, error) {
	dst = jsontext.AppendString(append(dst, `{"role":`...), string(m.Role))
	dst = append(dst, `,"parts":[`...)
	for i, p := range m.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"type":"`...), p.partType()...), '"')
		var err error
		if dst, err = appendPart(dst, p); err != nil {
			return nil, err
		}
	}
	return append(dst, "]}"...), nil
}

// appendPart adds the fields of a part and closes its object.
func appendPart(dst []byte, p Part) ([]byte, error) {
	switch p := p.(type) {
	case Text:
		dst = jsontext.AppendString(append(dst, `,"text":`...), p.Text)
		return append(dst, '}'), nil
	case ToolCall:
		dst = jsontext.AppendString(append(dst, `,"id":`...), p.ID)
		dst = jsontext.AppendString(append(dst, `,"name":`...), p.Name)
		return appendArgs(append(dst, `,"args":`...), p.Args)
	case ToolResult:
		if len(p.Blobs) > 0 {
			break
		}
		dst = jsontext.AppendString(append(dst, `,"call_id":`...), p.CallID)
		dst = jsontext.AppendString(append(dst, `,"name":`...), p.Name)
		dst = jsontext.AppendString(append(dst, `,"content":`...), p.Content)
		if p.IsError {
			dst = append(dst, `,"is_error":true`...)
		}
		return append(dst, '}'), nil
	}
	fields, err := jsontext.Marshal(p)
	if err != nil {
		return nil, err
	}
	if len(fields) > 2 {
		dst = append(dst, ',')
	}
	return append(dst, fields[1:]...), nil
}

func appendArgs(dst []byte, args json.RawMessage) ([]byte, error) {
	if args == nil {
		return append(dst, "null}"...), nil
	}
	line := bytes.NewBuffer(dst)
	if err := json.Compact(line, args); err != nil {
		return nil, fmt.Errorf("arguments of a call: %w", err)
	}
	line.WriteByte('}')
	return line.Bytes(), nil
}

// UnmarshalJSON reads the stored form; an unknown part type is an error, since it would otherwise be lost in silence.
func (m *Message) UnmarshalJSON(b []byte) error {
	var in struct {
		Role  Role              `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	m.Role, m.Parts = in.Role, make([]Part, len(in.Parts))
	for i, raw := range in.Parts {
		p, err := unmarshalPart(raw)
		if err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
		m.Parts[i] = p
	}
	return nil
}

func unmarshalPart(raw json.RawMessage) (Part, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	switch head.Type {
	case "text":
		return decodePart[Text](raw)
	case "reasoning":
		return decodePart[Reasoning](raw)
	case "blob":
		return decodePart[Blob](raw)
	case "tool_call":
		return decodePart[ToolCall](raw)
	case "tool_result":
		return decodePart[ToolResult](raw)
	case "opaque":
		return decodePart[Opaque](raw)
	}
	return nil, fmt.Errorf("unknown part type %q", head.Type)
}

func decodePart[P Part](raw json.RawMessage) (Part, error) {
	var p P
	err := json.Unmarshal(raw, &p)
	return p, err
}
