package event

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// Append adds the JSON object of an event to dst, without a line break. seq is its number in the output, from 1.
func Append(dst []byte, e Event, seq uint64) ([]byte, error) {
	switch e := e.(type) {
	case *ContentChunk:
		dst = appendHeader(dst, e.Type(), &e.Header, seq)
		dst = appendField(dst, "chunk_type", e.ChunkType)
		return append(appendField(dst, "content", e.Content), '}'), nil
	case *ThinkingChunk:
		dst = appendHeader(dst, e.Type(), &e.Header, seq)
		return append(appendField(dst, "content", e.Content), '}'), nil
	case *Lower:
		return appendObject(appendHeader(dst, e.Type(), &e.Header, seq), e.Note)
	}
	return appendObject(appendHeader(dst, e.Type(), e.Head(), seq), e)
}

// appendHeader leaves the object open.
func appendHeader(dst []byte, name string, h *Header, seq uint64) []byte {
	dst = append(dst, `{"type":`...)
	dst = jsontext.AppendString(dst, name)
	dst = Time{h.Time}.AppendJSON(append(dst, `,"time":`...))
	dst = appendField(dst, "run", h.Run)
	dst = appendField(dst, "agent", h.Agent)
	dst = strconv.AppendUint(append(dst, `,"seq":`...), seq, 10)
	if h.Session != "" {
		dst = appendField(dst, "session", h.Session)
	}
	dst = strconv.AppendInt(append(dst, `,"generation":`...), int64(h.Generation), 10)
	dst = strconv.AppendInt(append(dst, `,"depth":`...), int64(h.Depth), 10)
	if h.ParentRun != "" {
		dst = appendField(dst, "parent_run", h.ParentRun)
	}
	if h.Job != "" {
		dst = appendField(dst, "job", h.Job)
		dst = appendField(dst, "case", h.Case)
	}
	return dst
}

// appendObject adds the fields of v's JSON object and closes the object that dst is in.
func appendObject(dst []byte, v any) ([]byte, error) {
	body, err := jsontext.Marshal(v)
	if err != nil {
		return dst, err
	}
	if len(body) > 2 {
		dst = append(dst, ',')
	}
	return append(dst, body[1:]...), nil
}

func appendField(dst []byte, key, value string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	dst = append(dst, '"', ':')
	return jsontext.AppendString(dst, value)
}

// Parse reads one line that Append wrote. A type that this version does not know becomes a Lower with a Raw note.
func Parse(line []byte) (Event, error) {
	var in struct {
		Type       string    `json:"type"`
		Time       time.Time `json:"time"`
		Run        string    `json:"run"`
		Agent      string    `json:"agent"`
		Session    string    `json:"session"`
		Generation int       `json:"generation"`
		Depth      int       `json:"depth"`
		ParentRun  string    `json:"parent_run"`
		Job        string    `json:"job"`
		Case       string    `json:"case"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, err
	}
	e := blank(in.Type)
	if e == nil {
		fields, err := payload(line)
		if err != nil {
			return nil, err
		}
		e = &Lower{Note: Raw{in.Type, fields}}
	} else if err := json.Unmarshal(line, e); err != nil {
		return nil, err
	}
	*e.Head() = Header{in.Time, in.Run, in.Agent, in.Session, in.Generation, in.Depth, in.ParentRun, in.Job, in.Case}
	return e, nil
}

// Raw is a note that was read back: its name and the object of its fields.
type Raw struct {
	Name   string
	Fields json.RawMessage
}

// Type is the name.
func (r Raw) Type() string { return r.Name }

// MarshalJSON is the fields.
func (r Raw) MarshalJSON() ([]byte, error) { return r.Fields, nil }

// payload is the object of a line without the keys of the header.
func payload(line []byte) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, err
	}
	for _, key := range headerKeys() {
		delete(all, key)
	}
	return jsontext.Marshal(all)
}

func headerKeys() []string {
	return []string{"type", "time", "run", "agent", "seq", "session", "generation", "depth", "parent_run"}
}
