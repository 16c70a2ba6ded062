package diag

import (
	"strings"
	"testing"
)

func TestEnumerate(t *testing.T) {
	letters := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	for _, tt := range []struct {
		n    int
		want string
	}{
		{0, ""}, {1, "a"}, {3, "a, b, c"},
		{24, "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x"},
		{26, "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x and 2 more"},
	} {
		if got := Enumerate(letters[:tt.n]); got != tt.want {
			t.Errorf("%d names: %s", tt.n, got)
		}
	}
}
