package event

import "time"

// timeFormat is RFC 3339 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// Time is a moment as events, session records and answers of commands write it: RFC 3339 in UTC with milliseconds.
type Time struct{ time.Time }

// MarshalJSON writes the moment as a string.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.AppendJSON(make([]byte, 0, len(timeFormat)+2)), nil
}

// AppendJSON adds the moment as a JSON string.
func (t Time) AppendJSON(dst []byte) []byte { return t.UTC().AppendFormat(dst, `"`+timeFormat+`"`) }
