package jsontext_test

import (
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/internal/jsontext"
)

func TestMarshal(t *testing.T) {
	got, err := jsontext.Marshal(map[string]any{"a": "<b> & c", "n": []int{1}})
	if want := `{"a":"<b> & c","n":[1]}`; string(got) != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err := jsontext.Marshal(func() {}); got != nil || err == nil {
		t.Errorf("a function became %s, %v", got, err)
	}
}

// FuzzAppendString holds the fast path to encoding/json, which Marshal goes through.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{
		"", "plain", "\x00\x1f\x7f", "\b\f\n\r\t\\\"/", "é☃😀", "\u2028\u2029", "a\xffb\xc3", "<&>", "\ufffd", strings.Repeat("x\n", 50),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := jsontext.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsontext.AppendString([]byte("before "), s); string(got) != "before "+string(want) {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	})
}
