package main

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// readLines hands lines on, of any length, until the input or ctx ends.
func readLines(ctx context.Context, in io.Reader, to chan<- string) {
	defer close(to)
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line == "" && err != nil {
			return
		}
		select {
		case to <- strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"):
		case <-ctx.Done():
			return
		}
	}
}

// lineReader is stdin as a run's person reads it, while the run lasts.
type lineReader struct {
	lines <-chan string
	over  <-chan struct{}
	rest  string
}

// Read gives the next line, or the end once the run is over.
func (r *lineReader) Read(p []byte) (int, error) {
	if r.rest == "" {
		select {
		case line, open := <-r.lines:
			if !open {
				return 0, io.EOF
			}
			r.rest = line + "\n"
		case <-r.over:
			return 0, io.EOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
