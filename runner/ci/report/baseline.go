package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/runner/ci"
	"github.com/swarmrun/swarmrun/runner/event"
)

// Comparison is a report beside an earlier one. Cases are joined by their ids; what was skipped on either side says nothing.
type Comparison struct {
	Base   *ci.Report // the earlier one
	Better []Change   // of outcome or pass rate
	Worse  []Change
	Dearer []Change // the same case costs more for each attempt
	Slower []Change // the agent takes longer for each attempt; replayed attempts take no time that counts
	New    []string // cases that the earlier report does not have
	Gone   []string // and those that this one has no more
	Cost   Sum      // US dollars of the cases that both have
	Time   Sum      // milliseconds, likewise
	Tokens Sum
	Broken []string // thresholds that do not hold, in words; set by Thresholds.Check
}

// Change is one case on both sides.
type Change struct {
	ID         string
	Was, Is    string
	WasN, IsN  float64 // what was compared
	Difference float64 // relative, 0.1 = a tenth more, as Growth of a Sum; 0 where it makes no sense
}

// Sum is an amount on both sides.
type Sum struct{ Was, Is float64 }

// Growth is the relative difference: infinite where there was nothing and now is something, 0 where there is nothing still.
func (s Sum) Growth() float64 {
	if s.Was == s.Is {
		return 0
	}
	return s.Is/s.Was - 1
}

// grew is the growth of a sum that grew, in words.
func (s Sum) grew() string {
	if s.Was == 0 {
		return "grew from nothing"
	}
	return fmt.Sprintf("grew by %.1f %%", 100*s.Growth())
}

// What is less than this is noise, of a clock or of a model's choice of words.
const (
	noiseCost   = 0.1   // of the cost of an attempt
	noiseCents  = 0.001 // US dollars
	noiseTime   = 0.25  // of the time of an attempt
	noiseMillis = 500
)

// Compare joins the cases of two reports.
func Compare(base, now *ci.Report) *Comparison {
	c := &Comparison{Base: base}
	was := map[string]*ci.Case{}
	for _, old := range cases(base) {
		was[old.ID] = old
	}
	for _, is := range cases(now) {
		old, ok := was[is.ID]
		delete(was, is.ID)
		switch {
		case !ok:
			c.New = append(c.New, is.ID)
		case len(old.Attempts) > 0 && len(is.Attempts) > 0:
			c.join(old, is)
		}
	}
	for id := range was {
		c.Gone = append(c.Gone, id)
	}
	if max(c.Time.Was, c.Time.Is) < noiseMillis {
		c.Time = Sum{}
	}
	slices.Sort(c.Gone)
	for _, list := range [][]Change{c.Dearer, c.Slower} {
		slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(b.IsN-b.WasN, a.IsN-a.WasN) })
	}
	return c
}

func (c *Comparison) join(was, is *ci.Case) {
	switch change, order := judged(was, is); {
	case order < 0:
		c.Worse = append(c.Worse, change)
	case order > 0:
		c.Better = append(c.Better, change)
	}
	c.Tokens.Was += float64(was.Usage.Tokens())
	c.Tokens.Is += float64(is.Usage.Tokens())
	if !was.Usage.Unpriced && !is.Usage.Unpriced {
		c.Cost.Was += was.Usage.Cost
		c.Cost.Is += is.Usage.Cost
		a, b := was.Usage.Cost/float64(len(was.Attempts)), is.Usage.Cost/float64(len(is.Attempts))
		if b-a > noiseCents && b > a*(1+noiseCost) {
			c.Dearer = append(c.Dearer, Change{is.ID, price(a), price(b), a, b, Sum{a, b}.Growth()})
		}
	}
	a, ok := clock(was)
	b, known := clock(is)
	if !ok || !known {
		return
	}
	c.Time.Was += a
	c.Time.Is += b
	if b-a > noiseMillis && b > a*(1+noiseTime) {
		c.Slower = append(c.Slower, Change{is.ID, took(int64(a)), took(int64(b)), a, b, Sum{a, b}.Growth()})
	}
}

func price(cost float64) string { return dollars(event.Usage{Cost: cost}) }

// judged compares outcomes: above 0 is better. Of repeated cases rates count too, where their intervals do not touch.
func judged(was, is *ci.Case) (Change, int) {
	change := Change{ID: is.ID, Was: outcome(was), Is: outcome(is)}
	rank := func(c *ci.Case) int {
		return slices.Index([]ci.Outcome{ci.Errored, ci.Failed, ci.Flaky, ci.Passed}, c.Outcome)
	}
	if order := cmp.Compare(rank(is), rank(was)); order != 0 {
		return change, order
	}
	if a, b := was.Rate, is.Rate; a != nil && b != nil {
		change.WasN, change.IsN = a.Rate, b.Rate
		switch {
		case b.High < a.Low:
			return change, -1
		case b.Low > a.High:
			return change, 1
		}
	}
	return change, 0
}

func outcome(c *ci.Case) string {
	if c.Rate == nil {
		return string(c.Outcome)
	}
	return fmt.Sprintf("%s (%d of %d)", c.Outcome, c.Rate.Passed, c.Rate.Run)
}

// clock is the mean time of the attempts in which a model was really asked.
func clock(c *ci.Case) (float64, bool) {
	sum, n := 0.0, 0
	for _, a := range c.Attempts {
		if a.Cassette == "live" || a.Cassette == "recorded" {
			sum += float64(a.RunMS)
			n++
		}
	}
	return sum / float64(max(n, 1)), n > 0
}

// Thresholds say which differences fail a run.
type Thresholds struct{ limits []limit }

type limit struct {
	what string // worse, gone, dearer, slower: cases; cost, time, tokens: a sum
	most float64
}

// ParseThresholds reads a list such as "worse,gone=2,cost=10%,time=50%,tokens=20%": how many cases may get worse or be gone (none,
// where no number stands there), and by how much a sum may grow; one that was nothing may not. The empty text is "worse".
func ParseThresholds(text string) (Thresholds, error) {
	var t Thresholds
	for part := range strings.SplitSeq(cmp.Or(strings.TrimSpace(text), "worse"), ",") {
		what, most, _ := strings.Cut(part, "=")
		l := limit{what: strings.TrimSpace(what)}
		most = strings.TrimSpace(most)
		switch l.what {
		case "worse", "gone", "dearer", "slower":
			n, err := strconv.ParseUint(cmp.Or(most, "0"), 10, 32)
			if err != nil {
				return t, fmt.Errorf("%q takes a number of cases, such as %s=2", l.what, l.what)
			}
			l.most = float64(n)
		case "cost", "time", "tokens":
			n, err := strconv.ParseFloat(strings.TrimSuffix(most, "%"), 64)
			if err != nil || !(n >= 0 && n <= 1e6) {
				return t, fmt.Errorf("%q needs a percentage, such as %s=10%%", l.what, l.what)
			}
			l.most = n / 100
		default:
			return t, fmt.Errorf("no threshold is called %q: there are worse, gone, dearer and slower, and cost=N%%, time=N%% and tokens=N%%", l.what)
		}
		t.limits = append(t.limits, l)
	}
	return t, nil
}

// Check sets Broken of a comparison, and tells whether all thresholds hold.
func (t Thresholds) Check(c *Comparison) bool {
	c.Broken = nil
	counted := map[string]int{"worse": len(c.Worse), "gone": len(c.Gone), "dearer": len(c.Dearer), "slower": len(c.Slower)}
	sums := map[string]Sum{"cost": c.Cost, "time": c.Time, "tokens": c.Tokens}
	for _, l := range t.limits {
		switch n, isCount := counted[l.what]; {
		case isCount && float64(n) > l.most && l.most == 0:
			c.Broken = append(c.Broken, fmt.Sprintf("%s: %s", l.what, plural(n, "case")))
		case isCount && float64(n) > l.most:
			c.Broken = append(c.Broken, fmt.Sprintf("%s: %s, and may be %g", l.what, plural(n, "case"), l.most))
		case !isCount && sums[l.what].Growth() > l.most:
			c.Broken = append(c.Broken, fmt.Sprintf("%s %s, and may by %g %%", l.what, sums[l.what].grew(), 100*l.most))
		}
	}
	return len(c.Broken) == 0
}
