package launch

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAside begins on the first thread of the process, where the test's goroutine may be, and ends up elsewhere.
func TestAside(t *testing.T) {
	for range 200 {
		tid := make(chan int)
		go aside(func() { tid <- unix.Gettid() })
		if <-tid == unix.Getpid() {
			t.Fatal("the first thread of the process was taken")
		}
		runtime.Gosched()
	}
}
