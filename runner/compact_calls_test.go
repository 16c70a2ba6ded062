package runner_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// heard is a model that keeps what it is asked.
type heard struct {
	providers.Model
	asked *[]*providers.Request
}

func (h heard) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	*h.asked = append(*h.asked, req)
	return h.Model.Generate(ctx, req, emit)
}

// TestSummariser has the cases of one model that overflows and another one that summarises.
func TestSummariser(t *testing.T) {
	always := func(kind providers.Kind, status int) script.Rule {
		return script.Rule{Reply: script.Reply{Error: &script.Failure{Kind: kind, Status: status}}}
	}
	for _, tc := range []struct {
		name       string
		overflows  int // of the fourth turn; 0 = all
		summariser script.Rule
		sends      [2]int // of the fourth turn and of the summariser
		kind       string
		events     []string
	}{
		{"a summary makes room", 1, script.Rule{Reply: say("Pages were read.")}, [2]int{2, 1}, "", []string{"context.overflow", "context.compacted"}},
		{"not enough", 0, script.Rule{Reply: say("Pages were read.")}, [2]int{2, 1}, "context_overflow", []string{"context.overflow", "context.compacted"}},
		{"the summariser overflows", 0, always(providers.KindOverflow, 400), [2]int{1, 1}, "context_overflow", []string{"context.overflow"}},
		{"the summariser is down", 0, always(providers.KindOverloaded, 503), [2]int{1, 4}, "context_overflow", []string{"context.overflow"}},
		{"the summary is empty", 0, script.Rule{Reply: say(" ")}, [2]int{1, 1}, "context_overflow", []string{"context.overflow"}},
		{"the summary is longer", 0, script.Rule{Reply: say(strings.Repeat("blah ", 1_000))}, [2]int{1, 1}, "context_overflow", []string{"context.overflow"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // a model that is down is waited for
				var main, summaries []*providers.Request
				a := pager(t, agents.Summarise, full(script.When{Turn: "4"}, tc.overflows))
				a.Model = heard{a.Model, &main}
				a.Summariser = providers.Fallback(providers.DefaultPolicy(), heard{scripted(t, tc.summariser), &summaries})
				d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
				var told []string
				res, _ := newRunner(t, &scene{agents: []*agents.Agent{a}}, &runner.Options{Sessions: d}).Do(t.Context(), runner.Request{Input: "read all"},
					&runner.RunOptions{Sink: func(e event.Event) {
						if strings.HasPrefix(e.Type(), "context.") {
							told = append(told, e.Type())
						}
					}})
				if res.Kind != tc.kind || res.ExitCode != event.ExitCode(tc.kind) {
					t.Fatalf("kind %q, exit %d: %s", res.Kind, res.ExitCode, res.Message)
				}
				if diff := cmp.Diff(tc.events, told); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
				if sends := [2]int{len(main) - 3, len(summaries)}; sends != tc.sends {
					t.Errorf("%v sends, want %v", sends, tc.sends)
				}
				compacted := len(told) == 2
				if compacted {
					compareRequests(t, main[3], main[4])
					if used := res.PerAgent["worker"]; tc.kind == "" && (used.Usage.Input != 500 || used.Turns != 4) {
						t.Errorf("used %+v: the summary counts, and is no turn", used)
					}
				}
				checkStored(t, d, res.Session, compacted)
			})
		})
	}
}

// compareRequests holds a request against the one that did not fit.
func compareRequests(t *testing.T, was, is *providers.Request) {
	t.Helper()
	if weigh(is) >= weigh(was) {
		t.Errorf("%d characters after %d", weigh(is), weigh(was))
	}
	if is.System != was.System {
		t.Errorf("the system text became %q", is.System)
	}
	if diff := cmp.Diff(lastPrompt(was.Messages), lastPrompt(is.Messages)); diff != "" {
		t.Errorf("the last prompt (-was +is):\n%s", diff)
	}
	checkWhole(t, is.Messages)
}

func weigh(req *providers.Request) int {
	n := len(req.System)
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case providers.Text:
				n += len(p.Text)
			case providers.ToolCall:
				n += len(p.Name) + len(p.Args)
			case providers.ToolResult:
				n += len(p.Content)
			}
		}
	}
	return n
}

func lastPrompt(messages []providers.Message) (text string) {
	for _, m := range messages {
		if m.Role == providers.User {
			text = m.Text()
		}
	}
	return text
}

// checkWhole finds every result behind its call, every call in front of its result, and a prompt at the beginning.
func checkWhole(t *testing.T, messages []providers.Message) {
	t.Helper()
	if messages[0].Role != providers.User {
		t.Errorf("it begins with a message of the %s", messages[0].Role)
	}
	open := map[string]bool{}
	for _, m := range messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case providers.ToolCall:
				open[p.ID] = true
			case providers.ToolResult:
				if !open[p.CallID] {
					t.Errorf("the result of %s is without its call", p.CallID)
				}
				delete(open, p.CallID)
			}
		}
	}
	for id := range open {
		t.Errorf("the call %s is without its result", id)
	}
}

// checkStored reads what a session holds after three pages.
func checkStored(t *testing.T, d *session.Dir, id string, compacted bool) {
	t.Helper()
	stored, err := d.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, r := range stored.Records {
		if r.Type == session.Compacted {
			n++
		}
	}
	messages := session.Replay(stored.Records).Conversations["worker"]
	checkWhole(t, messages)
	text := messages[0].Text()
	if compacted && (n != 1 || !strings.HasPrefix(text, "Summary") || messages[1].Text() != "read all") {
		t.Errorf("%d compactions, the conversation begins with %q", n, text)
	}
	if !compacted && (n != 0 || len(messages) != 7) {
		t.Errorf("%d compactions, %d messages: the history was changed", n, len(messages))
	}
}

// TestSummaryIsPaid has a budget that the summary uses up.
func TestSummaryIsPaid(t *testing.T) {
	a := pager(t, agents.Summarise, full(script.When{Turn: "4"}, 1))
	res, _ := newRunner(t, &scene{agents: []*agents.Agent{a}}, nil).Do(t.Context(), runner.Request{Input: "go", Budget: agents.Budget{Tokens: 440}}, nil)
	if res.Kind != "token_limit" || res.Usage.Tokens() != 440 {
		t.Errorf("kind %q, %d tokens", res.Kind, res.Usage.Tokens())
	}
}

// TestNextPromptMakesRoom continues a conversation that has grown past the threshold: the prompt waits to be stored, and is
// stored once.
func TestNextPromptMakesRoom(t *testing.T) {
	a := pager(t, agents.Prune)
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	first := mustDo(t, newRunner(t, &scene{agents: []*agents.Agent{a}}, &runner.Options{Sessions: d}), runner.Request{Input: "read all"}, nil)
	next := *a
	next.Context.Window = 1_100
	next.Model = scripted(t, script.Rule{Reply: say(`{{ len .Messages }} messages`)})
	res := mustDo(t, newRunner(t, &scene{agents: []*agents.Agent{&next}}, &runner.Options{Sessions: d}), runner.Request{Input: "and now?", Session: first.Session}, nil)
	if res.Text() != "3 messages" {
		t.Errorf("the model is sent %q", res.Text())
	}
	stored, err := d.Read(res.Session)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range session.Replay(stored.Records).Conversations["worker"] {
		got = append(got, m.Text())
	}
	if diff := cmp.Diff([]string{"read all", "read", "and now?", "3 messages"}, got); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

// TestKeepRecent makes room at every length of what is kept: calls and results stay together, and the prompt stays.
func TestKeepRecent(t *testing.T) {
	for recent := -1; recent < 9; recent++ {
		for _, s := range []agents.Strategy{agents.Summarise, agents.Prune, agents.TruncateTools} {
			var asked []*providers.Request
			a := pager(t, s, full(script.When{Turn: "4", Not: &script.When{System: "^You summarise"}}, 1))
			a.Model, a.Context.KeepRecent = heard{a.Model, &asked}, recent
			if recent == 0 {
				continue // the default, which is more than there is
			}
			res, _ := newRunner(t, &scene{agents: []*agents.Agent{a}}, nil).Do(t.Context(), runner.Request{Input: "read all"}, nil)
			if last := asked[len(asked)-1]; res.OK {
				compareRequests(t, asked[3], last)
			} else if recent < 5 {
				t.Errorf("%s, %d kept: %s", s, recent, res.Message)
			}
		}
	}
}
