package event

import (
	"io"
	"sync"
)

// Writer writes events as lines of JSON and numbers them. It is safe for concurrent use; each line is one Write.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	seq uint64
	buf []byte
}

// NewWriter makes a Writer whose first event has the number 1.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes one event. An error is that of the writer below, or of an event that has no JSON form, which takes no number.
func (w *Writer) Write(e Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	line, err := Append(w.buf[:0], e, w.seq+1)
	if err != nil {
		return err
	}
	w.seq++
	return w.line(line)
}

// Result writes the last line: the result object with type result.
func (w *Writer) Result(r *Result) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	line, err := appendObject(append(w.buf[:0], `{"type":"result"`...), r)
	if err != nil {
		return err
	}
	return w.line(line)
}

func (w *Writer) line(line []byte) error {
	w.buf = append(line, '\n')
	_, err := w.w.Write(w.buf)
	return err
}
