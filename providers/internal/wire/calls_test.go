package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/providers"
)

func TestCheckCall(t *testing.T) {
	tests := []struct{ name, args, code string }{
		{"a", `{"x":1,"y":{"x":2},"z":[{"x":1},{"x":1}]}`, ""},
		{"a", ``, ""},
		{"a", " {} \n", ""},
		{"", `{}`, "call_without_name"},
		{"a", `[]`, "arguments_not_an_object"},
		{"a", `"{}"`, "arguments_not_an_object"},
		{"a", `{"x":1`, "arguments_malformed"},
		{"a", `{"x":1}{}`, "arguments_malformed"},
		{"a", `{"x":1} x`, "arguments_malformed"},
		{"a", `{"x":1,"x":2}`, "arguments_repeat_a_key"},
		{"a", `{"x":{"y":1,"y":2}}`, "arguments_repeat_a_key"},
		{"a", `{"x":1,"\u0078":2}`, "arguments_repeat_a_key"},
		{"a", `{"x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, "arguments_too_deep"},
	}
	for _, tt := range tests {
		call, err := CheckCall("c1", tt.name, []byte(tt.args))
		code := ""
		if e, ok := err.(*providers.Error); ok {
			code = e.Code
		}
		if code != tt.code || err == nil && !json.Valid(call.Args) {
			t.Errorf("%s %.40s: %q, want %q; %s", tt.name, tt.args, code, tt.code, call.Args)
		}
	}
}

func TestCallsWithoutIDsGetOne(t *testing.T) {
	var c Calls
	c.Fragment(0, "", "a", "{}")
	c.Fragment(1, "", "b", "{}")
	calls, err := c.Finish()
	if err != nil || len(calls) != 2 || calls[0].ID == "" || calls[0].ID == calls[1].ID {
		t.Errorf("%v %v", calls, err)
	}
	c.Fragment(2, "x", "a", "{}")
	c.Fragment(3, "x", "a", "{}")
	if _, err := c.Finish(); providers.KindOf(err) != providers.KindContract {
		t.Errorf("two calls of one id: %v", err)
	}
}

func FuzzCheckCall(f *testing.F) {
	f.Add([]byte(`{"x":1}`))
	f.Add([]byte(`{"x":[{"y":null},1e5,"s"]}`))
	f.Add([]byte(`{"x":[{"y":null,"\u0079":"\n"},15,{"x":"é"}],"é":1,"é":2}`))
	f.Fuzz(func(t *testing.T, args []byte) {
		call, err := CheckCall("c", "n", args)
		if err != nil {
			return
		}
		var object map[string]any
		if e := json.Unmarshal(call.Args, &object); e != nil || object == nil {
			t.Errorf("%q accepted: %v", args, e)
		}
		if e := checkTokens(call.Args); e != nil {
			t.Errorf("%q accepted by the quick way alone: %v", args, e)
		}
	})
}
