package ci

import (
	"encoding/json"
	"testing"
)

// TestSame compares values as JSON.
func TestSame(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`9007199254740993`, `9007199254740992`, false},
		{`9007199254740993`, `9007199254740993.0`, true},
		{`123456789012345678901234567890`, `123456789012345678901234567891`, false},
		{`1`, `1.0`, true}, {`100`, `1e2`, true}, {`0.05`, `5E-2`, true}, {`12.50e+1`, `125`, true}, {`10`, `1`, false}, {`0.1`, `1`, false},
		{`0`, `-0.0e7`, true}, {`-1`, `1`, false}, {`-1.5`, `-15e-1`, true},
		{`1e999999999`, `10e999999998`, true}, {`1e999999999`, `1e999999998`, false},
		{`1e99999999999999999999`, `1e99999999999999999999`, true}, {`1e99999999999999999999`, `1`, false},
		{`{"a":[1,{"b":2.0}],"c":null}`, `{"c":null,"a":[1.0,{"b":2}]}`, true},
		{`{"a":null}`, `{"b":null}`, false}, {`{"a":1}`, `{"a":1,"b":2}`, false}, {`[1,2]`, `[2,1]`, false}, {`[1]`, `[1,2]`, false},
		{`"1"`, `1`, false}, {`[]`, `{}`, false}, {`null`, `false`, false}, {`"a"`, `"a"`, true}, {`true`, `true`, true},
	} {
		a, b := decoded(json.RawMessage(tt.a)), decoded(json.RawMessage(tt.b))
		if same(a, b) != tt.want || same(b, a) != tt.want {
			t.Errorf("%s and %s: want %t", tt.a, tt.b, tt.want)
		}
	}
}

// TestParseJSON takes one value and nothing behind it.
func TestParseJSON(t *testing.T) {
	if v, err := parseJSON(" [1]\n"); err != nil || !same(v, []any{json.Number("1")}) {
		t.Errorf("%v %v", v, err)
	}
	for _, bad := range []string{"", "{", "1 2", "{} }", "done"} {
		if v, err := parseJSON(bad); err == nil {
			t.Errorf("%q is %v", bad, v)
		}
	}
}
