package ci

import "math"

// z is the quantile of the normal distribution for an interval of 95 %.
const z = 1.959963984540054

// judge fills in what is known of a rate after some repetitions.
func (r *Rate) judge(passed, run int) {
	r.Passed, r.Run = passed, run
	if run > 0 {
		r.Rate = round(float64(passed) / float64(run))
	}
	r.Low, r.High = wilson(passed, run)
}

// wilson is the score interval of a share; 0 to 1 where nothing was seen.
func wilson(passed, of int) (low, high float64) {
	if of == 0 {
		return 0, 1
	}
	n, p := float64(of), float64(passed)/float64(of)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return round(max(0, middle-half)), round(min(1, middle+half))
}

// round keeps four places, so that reports of two machines are equal.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// needed is how many of the planned repetitions have to pass.
func (r *Rate) needed() int { return int(math.Ceil(r.Wanted*float64(r.Planned) - 1e-9)) }

// certain tells whether the repetitions that are left can no longer change the outcome.
func (r *Rate) certain() bool {
	return r.Passed >= r.needed() || r.Passed+r.Planned-r.Run < r.needed()
}
