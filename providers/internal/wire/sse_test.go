package wire

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

type got struct {
	Name, Data string
	Comment    bool
	Partial    bool
}

func readAll(r io.Reader) ([]got, error) {
	var out []got
	er := NewEventReader(r, make([]byte, firstBuffer))
	for {
		ev, err := er.Next()
		if err != nil {
			return out, err
		}
		out = append(out, got{string(ev.Name), string(ev.Data), ev.Comment, ev.Partial})
	}
}

func TestEventReader(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name string
		in   string
		err  error
		want []got
	}{
		{"empty", "", io.EOF, nil},
		{"LF", "data: a\n\ndata:b\n\n", io.EOF, []got{{Data: "a"}, {Data: "b"}}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", io.EOF, []got{{Data: "a"}, {Data: "b"}}},
		{"CR", "data: a\r\rdata: b\r\r", io.EOF, []got{{Data: "a"}, {Data: "b"}}},
		{"BOM", "\xef\xbb\xbfdata: a\n\n", io.EOF, []got{{Data: "a"}}},
		{"name, id, retry", "event: x\nid: 1\nretry: 5\ndata: a\n\n", io.EOF, []got{{Name: "x", Data: "a"}}},
		{"name does not last", "event: x\ndata: a\n\ndata: b\n\n", io.EOF, []got{{Name: "x", Data: "a"}, {Data: "b"}}},
		{"name without data", "event: x\n\ndata: b\n\n", io.EOF, []got{{Data: "b"}}},
		{"two lines of data", "data: a\ndata:  b\n\n", io.EOF, []got{{Data: "a\n b"}}},
		{"comments", ": ping\n\n:\ndata: a\n: inside\n\n", io.EOF, []got{{Comment: true}, {Comment: true}, {Data: "a"}}},
		{"no blank line at the end", "data: a\n", io.EOF, []got{{Data: "a"}}},
		{"no line end at the end", "data: a", io.EOF, []got{{Data: "a", Partial: true}}},
		{"broken after a line", "data: a\n", broken, []got{{Data: "a"}}},
		{"broken inside a line", "data: a", broken, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, chop := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
				var src io.Reader = strings.NewReader(tt.in)
				if tt.err != io.EOF {
					src = io.MultiReader(src, iotest.ErrReader(tt.err))
				}
				events, err := readAll(chop(src))
				if err != tt.err {
					t.Fatalf("error %v, want %v", err, tt.err)
				}
				if diff := cmp.Diff(tt.want, events); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestEventReaderLongLines(t *testing.T) {
	long := strings.Repeat("z", 1<<20)
	events, err := readAll(strings.NewReader("data: " + long + "\n\ndata: b\n\n"))
	if err != io.EOF || len(events) != 2 || events[0].Data != long || events[1].Data != "b" {
		t.Fatalf("%d events, %v", len(events), err)
	}
}

// An endless line is refused at the cap, and memory stays near it.
func TestEventReaderCap(t *testing.T) {
	for _, line := range []string{"data: " + strings.Repeat("z", 1<<16), "data: " + strings.Repeat("z", 1<<14) + "\n"} {
		endless := io.MultiReader(strings.NewReader("data: "), &repeat{[]byte(line)})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readAll(endless)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrTooLong) {
			t.Errorf("error %v", err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 8*MaxEvent {
			t.Errorf("%d bytes allocated", grown)
		}
	}
}

type repeat struct{ b []byte }

func (r *repeat) Read(p []byte) (int, error) { return copy(p, r.b), nil }

func FuzzEventReader(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\n: c\n\nevent: x\ndata: b\ndata: c\r\rdata"), 3)
	f.Add([]byte("\xef\xbb\xbfdata:\n\n"), 1)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		whole, err := readAll(bytes.NewReader(in))
		if err != io.EOF {
			t.Fatalf("error %v", err)
		}
		chopped, err := readAll(&chopper{in, max(1, size%64)})
		if err != io.EOF {
			t.Fatalf("error %v", err)
		}
		if diff := cmp.Diff(whole, chopped); diff != "" {
			t.Errorf("pieces matter (-whole +chopped):\n%s", diff)
		}
	})
}

type chopper struct {
	b []byte
	n int
}

func (c *chopper) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.b[:min(c.n, len(c.b))])
	c.b = c.b[n:]
	return n, nil
}
