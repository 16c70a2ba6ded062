package diag

import "testing"

func TestClosest(t *testing.T) {
	keys := []string{"description", "model", "max_turns", "tools", "id", "disallowed_tools"}
	tests := []struct {
		name       string
		candidates []string
		want       string
	}{
		{"Raed", []string{"Grep", "Read", "Write"}, "Read"},
		{"read", []string{"Read"}, "Read"},
		{"maxTurns", keys, "max_turns"},
		{"max-turns", keys, "max_turns"},
		{"MaxTruns", keys, "max_turns"},
		{"modle", keys, "model"},
		{"tols", keys, "tools"},
		{"tolss", keys, ""},
		{"descripsion", keys, "description"},
		{"descrption", keys, "description"},
		{"desciptoin", keys, "description"},
		{"dsciptoin", keys, ""},
		{"ab", []string{"x", "abc", "b"}, "abc"},
		{"x", []string{"y"}, ""},
		{"tools", keys, ""},
		{"bat", []string{"cat", "bar"}, "bar"},
		{"größe", []string{"große"}, "große"},
		{"", keys, ""},
		{"anything", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Closest(tt.name, tt.candidates)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Closest(%q, %q) = %q, %t, want %q", tt.name, tt.candidates, got, ok, tt.want)
			}
		})
	}
}

func FuzzClosest(f *testing.F) {
	f.Add("maxTurns", "max_turns")
	f.Add("\xff\xfe", "a")
	f.Fuzz(func(t *testing.T, name, candidate string) {
		got, ok := Closest(name, []string{candidate})
		if ok && (got != candidate || got == name) {
			t.Errorf("Closest(%q, %q) = %q", name, candidate, got)
		}
	})
}
