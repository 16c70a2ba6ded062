package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner/ci"
	"github.com/swarmrun/swarmrun/runner/event"
)

// line is a text as one line of at most n characters.
func line(s string, n int) string {
	s = strings.Join(strings.Fields(printable.Unstyled(s)), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// cut is a text of at most n bytes, which says what is missing.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := n
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s\n… %d more bytes", s[:end], len(s)-end)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// dollars is what something cost; a price that is unknown is no price.
func dollars(u event.Usage) string {
	switch {
	case u.Unpriced:
		return "unknown"
	case u.Cost == 0:
		return "$0"
	case u.Cost < 0.01:
		return "$" + strconv.FormatFloat(u.Cost, 'f', 5, 64)
	default:
		return "$" + strconv.FormatFloat(u.Cost, 'f', 2, 64)
	}
}

// took is a duration as people say it.
func took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	default:
		return d.Round(time.Second).String()
	}
}

// grouped is a number with its thousands apart.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// growth is a relative difference as people write it.
func growth(g float64) string {
	if g > -0.0005 && g < 0.0005 {
		return "±0 %"
	}
	if math.IsInf(g, 1) {
		return "from nothing"
	}
	return fmt.Sprintf("%+.1f %%", 100*g)
}

// verdict is the report in one line.
func verdict(r *ci.Report) string {
	t := r.Totals
	if t.Cases == 0 {
		return "no case ran"
	}
	parts := []string{fmt.Sprintf("%d of %s passed", t.Passed, plural(t.Cases, "case"))}
	for _, p := range []struct {
		n    int
		word string
	}{{t.Failed, "failed"}, {t.Errors, "could not be judged"}, {t.Flaky, "flaky"}, {t.Skipped, "skipped"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if r.Interrupted {
		parts = append(parts, "interrupted")
	}
	return strings.Join(parts, ", ")
}

// deciding is the attempt that says why a case ended as it did: the first that did not pass, else the last. Nil when
// none was made.
func deciding(c *ci.Case) *ci.Attempt {
	for i := range c.Attempts {
		if c.Attempts[i].Outcome != ci.Passed {
			return &c.Attempts[i]
		}
	}
	if n := len(c.Attempts); n > 0 {
		return &c.Attempts[n-1]
	}
	return nil
}

// reason is why a case did not pass, in one line.
func reason(c *ci.Case) string {
	a := deciding(c)
	switch {
	case a != nil && a.Message != "":
		return line(a.Message, 300)
	case a != nil:
		for _, check := range a.Checks {
			if !check.OK {
				return line(told(check), 300)
			}
		}
	}
	return line(c.Reason, 300)
}

// told is a check that says no, in words.
func told(c ci.Result) string {
	text := c.Name
	if c.Expected != "" {
		text += ": expected " + c.Expected
	}
	if c.Got != "" {
		text += ", got " + c.Got
	}
	if c.Note != "" {
		text += " (" + c.Note + ")"
	}
	return text
}

func bad(o ci.Outcome) bool { return o == ci.Failed || o == ci.Errored }

// cases are all of a report, in its order.
func cases(r *ci.Report) []*ci.Case {
	var all []*ci.Case
	for _, j := range r.Jobs {
		all = append(all, j.Cases...)
	}
	return all
}
