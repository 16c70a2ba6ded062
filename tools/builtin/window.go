package builtin

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// window is a run of lines of a text, and what was learnt of the rest while looking for them.
type window struct {
	from, count int  // asked for: first line from 1, number of lines
	limited     bool // the caller gave the number

	lines  []line
	total  int    // lines of the text, as far as it was read
	open   bool   // there is more text than was read
	digest string // of the whole text; "" when open
	broken bool   // not all of it is UTF-8
	tokens float64
	full   bool // the window ends early, at maxReadTokens
}

// line is a line without its line break, cut at maxLineChars.
type line struct {
	text    string
	dropped int // bytes cut off
}

// scan reads the text to its end, since the digest needs it, except that it stops after the window beyond maxEditable.
// size is how long the text is, as far as one knows: it only sizes a buffer.
func (w *window) scan(ctx context.Context, r io.Reader, size int64) error {
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(r, sum), int(min(max(size, 512), 16<<10)))
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
			w.digest = hex.EncodeToString(sum.Sum(nil))
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

func (w *window) take(l rawLine) {
	if !w.wants(w.total) {
		return
	}
	cost := tokens(l.text) + 2 // the number before it
	if w.tokens+cost > maxReadTokens {
		w.full = true
		return
	}
	w.tokens += cost
	w.lines = append(w.lines, line{text: l.text, dropped: l.dropped})
}

// tokens estimates what a text costs a model: 3.5 characters of code to a token, other scripts a token each.
func tokens(s string) float64 {
	ascii := 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			ascii++
		}
	}
	return float64(ascii)/3.5 + float64(utf8.RuneCountInString(s)-ascii)
}

// rawLine is a line as read; valid = it is UTF-8 (only looked at where kept is set).
type rawLine struct {
	text    string
	dropped int
	valid   bool
}

// readLine reads one line and its line break, n bytes in all. The text is kept only if keep is set, up to maxLineChars.
func readLine(in *bufio.Reader, keep bool) (l rawLine, n int, err error) {
	var kept []byte
	for {
		chunk, err := in.ReadSlice('\n')
		n += len(chunk)
		if room := maxLineChars*utf8.UTFMax - len(kept); keep && room > 0 {
			kept = append(kept, chunk[:min(room, len(chunk))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.valid = true
		if keep {
			l = cutLine(kept, n)
		}
		return l, n, err
	}
}

// cutLine makes the line of what was kept of its n bytes.
func cutLine(kept []byte, n int) rawLine {
	dropped := n - len(kept)
	s := string(kept)
	if dropped == 0 {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
	}
	valid := dropped > 0 || utf8.ValidString(s)
	s, rest := cutChars(s, maxLineChars)
	return rawLine{text: strings.ToValidUTF8(s, "\uFFFD"), dropped: dropped + rest, valid: valid}
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

// render writes the window with line numbers, and notes on what it leaves out.
func (w *window) render() (string, error) {
	if len(w.lines) == 0 {
		return "", fmt.Errorf("offset %d is past the end: the file has %s", w.from, plural(w.total, "line"))
	}
	var b strings.Builder
	for i, l := range w.lines {
		fmt.Fprintf(&b, "%6d→%s", w.from+i, l.text)
		if l.dropped > 0 {
			fmt.Fprintf(&b, "… [%s more]", plural(l.dropped, "byte"))
		}
		b.WriteByte('\n')
	}
	last := w.from + len(w.lines) - 1
	if more := last < w.total || w.open; more && (w.full || !w.limited) {
		of := plural(w.total, "line")
		if w.open {
			of = "more than " + of
		}
		fmt.Fprintf(&b, "\n[lines %d to %d of %s; continue with offset %d]\n", w.from, last, of, last+1)
	}
	if w.broken {
		b.WriteString("\n[not all of it is valid UTF-8: bad bytes are shown as \uFFFD, and Edit will refuse the file]\n")
	}
	return b.String(), nil
}
