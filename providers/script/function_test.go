package script

import "testing"

// FuzzFunctions gives the functions of templates anything: they answer or refuse, and what raw passes on is JSON.
func FuzzFunctions(f *testing.F) {
	f.Add("$.a[0].b", `{"a":[{"b":1}]}`)
	f.Add(`["\"x"].0`, `{"\"x":[null]}`)
	f.Add("[99999999999999999999]", "[1]")
	f.Add("(?P<x", "a\r\nb")
	f.Add("", " 1 ")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if v, err := pick(pattern, text); err == nil {
			if again, err := pick("", v); err != nil || printed(again) != printed(v) {
				t.Errorf("%v changes on the way through: %v, %v", v, again, err)
			}
			s, err := raw(v)
			if err != nil {
				t.Errorf("what came out of JSON does not go back: %v", err)
			} else if _, err := decodeJSON([]byte(s)); err != nil {
				t.Errorf("raw writes %q: %v", s, err)
			}
		}
		if kept, err := grep(pattern, text); err == nil && len(kept) > len(lines(text)) {
			t.Errorf("%d of %d lines", len(kept), len(lines(text)))
		}
		if _, ok := end(text, true).(string); !ok {
			t.Error("the first line is no text")
		}
		if p, err := parseText("fuzz", text); err == nil && p.t == nil && p.plain != text {
			t.Errorf("plain text becomes %q", p.plain)
		}
		if in, err := parseInput("fuzz", []byte(text)); err == nil {
			if _, err := fillInput(in, &conversation{}); err == nil && in == nil {
				t.Error("nothing was filled")
			}
		}
	})
}
