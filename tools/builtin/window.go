package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// window is a run of lines of a text, written down as they are read, and what was learnt of the rest while looking for them.
type window struct {
	from, count int  // asked for: first line from 1, number of lines
	limited     bool // the caller gave the number

	text   []byte // its lines with their numbers
	shown  int    // how many those are
	total  int    // lines of the text, as far as it was read
	open   bool   // there is more text than was read
	broken bool   // not all of it is UTF-8
	tokens float64
	full   bool // the window ends early, at maxReadTokens
}

// lineBuffer is the size of a buffer to read the lines of so long a text through.
func lineBuffer(size int64) int { return int(min(max(size, 512), 16<<10)) }

// scan reads the text to its end, since its digest is wanted, except that it stops after the window beyond maxEditable.
// size is how long the text is, as far as one knows.
func (w *window) scan(ctx context.Context, in *bufio.Reader, size int64) error {
	w.text = make([]byte, 0, min(2*lineBuffer(size), 4<<10))
	read := 0
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		l, n, err := readLine(in, w.wants(w.total+1))
		read += n
		if n > 0 {
			w.total++
			w.broken = w.broken || !l.valid
			w.take(l)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if read > maxEditable && (w.full || w.total >= w.from+w.count-1) {
			w.open = true
			return nil
		}
	}
}

// wants reports whether line number n belongs to the window.
func (w *window) wants(n int) bool { return n >= w.from && n < w.from+w.count && !w.full }

func (w *window) take(l line) {
	if !w.wants(w.total) {
		return
	}
	cost := tokens(l.text) + 2 // the number before it
	if w.tokens+cost > maxReadTokens {
		w.full = true
		return
	}
	w.tokens += cost
	w.shown++
	w.text = append(append(appendNumber(w.text, w.total), "→"...), l.text...)
	if l.dropped > 0 {
		w.text = fmt.Appendf(w.text, "… [%s more]", plural(l.dropped, "byte"))
	}
	w.text = append(w.text, '\n')
}

// appendNumber is %6d.
func appendNumber(dst []byte, n int) []byte {
	for width := 100_000; width > n; width /= 10 {
		dst = append(dst, ' ')
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// tokens estimates what a text costs a model: 3.5 characters of code to a token, other scripts a token each.
func tokens[T string | []byte](s T) float64 {
	ascii, others := 0, 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			ascii++
		} else if utf8.RuneStart(s[i]) {
			others++
		}
	}
	return float64(ascii)/3.5 + float64(others)
}

// line is a line without its line break, cut at maxLineChars. Its text is valid until the next one is read.
type line struct {
	text    []byte
	dropped int  // bytes cut off
	valid   bool // it is UTF-8, as far as that was looked at
}

// readLine reads one line and its line break, n bytes in all. The text is kept only if keep is set, up to maxLineChars.
func readLine(in *bufio.Reader, keep bool) (l line, n int, err error) {
	const limit = maxLineChars * utf8.UTFMax
	var begun []byte // of a line longer than the buffer
	for {
		chunk, err := in.ReadSlice('\n')
		n += len(chunk)
		if errors.Is(err, bufio.ErrBufferFull) {
			if keep {
				begun = append(begun, chunk[:min(limit-len(begun), len(chunk))]...)
			}
			continue
		}
		if !keep {
			return line{valid: true}, n, err
		}
		if begun != nil {
			chunk = append(begun, chunk...)
		}
		return cutLine(chunk[:min(limit, len(chunk))], n), n, err
	}
}

// cutLine makes the line of what was kept of its n bytes.
func cutLine(s []byte, n int) line {
	l := line{dropped: n - len(s), valid: true}
	if l.dropped == 0 {
		s = bytes.TrimSuffix(bytes.TrimSuffix(s, []byte("\n")), []byte("\r"))
		l.valid = utf8.Valid(s)
	}
	if len(s) > maxLineChars {
		head, rest := cutChars(string(s), maxLineChars)
		s, l.dropped = s[:len(head)], l.dropped+rest
	}
	if !utf8.Valid(s) {
		s = bytes.ToValidUTF8(s, []byte("\uFFFD"))
	}
	l.text = s
	return l
}

// cutChars returns the first n characters of s and the number of bytes after them.
func cutChars(s string, n int) (head string, rest int) {
	if len(s) <= n {
		return s, 0
	}
	for i := range s {
		if n == 0 {
			return s[:i], len(s) - i
		}
		n--
	}
	return s, 0
}

// render is the window with notes on what it leaves out.
func (w *window) render() (string, error) {
	if w.shown == 0 {
		return "", fmt.Errorf("offset %d is past the end: the file has %s", w.from, plural(w.total, "line"))
	}
	text := w.text
	last := w.from + w.shown - 1
	if more := last < w.total || w.open; more && (w.full || !w.limited) {
		of := plural(w.total, "line")
		if w.open {
			of = "more than " + of
		}
		text = fmt.Appendf(text, "\n[lines %d to %d of %s; continue with offset %d]\n", w.from, last, of, last+1)
	}
	if w.broken {
		text = append(text, "\n[not all of it is valid UTF-8: bad bytes are shown as \uFFFD, and Edit will refuse the file]\n"...)
	}
	return string(text), nil
}
