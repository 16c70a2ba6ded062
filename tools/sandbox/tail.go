package sandbox

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"time"
)

// tail keeps the last bytes of a stream.
type tail struct {
	max  int
	file *os.File
	over chan struct{} // closed at the end of the stream

	mu  sync.Mutex
	buf []byte
	cut bool
}

func (t *tail) begin(f *os.File) {
	t.file, t.over = f, make(chan struct{})
	go func() {
		defer close(t.over)
		buf := make([]byte, 4<<10)
		for {
			n, err := f.Read(buf)
			t.add(buf[:n])
			if err != nil {
				return
			}
		}
	}()
}

func (t *tail) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - t.max; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
}

// finish stops reading, after a moment for who still writes.
func (t *tail) finish(grace time.Duration) {
	select {
	case <-t.over:
	case <-time.After(grace):
	}
	t.file.Close()
	<-t.over
}

// String is what was kept, from the start of a line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.buf
	if i := bytes.IndexByte(b, '\n'); t.cut && i >= 0 && i+1 < len(b) {
		b = b[i+1:]
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
