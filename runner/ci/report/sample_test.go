package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/ci"
	"github.com/swarmrun/swarmrun/runner/event"
)

// begin is when every report of these tests began.
var begin = time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)

func used(in, out int) event.Usage {
	return event.Usage{Usage: providers.Usage{Input: in, Output: out}, Cost: float64(in)*3e-6 + float64(out)*15e-6}
}

// sample is a report of n cases as a project has them: most pass, some do not. Two with the same seed are equal.
func sample(n int, seed uint64) *ci.Report {
	dice := rand.New(rand.NewPCG(seed, 2))
	r := &ci.Report{Version: ci.ReportVersion, Program: "v0.9.0", Workspace: "payments", Started: event.Time{Time: begin}, Concurrency: 8, OK: true}
	for i, name := range []string{"docs", "review-quality", "triage"} {
		j := &ci.Job{Name: name, Target: []string{"writer", "reviewer", "triager"}[i], File: "jobs/" + name + ".yaml", Line: 1, Outcome: ci.Passed,
			Description: []string{"", "does the reviewer still see what a person would see", "labels of new issues"}[i], Tags: []string{"nightly"}}
		at := time.Duration(i) * 2 * time.Second
		for k := range n / 3 {
			c := sampleCase(dice, j, k, at+time.Duration(k/8)*6*time.Second+time.Duration(dice.IntN(900))*time.Millisecond)
			add(&j.Totals, c)
			j.Outcome = worst(j.Outcome, c.Outcome)
			j.DurationMS = max(j.DurationMS, c.Attempts[0].Started.Sub(begin.Add(at)).Milliseconds()+c.DurationMS)
			j.Cases = append(j.Cases, c)
		}
		r.DurationMS = max(r.DurationMS, at.Milliseconds()+j.DurationMS)
		for _, c := range j.Cases {
			add(&r.Totals, c)
		}
		r.Jobs = append(r.Jobs, j)
	}
	if r.Totals.Failed+r.Totals.Errors > 0 {
		r.OK, r.Kind, r.ExitCode = false, "assertion", 1
	}
	return r
}

func worst(a, b ci.Outcome) ci.Outcome {
	order := map[ci.Outcome]int{ci.Passed: 0, ci.Flaky: 1, ci.Skipped: 2, ci.Failed: 3, ci.Errored: 4}
	if order[b] > order[a] {
		return b
	}
	return a
}

func add(t *ci.Totals, c *ci.Case) {
	t.Cases++
	t.Usage = t.Usage.Add(c.Usage)
	switch c.Outcome {
	case ci.Passed:
		t.Passed++
	case ci.Failed:
		t.Failed++
	case ci.Errored:
		t.Errors++
	case ci.Flaky:
		t.Flaky++
	case ci.Skipped:
		t.Skipped++
	}
}

func sampleCase(dice *rand.Rand, j *ci.Job, k int, at time.Duration) *ci.Case {
	model := []string{"smart", "fast"}[k%2]
	names := []string{"finds the nil dereference", "keeps out of generated files", "asks before it deletes", "names the line", "answers in one sentence"}
	c := &ci.Case{Name: fmt.Sprintf("%s %d", names[k%len(names)], k/10+1), Target: j.Target, File: j.File, Line: 8 + 6*k, Outcome: ci.Passed,
		Matrix: []ci.Axis{{Name: "model", Value: json.RawMessage(`"` + model + `"`)}}, Tags: []string{"nightly", model}}
	c.ID = fmt.Sprintf("%s/%s [model=%s]", j.Name, c.Name, model)
	outcomes := []ci.Outcome{ci.Passed}
	switch n := dice.IntN(40); {
	case n == 0:
		c.Outcome, outcomes = ci.Failed, []ci.Outcome{ci.Failed}
	case n == 1:
		c.Outcome, outcomes, c.Reason = ci.Flaky, []ci.Outcome{ci.Failed, ci.Passed}, "passed at the second try"
	case n == 2 && k%4 == 1:
		c.Outcome, outcomes = ci.Errored, []ci.Outcome{ci.Errored}
	}
	for i, o := range outcomes {
		a := sampleAttempt(dice, c, o, at)
		a.Repetition, a.Try = 1, i+1
		at += time.Duration(a.DurationMS) * time.Millisecond
		c.Attempts = append(c.Attempts, a)
		c.Usage = c.Usage.Add(a.Usage)
		c.Turns += a.Turns
		c.DurationMS += a.DurationMS
	}
	return c
}

func sampleAttempt(dice *rand.Rand, c *ci.Case, o ci.Outcome, at time.Duration) ci.Attempt {
	a := ci.Attempt{Outcome: o, Model: "anthropic/claude-sonnet-4-5", Cassette: "live", Started: event.Time{Time: begin.Add(at)}, Turns: 3,
		Usage: used(4000+dice.IntN(9000), 200+dice.IntN(700)), Output: "The change dereferences `order` before it is checked: pay/order.go:41."}
	say := func(e ci.Entry) {
		a.RunMS += 300 + int64(dice.IntN(900))
		e.AtMS, e.Agent = a.RunMS, c.Target
		a.Transcript = append(a.Transcript, e)
	}
	say(ci.Entry{Event: "user_prompt", Text: "Review the staged change. Name the file, the line and the cause."})
	for turn := 1; turn <= 2; turn++ {
		u := used(1200, 80)
		file := []string{"pay/order.go", "pay/order_test.go"}[turn-1]
		say(ci.Entry{Event: "agent_step", Turn: turn, Text: "I read " + file + " first.", Model: a.Model, Usage: &u})
		say(ci.Entry{Event: "tool_call", Tool: "Read", Call: fmt.Sprint(turn), Input: json.RawMessage(`{"file_path":"` + file + `"}`)})
		say(ci.Entry{Event: "tool_result", Tool: "Read", Call: fmt.Sprint(turn), DurationMS: 4,
			Text: "39\tfunc (s *Store) Pay(id string) error {\n40\t\torder := s.find(id)\n41\t\tif order.Paid {\n42\t\t\treturn ErrPaid\n43\t\t}"})
	}
	u := used(2400, 120)
	say(ci.Entry{Event: "agent_step", Turn: 3, Text: a.Output, Model: a.Model, Usage: &u})
	a.DurationMS = a.RunMS + 40
	a.Checks = []ci.Result{
		{Kind: "contains", Name: "contains order.go", OK: true, File: c.File, Line: c.Line + 2, Column: 9},
		{Kind: "tool_called", Name: "tool_called Read", OK: true, File: c.File, Line: c.Line + 3, Column: 9},
	}
	switch o {
	case ci.Failed:
		a.Kind = "assertion"
		a.Checks = append(a.Checks, ci.Result{Kind: "json", Name: "json $.verdict equals changes", Expected: `"changes"`, Got: `"approve"`, File: c.File,
			Line: c.Line + 4, Column: 9, At: &ci.Place{Entry: len(a.Transcript) - 1, Agent: c.Target, Turn: 3}})
		a.Findings = []ci.Finding{{File: "pay/order.go", Line: 41, Severity: ci.SeverityError, Rule: "nil-dereference", Message: "order may be nil: find returns nil for an id that is unknown"}}
		a.Changed = []ci.Change{{Path: "review.md", Status: "added", Added: 12}}
	case ci.Errored:
		a.Kind, a.Message, a.Checks = "provider", "the model anthropic/claude-sonnet-4-5 answered 529 four times: overloaded", nil
	}
	return a
}

// hostile is a report whose every text tries to be something else.
func hostile() *ci.Report {
	const text = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> ]]> \x1b[31mred\x1b[0m\x1b]8;;http://x\x07 \x00 ::error::x\n::set-output name=ok::true\n```\n| a | b | {{.}} ${{ secrets.X }} \u202Egnp\u2028 [x](javascript:x) & @someone #1 https://a.example/ --> <!-- \xff"
	r := sample(3, 1)
	r.Workspace, r.OK, r.Kind, r.ExitCode = text, false, "assertion", 1
	r.Diagnostics = diag.List{diag.New("E-SCHEMA", diag.At("jobs/"+text, 3, 1, 2), "%s", text).Suggest("%s", text)}
	for _, j := range r.Jobs {
		j.Name, j.Description, j.Target, j.File, j.Reason, j.Tags = text, text, text, text, text, []string{text}
		for _, c := range j.Cases {
			c.ID, c.Name, c.Target, c.File, c.Reason, c.Tags, c.Outcome = strings.ToValidUTF8(text, ""), text, text, text, text, []string{text}, ci.Failed
			for i := range c.Attempts {
				a := &c.Attempts[i]
				a.Outcome, a.Kind, a.Message, a.Model, a.Cassette, a.Tape, a.Output = ci.Failed, text, text, text, text, text, text
				a.Checks = []ci.Result{{Kind: text, Name: text, Expected: text, Got: text, File: text, Line: 1, Note: text, At: &ci.Place{Entry: 0}}}
				a.Findings = []ci.Finding{{File: text, Line: 1, Severity: ci.SeverityError, Rule: text, Message: text, Agent: text}}
				a.Changed = []ci.Change{{Path: text, Status: text, Added: 1}}
				input, _ := json.Marshal(map[string]string{text: text})
				a.Transcript = []ci.Entry{{Event: text, Agent: text, Tool: text, Text: text, Model: text, Input: input, Error: true}}
			}
		}
	}
	return r
}
