package sandbox

import (
	"fmt"
	"os"
	"sync"
)

// Stream is what a child wrote, head and tail.
type Stream struct {
	Head, Tail []byte
	Omitted    int64 // bytes between them that were read and dropped
}

// String is the text, with a note where bytes were dropped.
func (s Stream) String() string {
	if s.Omitted == 0 {
		return string(s.Head) + string(s.Tail)
	}
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", s.Head, s.Omitted, s.Tail)
}

// reader reads a stream to its end, however much comes: a child never waits for us.
type reader struct {
	file *os.File
	done chan struct{} // closed at the end of the stream

	mu   sync.Mutex
	half int
	head []byte
	ring []byte // the last bytes, once head is full
	at   int    // where the next byte goes
	seen int64  // bytes after head
}

func newReader(f *os.File, keep int) *reader {
	return &reader{file: f, done: make(chan struct{}), half: max(keep/2, 1)}
}

func (r *reader) begin() {
	go func() {
		defer close(r.done)
		buf := make([]byte, 32<<10)
		for {
			n, err := r.file.Read(buf)
			r.keep(buf[:n])
			if err != nil {
				return
			}
		}
	}()
}

func (r *reader) keep(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(b), r.half-len(r.head))
	r.head = append(r.head, b[:n]...)
	b = b[n:]
	r.seen += int64(len(b))
	if over := len(b) - r.half; over > 0 {
		b = b[over:]
	}
	for len(b) > 0 {
		if len(r.ring) < r.half { // still growing: at is its end
			n := min(len(b), r.half-len(r.ring))
			r.ring = append(r.ring, b[:n]...)
			r.at, b = len(r.ring)%r.half, b[n:]
			continue
		}
		n := copy(r.ring[r.at:], b)
		r.at, b = (r.at+n)%r.half, b[n:]
	}
}

// finish stops reading and returns what came.
func (r *reader) finish() Stream {
	r.file.Close() // ends a Read that waits for a process out of our reach
	<-r.done
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Stream{Head: r.head, Omitted: r.seen - int64(len(r.ring))}
	if len(r.ring) < r.half {
		s.Tail = r.ring
	} else {
		s.Tail = append(append(make([]byte, 0, len(r.ring)), r.ring[r.at:]...), r.ring[:r.at]...)
	}
	return s
}
