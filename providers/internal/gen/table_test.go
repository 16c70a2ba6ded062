package gen

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the table instead of comparing it")

const file = "../../catalogue.tsv"

var head = regexp.MustCompile(`^# charm\.land/catwalk (v\S+), (\d{4}-\d\d-\d\d);`)

// TestCatalogue compares the committed table with what the required version of the source says.
func TestCatalogue(t *testing.T) {
	if *update {
		version, date := module(t)
		if err := os.WriteFile(file, Table(embedded.GetAll(), version, date), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := head.FindSubmatch(got)
	if m == nil {
		t.Fatalf("no source in the first line: %.80q", got)
	}
	if want := required(t); string(m[1]) != want {
		t.Errorf("the table is of %s, go.mod requires %s: go generate ./providers", m[1], want)
	}
	if diff := cmp.Diff(string(Table(embedded.GetAll(), string(m[1]), string(m[2]))), string(got)); diff != "" {
		t.Errorf("the table is stale: go generate ./providers\n%s", diff)
	}
}

func required(t *testing.T) string {
	t.Helper()
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`charm\.land/catwalk (v\S+)`).FindSubmatch(mod)
	if m == nil {
		t.Fatal("go.mod does not require catwalk")
	}
	return string(m[1])
}

// module asks the go command when the required version was published.
func module(t *testing.T) (version, date string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-json", "charm.land/catwalk").Output()
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Version, Time string }
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	date, _, ok := strings.Cut(m.Time, "T")
	if !ok {
		t.Fatalf("no date in %q", m.Time)
	}
	return m.Version, date
}

func TestLine(t *testing.T) {
	tests := []struct {
		name string
		in   catwalk.Model
		want string
	}{
		{"write then read", catwalk.Model{ID: "m", ContextWindow: 9, DefaultMaxTokens: 3, CostPer1MIn: 3, CostPer1MOut: 15, CostPer1MInCached: 3.75, CostPer1MOutCached: 0.3},
			"m\t9\t3\t3\t15\t0.3\t3.75\t\n"},
		{"read then write", catwalk.Model{ID: "m", CostPer1MIn: 3, CostPer1MOut: 15, CostPer1MInCached: 0.3, CostPer1MOutCached: 3.75},
			"m\t0\t0\t3\t15\t0.3\t3.75\t\n"},
		{"read only, first field", catwalk.Model{ID: "m", CostPer1MIn: 1.25, CostPer1MOut: 10, CostPer1MInCached: 0.125},
			"m\t0\t0\t1.25\t10\t0.125\t1.25\t\n"},
		{"read only, second field", catwalk.Model{ID: "m", CostPer1MIn: 1.25, CostPer1MOut: 10, CostPer1MOutCached: 0.125},
			"m\t0\t0\t1.25\t10\t0.125\t1.25\t\n"},
		{"output price in the second field", catwalk.Model{ID: "m", CostPer1MIn: 0.75, CostPer1MOut: 3.75, CostPer1MInCached: 0.075, CostPer1MOutCached: 3.75},
			"m\t0\t0\t0.75\t3.75\t0.075\t0.75\t\n"},
		{"no cache price is no discount", catwalk.Model{ID: "m", CostPer1MIn: 2, CostPer1MOut: 8}, "m\t0\t0\t2\t8\t2\t2\t\n"},
		{"unknown", catwalk.Model{ID: "m", SupportsImages: true, CanReason: true}, "m\t0\t0\t\t\t\t\tit\n"},
		{"free", catwalk.Model{ID: "m:free"}, "m:free\t0\t0\t0\t0\t0\t0\t\n"},
		{"binary fractions", catwalk.Model{ID: "m", CostPer1MIn: 0.39999999999999997, CostPer1MOut: 1.5999999999999999}, "m\t0\t0\t0.4\t1.6\t0.4\t0.4\t\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, line(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
