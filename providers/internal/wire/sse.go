package wire

import (
	"bytes"
	"errors"
	"io"
)

// MaxEvent is the largest event of a stream, MaxBody the largest unary answer, MaxErrorBody how much of an error body is
// read.
const (
	MaxEvent     = 8 << 20
	MaxBody      = 32 << 20
	MaxErrorBody = 64 << 10
)

// ErrTooLong says that an event is larger than MaxEvent.
var ErrTooLong = errors.New("event too long")

// Event is one server-sent event, or a comment. Name and Data are valid until the next call of Next.
type Event struct {
	Name    []byte
	Data    []byte
	Comment bool
	Partial bool // the stream ended inside this event
}

// EventReader decodes server-sent events: BOM, LF, CRLF and CR line ends, data with and without a blank, data on several
// lines, comments. Lines may be of any length up to MaxEvent.
type EventReader struct {
	src    io.Reader
	buf    []byte
	r, w   int // unread bytes are buf[r:w]
	seen   int // of which so many hold no line end
	skipLF bool
	began  bool
	err    error

	name []byte
	data []byte
	has  bool // a data line came since the last event
}

// firstBuffer is as much as the transport reads at once; the buffer grows with the lines.
const firstBuffer = 4 << 10

// NewEventReader reads from src, which it does not close, through a buffer, which may grow.
func NewEventReader(src io.Reader, buf []byte) *EventReader {
	return &EventReader{src: src, buf: buf[:cap(buf)]}
}

// Next is the next event or comment. At the end of the stream, clean or not, a complete event that only lacks its blank
// line still comes, after it the error; a line that the clean end cut off comes marked Partial.
func (r *EventReader) Next() (Event, error) {
	r.reset()
	for {
		line, err := r.line()
		if err != nil {
			return r.finish(line, err)
		}
		switch {
		case len(line) == 0:
			if r.has {
				return Event{Name: r.name, Data: r.data}, nil
			}
			r.reset()
		case line[0] == ':':
			if !r.has {
				return Event{Comment: true}, nil
			}
		default:
			if err := r.field(line); err != nil {
				return Event{}, err
			}
		}
	}
}

func (r *EventReader) reset() {
	r.name, r.data, r.has = r.name[:0], r.data[:0], false
}

func (r *EventReader) finish(line []byte, err error) (Event, error) {
	partial := false
	if err == io.EOF && len(line) > 0 && line[0] != ':' {
		partial = true
		if err := r.field(line); err != nil {
			return Event{}, err
		}
	}
	if !r.has {
		return Event{}, err
	}
	r.err, r.r, r.w = err, 0, 0
	return Event{Name: r.name, Data: r.data, Partial: partial}, nil
}

func (r *EventReader) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		if len(r.data)+len(value) > MaxEvent {
			return ErrTooLong
		}
		if r.has {
			r.data = append(r.data, '\n')
		}
		r.data, r.has = append(r.data, value...), true
	case "event":
		r.name = append(r.name[:0], value...)
	}
	return nil
}

// line is the next line without its end. With an error it is what was left of an unfinished one.
func (r *EventReader) line() ([]byte, error) {
	for {
		if r.skipLF && r.r < r.w {
			if r.buf[r.r] == '\n' {
				r.r++
			}
			r.skipLF = false
		}
		rest := r.buf[r.r:r.w]
		if !r.began && len(rest) >= 3 {
			r.began = true
			if bom := []byte("\xef\xbb\xbf"); bytes.HasPrefix(rest, bom) {
				rest, r.r, r.seen = rest[len(bom):], r.r+len(bom), 0
			}
		}
		if i := lineEnd(rest[r.seen:]); i >= 0 {
			i += r.seen
			r.seen, r.began = 0, true
			r.skipLF = rest[i] == '\r'
			r.r += i + 1
			return rest[:i], nil
		}
		r.seen = len(rest)
		if r.err != nil {
			r.r, r.seen = r.w, 0
			return rest, r.err
		}
		if len(rest) > MaxEvent {
			return nil, ErrTooLong
		}
		r.fill()
	}
}

func lineEnd(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if j := bytes.IndexByte(b[:i], '\r'); j >= 0 {
		return j
	}
	return i
}

func (r *EventReader) fill() {
	if r.r > 0 {
		copy(r.buf, r.buf[r.r:r.w])
		r.r, r.w = 0, r.w-r.r
	}
	if r.w == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.src.Read(r.buf[r.w:])
	r.w += n
	if err != nil {
		r.err = err
	}
}
