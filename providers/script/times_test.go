package script

import (
	"strconv"
	"testing"
)

func TestTimesForgetsOldRuns(t *testing.T) {
	var counts times
	for i := range 3 * maxRuns {
		counts.take("kept", 0, 1)
		counts.take(strconv.Itoa(i), 0, 1)
	}
	if n := len(counts.runs); n != maxRuns || counts.recent.Len() != n {
		t.Errorf("%d runs are remembered in %d entries", n, counts.recent.Len())
	}
	if counts.take("kept", 0, 1) {
		t.Error("a run that asks all the time was forgotten")
	}
	if !counts.take("0", 0, 1) {
		t.Error("the oldest run was kept")
	}
}
