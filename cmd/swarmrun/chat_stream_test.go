//go:build unix

package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmrun/swarmrun/runner/event"
)

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestChatStream streams 10,000 pieces through the pump onto a screen, in as many milliseconds: thirty frames a second or
// more, each of them drawn in less processor time than a frame has, and nothing is lost.
func TestChatStream(t *testing.T) {
	const pieces = 10_000
	var text strings.Builder
	s := newChatScreen(true)
	s.size(120, 40)
	frames, heard := 0, 0
	var drawing time.Duration
	synctest.Test(t, func(t *testing.T) {
		p := newPump()
		done := make(chan struct{})
		ctx := t.Context()
		go p.work(ctx, func(items []any) {
			for _, item := range items {
				heard++
				s.event(item.(event.Event))
			}
			frames++
			began := cpu()
			s.lines()
			drawing += cpu() - began
			if heard == pieces {
				close(done)
			}
		})
		began := time.Now()
		for i := range pieces {
			piece := fmt.Sprintf("word%d ", i)
			if i%40 == 39 {
				piece += "\n\n- **item**\n\n"
			}
			text.WriteString(piece)
			p.put(&event.ContentChunk{Header: head("lead", 0), ChunkType: "content", Content: piece})
			time.Sleep(time.Millisecond)
		}
		<-done
		if rate := float64(frames) / time.Since(began).Seconds(); rate < 30 {
			t.Errorf("%.1f frames a second", rate)
		}
	})
	if got := s.blocks[0].text.String(); heard != pieces || got != text.String() {
		t.Errorf("%d of %d pieces, %d of %d bytes", heard, pieces, len(got), text.Len())
	}
	each := drawing / time.Duration(frames)
	t.Logf("%d frames, %s of processor time each", frames, each)
	if each > time.Second/30 {
		t.Errorf("a frame takes %s of processor time", each)
	}
}
