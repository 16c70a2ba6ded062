package wire

import "sync"

// buffers are bytes to be used again, of whatever size was needed last. The zero value is ready, for many goroutines.
type buffers struct{ pool sync.Pool }

// get is an empty buffer with room for size bytes.
func (b *buffers) get(size int) []byte {
	if old, ok := b.pool.Get().(*[]byte); ok && cap(*old) >= size {
		return (*old)[:0]
	}
	return make([]byte, 0, size)
}

// put takes a buffer that nobody reads any more.
func (b *buffers) put(buf []byte) { b.pool.Put(&buf) }
