package launch

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"syscall"
)

// maxMessage bounds a message in bytes, far above what the kernel takes as arguments.
const maxMessage = 1 << 26

var errMessage = errors.New("not a message of the program to itself")

// field is a named value of a message: a *string, *int, *bool or *[]string.
type field struct {
	name string
	at   any
}

// send writes a message: its length, then for each value that is set, of a list for each item, the field's name, the length of
// the value in bytes and the value. A library would do that, but would be built before the copy of the program could begin.
func send(w io.Writer, fields []field) error {
	var body []byte
	put := func(name, value string) {
		body = append(append(body, name...), ' ')
		body = append(strconv.AppendInt(body, int64(len(value)), 10), ' ')
		body = append(append(body, value...), '\n')
	}
	for _, f := range fields {
		switch at := f.at.(type) {
		case *string:
			if *at != "" {
				put(f.name, *at)
			}
		case *int:
			if *at != 0 {
				put(f.name, strconv.Itoa(*at))
			}
		case *bool:
			if *at {
				put(f.name, "")
			}
		case *[]string:
			for _, item := range *at {
				put(f.name, item)
			}
		}
	}
	if len(body) > maxMessage {
		return syscall.E2BIG
	}
	head := append(strconv.AppendInt(nil, int64(len(body)), 10), '\n')
	_, err := w.Write(append(head, body...))
	return err
}

// receive reads a message and nothing of what follows it.
func receive(r io.Reader, fields []field) error {
	size, err := readSize(r)
	if err != nil {
		return err
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	for len(body) > 0 {
		name, rest, _ := bytes.Cut(body, []byte(" "))
		digits, rest, _ := bytes.Cut(rest, []byte(" "))
		n, err := strconv.Atoi(string(digits))
		if err != nil || n < 0 || n >= len(rest) || rest[n] != '\n' {
			return errMessage
		}
		if err := set(fields, string(name), string(rest[:n])); err != nil {
			return err
		}
		body = rest[n+1:]
	}
	return nil
}

func readSize(r io.Reader) (int, error) {
	var digits []byte
	for c := make([]byte, 1); len(digits) < 10; digits = append(digits, c[0]) {
		if _, err := io.ReadFull(r, c); err != nil {
			return 0, err
		}
		if c[0] != '\n' {
			continue
		}
		n, err := strconv.Atoi(string(digits))
		if err != nil || n < 0 || n > maxMessage {
			break
		}
		return n, nil
	}
	return 0, errMessage
}

func set(fields []field, name, value string) (err error) {
	for _, f := range fields {
		if f.name != name {
			continue
		}
		switch at := f.at.(type) {
		case *string:
			*at = value
		case *int:
			*at, err = strconv.Atoi(value)
		case *bool:
			*at = true
		case *[]string:
			*at = append(*at, value)
		}
		return err
	}
	return errMessage
}
