package ci

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// decoded is a JSON value; nil for what is none.
func decoded(raw json.RawMessage) any {
	v, err := parseJSON(string(raw))
	if err != nil {
		return nil
	}
	return v
}

// parseJSON reads a text that is JSON. Its numbers are json.Number, as they were written.
func parseJSON(text string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more text follows the value")
	}
	return v, nil
}

// same tells whether two values are the same JSON: numbers by what they are worth, however large and however written.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		ok = ok && len(a) == len(b)
		for name, v := range a {
			w, has := b[name]
			ok = ok && has && same(v, w)
		}
		return ok
	case []any:
		b, ok := b.([]any)
		ok = ok && len(a) == len(b)
		for i := 0; ok && i < len(a); i++ {
			ok = same(a[i], b[i])
		}
		return ok
	case json.Number:
		b, ok := b.(json.Number)
		return ok && worth(a) == worth(b)
	}
	return a == b
}

// amount is a number as digits that neither begin nor end with 0, times a power of ten. It is never multiplied out: a short text
// could stand for more digits than there is memory.
type amount struct {
	negative bool
	digits   string
	power    int
}

// worth is the amount of a number of JSON; one whose power cannot be counted is like itself only.
func worth(n json.Number) amount {
	text, negative := strings.CutPrefix(strings.ToLower(string(n)), "-")
	mantissa, exponent, _ := strings.Cut(text, "e")
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil {
		return amount{negative, text, 0}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	power -= len(fraction)
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return amount{}
	}
	return amount{negative, short, power + len(digits) - len(short)}
}
