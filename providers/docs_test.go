package providers_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
)

// The table that users read says of every kind what a chain does about it.
func TestReliabilityDoc(t *testing.T) {
	page, err := os.ReadFile("../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want [][2]string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [^|]+ \\| (again|next|stop) \\|").FindAllStringSubmatch(string(page), -1) {
		got = append(got, [2]string{m[1], m[2]})
	}
	for _, k := range providers.Kinds() {
		does := "stop"
		switch {
		case k.Transient():
			does = "again"
		case k.Advances():
			does = "next"
		}
		want = append(want, [2]string{string(k), does})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
