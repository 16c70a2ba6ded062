package providers

import "strings"

// tokenShapes are the known beginnings of keys and how many token characters must follow one.
var tokenShapes = [...]struct {
	head string
	min  int
}{
	{"sk-ant-", 8}, {"sk-", 16}, {"AIza", 16}, {"AKIA", 12}, {"gsk_", 16}, {"xai-", 16}, {"hf_", 16}, {"eyJ", 16},
}

// shapesBegin are the bytes that something begins with which is known by its shape, or by a name before it.
var shapesBegin = [256]bool{':': true, '=': true, 's': true, 'A': true, 'g': true, 'x': true, 'h': true, 'e': true}

// secretNames are the headers and parameters whose value is a secret.
var secretNames = [...]string{
	"proxy-authorization", "authorization", "x-goog-api-key", "x-api-key", "api-key", "set-cookie", "cookie",
	"credential", "signature", "key",
}

const longestName = len("proxy-authorization")

// scanner walks a text once and collects what to take out. open is the first position whose meaning more text could
// change: everything from there on has to wait in a stream.
type scanner struct {
	text  string
	set   *secretSet
	spans []span
	open  int
}

func (c *scanner) run() ([]span, int) {
	c.open = len(c.text)
	first := shapesBegin
	if c.set != nil {
		first = c.set.first
	}
	for i := 0; i < len(c.text); i++ {
		if !first[c.text[i]] {
			continue
		}
		end := i
		if c.set != nil {
			end = c.secret(i)
		}
		switch b := c.text[i]; {
		case end > i:
		case b == ':' || b == '=':
			end = c.named(i)
		case shapesBegin[b]:
			end = c.token(i)
		}
		if end > i {
			i = end - 1
		}
	}
	return c.spans, c.open
}

func (c *scanner) take(from, to int) int {
	if n := len(c.spans); n > 0 && from <= c.spans[n-1].to {
		c.spans[n-1].to = max(to, c.spans[n-1].to)
	} else {
		c.spans = append(c.spans, span{from, to})
	}
	if to == len(c.text) {
		c.hold(from)
	}
	return to
}

func (c *scanner) hold(at int) { c.open = min(c.open, at) }

// secret finds a known value at i: from its beginning, or the last 8 bytes of one, which are then followed backwards.
func (c *scanner) secret(i int) int {
	rest := c.text[i:]
	for _, s := range c.set.heads[rest[0]] {
		n := common(rest, s)
		if n >= minSecret {
			return c.take(i, i+n)
		}
		if n == len(rest) {
			c.hold(i)
		}
	}
	for _, s := range c.set.tails[rest[0]] {
		tail := s[len(s)-minSecret:]
		n := common(rest, tail)
		if n == minSecret {
			from, k := i, len(s)-minSecret
			for from > 0 && k > 0 && c.text[from-1] == s[k-1] {
				from, k = from-1, k-1
			}
			return c.take(from, i+n)
		}
		if n == len(rest) && n >= minSecret/2 {
			c.hold(i)
		}
	}
	return i
}

// token finds a key by its shape. It must begin a word: task-force holds no key.
func (c *scanner) token(i int) int {
	if i > 0 && isToken(c.text[i-1]) {
		return i
	}
	rest := c.text[i:]
	for _, shape := range tokenShapes {
		if n := common(rest, shape.head); n == len(rest) {
			c.hold(i)
			return i
		} else if n < len(shape.head) {
			continue
		}
		end := i + len(shape.head)
		jwt := shape.head == "eyJ"
		for end < len(c.text) && (isToken(c.text[end]) || jwt && c.text[end] == '.') {
			end++
		}
		if end == len(c.text) {
			c.hold(i)
		}
		if end-i-len(shape.head) >= shape.min && (!jwt || strings.Count(c.text[i:end], ".") >= 2) {
			return c.take(i, end)
		}
	}
	return i
}

// named finds the value of a credential header or parameter whose separator is at i, and the user info of a URL.
func (c *scanner) named(i int) int {
	if strings.HasPrefix(c.text[i:], "://") {
		return c.userInfo(i + 3)
	}
	nameEnd := i
	for nameEnd > 0 && (c.text[nameEnd-1] == '"' || c.text[nameEnd-1] == '\'' || c.text[nameEnd-1] == ' ') && i-nameEnd < 3 {
		nameEnd--
	}
	start := nameEnd
	for start > 0 && nameEnd-start <= longestName && (isLetter(c.text[start-1]) || c.text[start-1] == '-') {
		start--
	}
	name := c.text[start:nameEnd]
	known := ""
	for _, n := range secretNames {
		if strings.EqualFold(n, name) {
			known = n
			break
		}
	}
	switch {
	case known == "":
		return i
	case known == "key" && (start == 0 || c.text[start-1] != '?' && c.text[start-1] != '&'):
		return i
	case (known == "credential" || known == "signature") && c.text[i] != '=':
		return i
	}
	return c.value(start, i+1, known == "cookie" || known == "set-cookie")
}

// value takes the value that begins at or after from; the name in front of it begins at name.
func (c *scanner) value(name, from int, line bool) int {
	for from < len(c.text) && strings.IndexByte(" \t\"'\\[", c.text[from]) >= 0 {
		from++
	}
	for _, scheme := range [...]string{"bearer ", "basic ", "aws4-hmac-sha256 "} {
		if len(c.text)-from >= len(scheme) && strings.EqualFold(c.text[from:from+len(scheme)], scheme) {
			from += len(scheme)
			break
		}
	}
	end := from
	for end < len(c.text) && c.text[end] != '\n' && c.text[end] != '\r' && c.text[end] != '"' &&
		(line || strings.IndexByte(" \t',;&]}", c.text[end]) < 0) {
		end++
	}
	if end == len(c.text) {
		c.hold(name)
	}
	if end-from < minSecret {
		return from
	}
	return c.take(from, end)
}

func (c *scanner) userInfo(from int) int {
	colon := false
	for i := from; i < len(c.text); i++ {
		switch b := c.text[i]; {
		case b == '@' && colon:
			return c.take(from, i)
		case b == ':':
			colon = true
		case b == '/' || b <= ' ' || b == '"' || b == '\'' || i-from > 256:
			return from
		}
	}
	c.hold(from - 3)
	return from
}

// common is the length of the common beginning of a and b.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isToken(b byte) bool { return isLetter(b) || b >= '0' && b <= '9' || b == '_' || b == '-' }
