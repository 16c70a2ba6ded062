package session

import "github.com/swarmrun/swarmrun/internal/jsontext"

// appendHead adds the first line of a file.
func appendHead(dst []byte, h Head) ([]byte, error) {
	line, err := jsontext.Marshal(headJSON{"session", Version, h})
	return append(append(dst, line...), '\n'), err
}

// appendRecord adds a record as one line: what encoding/json makes of the struct, written by hand since every tool call of
// every run stores two.
func appendRecord(dst []byte, r *Record) (_ []byte, err error) {
	dst = jsontext.AppendString(append(dst, `{"type":`...), string(r.Type))
	dst = append(dst, `,"time":`...)
	dst = r.Time.AppendJSON(dst)
	dst = jsontext.AppendString(append(dst, `,"run":`...), r.Run)
	dst = jsontext.AppendString(append(dst, `,"agent":`...), r.Agent)
	if r.Message != nil {
		if dst, err = r.Message.AppendJSON(append(dst, `,"message":`...)); err != nil {
			return nil, err
		}
	}
	dst = appendTrue(dst, "incomplete", r.Incomplete)
	dst = appendText(dst, "tool_call_id", r.ToolCallID)
	dst = appendText(dst, "tool", r.Tool)
	dst = appendText(dst, "content", r.Content)
	dst = appendTrue(dst, "is_error", r.IsError)
	for _, f := range []struct {
		name  string
		value any
		set   bool
	}{{"blobs", r.Blobs, len(r.Blobs) > 0}, {"file", r.File, r.File != ""}, {"result", r.Result, r.Result != nil},
		{"replaces", r.Replaces, r.Replaces != 0}, {"messages", r.Messages, len(r.Messages) > 0}} {
		if !f.set {
			continue
		}
		raw, err := jsontext.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		dst = append(append(append(append(dst, `,"`...), f.name...), `":`...), raw...)
	}
	dst = appendTrue(dst, "apart", r.Apart)
	return append(dst, "}\n"...), nil
}

func appendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return jsontext.AppendString(append(append(append(dst, `,"`...), name...), `":`...), text)
}

func appendTrue(dst []byte, name string, set bool) []byte {
	if !set {
		return dst
	}
	return append(append(append(dst, `,"`...), name...), `":true`...)
}
