package ci

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

func sample() *Report {
	u := event.Usage{Usage: providers.Usage{Input: 10, Output: 2}, Cost: 0.5}
	return &Report{
		Version: ReportVersion, Workspace: "w", Concurrency: 2, OK: false, Kind: "assertion", ExitCode: 1, DurationMS: 12,
		Totals: Totals{Cases: 1, Failed: 1, Usage: u},
		Jobs: []*Job{{Name: "j", Target: "a", File: "jobs/j.yaml", Line: 1, Outcome: Failed, DurationMS: 11, Cases: []*Case{{
			ID: "j/c", Name: "c", Target: "a", Outcome: Failed, Turns: 1, Usage: u, Matrix: []Axis{{"model", json.RawMessage(`"fast"`)}},
			Attempts: []Attempt{{
				Repetition: 1, Try: 1, Outcome: Failed, Turns: 1, Usage: u, RunMS: 3,
				Checks:     []Result{{Kind: "contains", Name: "contains nil", Expected: "nil", Got: "null", At: &Place{Entry: 1}}},
				Transcript: []Entry{{AtMS: 1, Event: "agent_step", Text: "null", Usage: &u}},
			}},
		}}}},
		Diagnostics: diag.List{diag.New("W-STALE", diag.At("f", 1, 1, 1), "x")},
	}
}

func TestReportReadsBack(t *testing.T) {
	want := sample()
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	want.Diagnostics = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{`{}`, `[]`, `{"version":2}`} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s was read as a report", bad)
		}
	}
}

func TestUntimedHasNoClock(t *testing.T) {
	r := sample()
	raw, err := json.Marshal(r.Untimed())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"duration_ms":1`, `"at_ms":1`, `"run_ms":3`} {
		if strings.Contains(string(raw), key) {
			t.Errorf("%s is left", key)
		}
	}
	if r.DurationMS != 12 || r.Jobs[0].Cases[0].Attempts[0].Transcript[0].AtMS != 1 {
		t.Error("the report itself was changed")
	}
}
