package report

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/runner/ci"
	"github.com/swarmrun/swarmrun/runner/event"
)

func chance() *rand.Rand { return rand.New(rand.NewPCG(4, 2)) }

// one is a report of one case.
func one(id string, o ci.Outcome, cost float64, ms int64, cassette string, rate *ci.Rate) *ci.Report {
	u := event.Usage{Cost: cost}
	u.Input = 100
	return &ci.Report{Version: ci.ReportVersion, Jobs: []*ci.Job{{Name: "j", Cases: []*ci.Case{{ID: id, Outcome: o, Usage: u, Rate: rate,
		Attempts: []ci.Attempt{{Outcome: o, RunMS: ms, Usage: u, Cassette: cassette}}}}}}}
}

func TestCompare(t *testing.T) {
	rate := func(passed, run int, low, high float64) *ci.Rate {
		return &ci.Rate{Passed: passed, Run: run, Planned: run, Rate: float64(passed) / float64(run), Low: low, High: high}
	}
	base := func(r *ci.Rate) *ci.Report { return one("j/a", ci.Passed, 0.10, 2000, "live", r) }
	tests := []struct {
		name      string
		base, now *ci.Report
		want      string // which list has the case
	}{
		{"the same", base(nil), base(nil), ""},
		{"fails now", base(nil), one("j/a", ci.Failed, 0.10, 2000, "live", nil), "worse: passed → failed"},
		{"flaky now", base(nil), one("j/a", ci.Flaky, 0.10, 2000, "live", nil), "worse: passed → flaky"},
		{"passes now", one("j/a", ci.Errored, 0.10, 2000, "live", nil), base(nil), "better: error → passed"},
		{"rates that may be the same", base(rate(10, 10, 0.72, 1)), one("j/a", ci.Passed, 0.10, 2000, "live", rate(8, 10, 0.49, 0.94)), ""},
		{"rates that are not", base(rate(50, 50, 0.93, 1)), one("j/a", ci.Passed, 0.10, 2000, "live", rate(30, 50, 0.46, 0.72)), "worse: passed (50 of 50) → passed (30 of 50)"},
		{"dearer", base(nil), one("j/a", ci.Passed, 0.20, 2000, "live", nil), "dearer: $0.10 → $0.20"},
		{"dearer than nothing", one("j/a", ci.Passed, 0, 2000, "live", nil), one("j/a", ci.Passed, 0.02, 2000, "live", nil), "dearer: $0 → $0.02"},
		{"a little dearer", base(nil), one("j/a", ci.Passed, 0.105, 2000, "live", nil), ""},
		{"a fraction of a cent", one("j/a", ci.Passed, 0.0001, 2000, "live", nil), one("j/a", ci.Passed, 0.0004, 2000, "live", nil), ""},
		{"slower", base(nil), one("j/a", ci.Passed, 0.10, 3000, "live", nil), "slower: 2.0 s → 3.0 s"},
		{"a replay has no clock", base(nil), one("j/a", ci.Passed, 0.10, 30000, "replayed", nil), ""},
		{"new", base(nil), one("j/b", ci.Passed, 0.10, 2000, "live", nil), "new, gone"},
		{"skipped says nothing", base(nil), &ci.Report{Jobs: []*ci.Job{{Cases: []*ci.Case{{ID: "j/a", Outcome: ci.Skipped}}}}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Compare(tt.base, tt.now)
			got := ""
			for word, list := range map[string][]Change{"worse": c.Worse, "better": c.Better, "dearer": c.Dearer, "slower": c.Slower} {
				for _, change := range list {
					got += word + ": " + change.Was + " → " + change.Is
				}
			}
			if len(c.New) > 0 && len(c.Gone) > 0 {
				got += "new, gone"
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestGrowth: nothing that stays nothing did not grow, something out of nothing grew beyond all bounds.
func TestGrowth(t *testing.T) {
	for _, tt := range []struct {
		sum  Sum
		want string
	}{{Sum{}, "±0 %"}, {Sum{0, 0.02}, "from nothing"}, {Sum{0.02, 0}, "-100.0 %"}, {Sum{1, 1.2}, "+20.0 %"}, {Sum{2, 2}, "±0 %"}} {
		if got := growth(tt.sum.Growth()); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.sum, got, tt.want)
		}
	}
	free, paid := one("j/a", ci.Passed, 0, 2000, "live", nil), one("j/a", ci.Passed, 0.0001, 2000, "live", nil)
	limits, err := ParseThresholds("cost=50%")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		base, now *ci.Report
		want      bool
	}{{free, free, true}, {free, paid, false}, {paid, free, true}} {
		if c := Compare(tt.base, tt.now); limits.Check(c) != tt.want {
			t.Errorf("%v: %v", c.Cost, c.Broken)
		}
	}
}

func TestThresholds(t *testing.T) {
	c := &Comparison{Worse: make([]Change, 2), Gone: []string{"x"}, Cost: Sum{1, 1.2}, Time: Sum{100, 100}, Tokens: Sum{0, 5}}
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", []string{"worse: 2 cases"}},
		{"gone", []string{"gone: 1 case"}},
		{"cost=25%,time=0%", nil},
		{"tokens=500%", []string{"tokens grew from nothing, and may by 500 %"}},
		{" worse , cost=10% ", []string{"worse: 2 cases", "cost grew by 20.0 %, and may by 10 %"}},
		{"dearer,slower", nil},
		{"worse=2,gone=0", []string{"gone: 1 case"}},
		{"worse=1", []string{"worse: 2 cases, and may be 1"}},
	} {
		limits, err := ParseThresholds(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		holds := limits.Check(c)
		if diff := cmp.Diff(tt.want, c.Broken); diff != "" || holds != (len(tt.want) == 0) {
			t.Errorf("%q: %s", tt.text, diff)
		}
	}
	for _, bad := range []string{"wrose", "cost", "cost=x", "cost=-1%", "worse=-1", "gone=1%", "time=NaN%", ","} {
		if _, err := ParseThresholds(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
