package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin"
)

func head(agent string, depth int) event.Header {
	return event.Header{Run: fmt.Sprint("run-", depth), Agent: agent, Depth: depth, Generation: 3}
}

// conversation is what a chat hears of a turn with everything in it.
func conversation() []event.Event {
	h, below := head("lead", 0), head("helper", 1)
	return []event.Event{
		&event.RunStart{Header: h}, &event.AgentStart{Header: h, Model: "script/all"},
		&event.UserPrompt{Header: h, Prompt: "the plan", Source: "user"},
		&event.ThinkingChunk{Header: h, Content: "First the notes,\nthen the rest."},
		&event.ContentChunk{Header: h, ChunkType: "content", Content: "I will look **fir"},
		&event.ContentChunk{Header: h, ChunkType: "content", Content: "st**.\x1b[2J\n\n1. one\n2. two\n"},
		&event.AgentStep{Header: h, Content: "…", Usage: event.Usage{Usage: providers.Usage{Input: 1200, Output: 40}, Cost: 0.0123}, Context: event.Context{Used: 1240, Limit: 4000, Percentage: 31}},
		&event.ToolCall{Header: h, ToolCallID: "1", Tool: "Edit", Arguments: json.RawMessage(`{"file_path":"notes.txt","old_string":"a\nb\nc","new_string":"a\nB\nc"}`)},
		&event.Delegation{Header: h, ToolCallID: "2", DelegateTo: "helper", Message: "How many lines?"},
		&event.ToolCall{Header: below, ToolCallID: "1", Tool: "Read", Arguments: json.RawMessage(`{"file_path":"notes.txt"}`)},
		&event.ContentChunk{Header: below, ChunkType: "content", Content: "only for the lead"},
		&event.ToolResult{Header: below, ToolCallID: "1", Tool: "Read", Result: "a\nB\nc", DurationMS: 2},
		&event.ToolResult{Header: h, ToolCallID: "1", Tool: "Edit", Result: "ok", DurationMS: 12},
		&event.DelegationResult{Header: h, ToolCallID: "2", DelegateFrom: "helper", Result: "three", DurationMS: 1400},
		&event.ToolCall{Header: h, ToolCallID: "3", Tool: "Bash", Arguments: json.RawMessage(`{"command":"rm -rf \u001b]0;x\u0007build && make all"}`)},
		&event.ToolResult{Header: h, ToolCallID: "3", Tool: "Bash", Result: "no such\x1b[31m file\nmake: ***", IsError: true, DurationMS: 70},
		&event.Lower{Header: h, Note: builtin.TodoChanged{Todos: []builtin.Todo{
			{Content: "Read", Status: "completed"}, {Content: "Change it", Status: "in_progress", ActiveForm: "Changing it"}, {Content: "Tell", Status: "pending"},
		}}},
		&event.Warning{Header: h, Code: "x", Message: "something to know\x07"},
		&event.UserPrompt{Header: h, Prompt: "be quick", Source: "steer"},
		&event.ContentChunk{Header: h, ChunkType: "content", Content: "| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nfunc main"},
		&event.ToolCall{Header: h, ToolCallID: "4", Tool: "Bash", Arguments: json.RawMessage(`{"command":"go test ./..."}`)},
	}
}

func played(w, h int, color bool) *chatScreen {
	s := newChatScreen(color)
	s.size(w, h)
	s.target = "lead"
	s.begin("the plan")
	for _, e := range conversation() {
		s.event(e)
	}
	s.queued = []runner.Waiting{{Kind: runner.Steering, Text: "and mind the tests"}, {Kind: runner.Following, Text: "then commit"}}
	return s
}

func screenGolden(t *testing.T, name string, s *chatScreen) {
	t.Helper()
	lines, x, y := s.lines()
	got := strings.Join(lines, "\n") + fmt.Sprintf("\ncursor %d,%d\n", x, y)
	file := filepath.Join("testdata", "chat", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestChatScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screenGolden(t, "80x50", played(80, 50, false))
		screenGolden(t, "80x24", played(80, 24, false))
		screenGolden(t, "40x12", played(40, 12, false))
		screenGolden(t, "20x8", played(20, 8, false))
		s := played(80, 50, false)
		s.press(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl})
		screenGolden(t, "unfolded", s)
		s = played(60, 20, false)
		s.ask(&asking{q: tools.Question{Agent: "lead", Tool: "Bash", Text: "Bash go test ./...", Rule: "Bash", Always: "Bash(go test *)"}, always: true, reply: make(chan string, 1)})
		screenGolden(t, "asks", s)
		s = played(60, 20, false)
		s.end(&event.Result{Kind: event.KindTurnLimit, Message: "stopped after 50 turns, the limit (max_turns)"}, nil)
		s.reload("✓ generation 4, 3 ms: 1 changed", nil)
		s.reload("✗ still on generation 4", []string{"agents/lead.md:3:1: no tool named \"Raed\""})
		s.queued = nil
		screenGolden(t, "failed", s)
	})
}

// TestChatScreenFits draws the conversation in every size, at each of its moments: as many lines as there are, none too wide,
// and nothing in them that steers a terminal.
func TestChatScreenFits(t *testing.T) {
	for w := 1; w <= 130; w += 3 {
		for _, h := range []int{1, 2, 5, 9, 10, 17, 40} {
			s := newChatScreen(false)
			s.size(w, h)
			for _, e := range conversation() {
				s.event(e)
				fits(t, s)
			}
			s.input.set("several lines\nof what is 中文 written, which are longer than the screen is wide\n\n")
			s.offers = []string{"/one", "/two", "/three"}
			fits(t, s)
			s.ask(&asking{q: tools.Question{Agent: "lead", Tool: "Bash", Text: strings.Repeat("long ", 50), Rule: "Bash", Always: "Bash(x)"}, always: true})
			fits(t, s)
		}
	}
}

func fits(t *testing.T, s *chatScreen) {
	t.Helper()
	lines, x, y := s.lines()
	if len(lines) != s.h || x < 0 || x >= s.w || y < 0 || y >= s.h {
		t.Fatalf("%d lines in %dx%d, cursor %d,%d", len(lines), s.w, s.h, x, y)
	}
	for _, line := range lines {
		if lipgloss.Width(line) > s.w || strings.ContainsFunc(line, unicode.IsControl) {
			t.Fatalf("in %dx%d: %q", s.w, s.h, line)
		}
	}
}

// TestChatResize: a screen that was other sizes before is what it would have been.
func TestChatResize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := played(80, 24, true)
		for range 50 {
			s.size(1+rand.IntN(120), 1+rand.IntN(50))
			s.lines()
		}
		s.size(80, 24)
		got, _, _ := s.lines()
		want, _, _ := played(80, 24, true).lines()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestChatScroll(t *testing.T) {
	s := newChatScreen(false)
	s.size(40, 12)
	for i := range 100 {
		s.notice(fmt.Sprint("line ", i))
	}
	s.press(tea.KeyPressMsg{Code: tea.KeyPgUp})
	before, _, _ := s.lines()
	s.notice("and more")
	s.notice("and more")
	after, _, _ := s.lines()
	if before[0] != after[0] || before[0] == "line 99" {
		t.Errorf("what is read moved from %q to %q", before[0], after[0])
	}
	for range 50 {
		s.press(tea.KeyPressMsg{Code: tea.KeyPgUp})
	}
	if top, _, _ := s.lines(); top[0] != "line 0" || !strings.Contains(strings.Join(top, "\n"), fmt.Sprintf("↓ %d lines below", s.scroll)) {
		t.Errorf("at the top, %d lines up: %q", s.scroll, top)
	}
	s.press(tea.KeyPressMsg{Code: tea.KeyEnd})
	if end, _, _ := s.lines(); !strings.Contains(strings.Join(end, "\n"), "and more") {
		t.Errorf("at the end: %q", end)
	}
}

// typed presses keys: names in brackets, all else as text.
func typed(s *chatScreen, keys ...string) (wish, string) {
	var w wish
	var text string
	codes := map[string]tea.KeyPressMsg{
		"<enter>": {Code: tea.KeyEnter}, "<tab>": {Code: tea.KeyTab}, "<up>": {Code: tea.KeyUp}, "<down>": {Code: tea.KeyDown},
		"<left>": {Code: tea.KeyLeft}, "<home>": {Code: tea.KeyHome}, "<bs>": {Code: tea.KeyBackspace}, "<esc>": {Code: tea.KeyEscape},
		"<c-c>": {Code: 'c', Mod: tea.ModCtrl}, "<c-d>": {Code: 'd', Mod: tea.ModCtrl}, "<c-j>": {Code: 'j', Mod: tea.ModCtrl},
		"<c-w>": {Code: 'w', Mod: tea.ModCtrl}, "<c-u>": {Code: 'u', Mod: tea.ModCtrl},
	}
	for _, k := range keys {
		if msg, ok := codes[k]; ok {
			w, text = s.press(msg)
			continue
		}
		for _, r := range k {
			w, text = s.press(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return w, text
}

func TestChatKeys(t *testing.T) {
	complete := func(word string) []string {
		var out []string
		for _, name := range []string{"/agent", "/clear", "/cost", "@docs/", "@docs/a.md"} {
			if strings.HasPrefix(name, word) {
				out = append(out, name)
			}
		}
		return out
	}
	for _, tc := range []struct {
		name string
		keys []string
		wish wish
		sent string
		left string // what is being written afterwards
	}{
		{"sent", []string{"hello", "<enter>"}, wishSend, "hello", ""},
		{"nothing to send", []string{"  ", "<enter>"}, wishNothing, "", "  "},
		{"two lines", []string{"a", "<c-j>", "b", "<enter>"}, wishSend, "a\nb", ""},
		{"a backslash", []string{`a\`, "<enter>", "b", "<enter>"}, wishSend, "a\nb", ""},
		{"mended", []string{"helo", "<left>", "l", "<home>", "> ", "<enter>"}, wishSend, "> hello", ""},
		{"words taken back", []string{"one two.three", "<c-w>", "<enter>"}, wishSend, "one two.", ""},
		{"all taken back", []string{"one", "<c-u>", "two", "<bs>", "<enter>"}, wishSend, "tw", ""},
		{"the one before", []string{"a", "<enter>", "b", "<enter>", "<up>", "<up>", "<enter>"}, wishSend, "a", ""},
		{"back to what was begun", []string{"a", "<enter>", "beg", "<up>", "<down>", "un", "<enter>"}, wishSend, "begun", ""},
		{"completed", []string{"/c", "<down>", "<tab>", "<enter>"}, wishSend, "/cost", ""},
		{"a folder", []string{"see @d", "<tab>", "<down>", "<tab>"}, wishNothing, "", "see @docs/a.md "},
		{"not in the middle", []string{"a /c", "<tab>"}, wishNothing, "", "a /c"},
		{"left alone", []string{"/c", "<esc>", "<up>"}, wishNothing, "", "/c"},
		{"quit by end", []string{"<c-d>"}, wishQuit, "", ""},
		{"Ctrl-C takes back", []string{"a", "<c-c>"}, wishNothing, "", ""},
		{"Ctrl-C twice", []string{"<c-c>", "<c-c>"}, wishQuit, "", ""},
		{"Ctrl-C, then something else", []string{"<c-c>", "a", "<bs>", "<c-c>"}, wishNothing, "", ""},
		{"control characters", []string{"a\x1bb", "<enter>"}, wishSend, "ab", ""},
	} {
		s := newChatScreen(false)
		s.complete = complete
		w, sent := typed(s, tc.keys...)
		if w != tc.wish || sent != tc.sent || s.input.value() != tc.left {
			t.Errorf("%s: wish %d %q, left %q; want %d %q, %q", tc.name, w, sent, s.input.value(), tc.wish, tc.sent, tc.left)
		}
	}
}

// TestChatPast takes a prompt of a stored session up again: what would steer the terminal is gone.
func TestChatPast(t *testing.T) {
	s := newChatScreen(false)
	s.past("lead", []providers.Message{{Role: providers.User, Parts: []providers.Part{providers.Text{Text: "a\x1b]0;x\ab"}}}})
	if _, sent := typed(s, "<up>", "<enter>"); sent != "a]0;xb" {
		t.Errorf("taken up: %q", sent)
	}
}

// TestChatQueueStays fails a turn while something waits: the next turn has it.
func TestChatQueueStays(t *testing.T) {
	m := &chatModel{chatScreen: newChatScreen(false), c: &chat{queue: runner.NewQueue(""), each: map[string]event.Usage{}}}
	if err := m.c.queue.Steer("be quick"); err != nil {
		t.Fatal(err)
	}
	m.happened(turnOver{res: &event.Result{Kind: event.KindCancelled}})
	if left := m.c.queue.Pending(); len(left) != 1 || left[0].Text != "be quick" {
		t.Errorf("what waits: %v", left)
	}
}

// TestChatWaits gives lines to an agent at work: what calls something is no text for it.
func TestChatWaits(t *testing.T) {
	g, err := agents.New(agents.Spec{Commands: skills.New([]*skills.Skill{{Name: "greet"}}, nil)})
	if err != nil {
		t.Fatal(err)
	}
	m := &chatModel{chatScreen: newChatScreen(false), c: &chat{queue: runner.NewQueue(""), w: &workspace{graph: g}}}
	m.working = true
	for _, line := range []string{"be quick", "/etc/hosts is short", "/greet Ann", "/agnet", "/later /greet"} {
		m.submit(line)
	}
	var waits []string
	for _, w := range m.c.queue.Pending() {
		waits = append(waits, w.Text)
	}
	if diff := cmp.Diff([]string{"be quick", "/etc/hosts is short"}, waits); diff != "" {
		t.Error(diff)
	}
}

// TestChatModel chooses a model: the foot names it, and no longer one that was taken back.
func TestChatModel(t *testing.T) {
	m := &chatModel{chatScreen: newChatScreen(false), c: &chat{queue: runner.NewQueue("")}}
	m.model = "first/one"
	for _, to := range []string{"other/one", ""} {
		m.run(chatCommand{name: "model", do: func(c *chat, _ string) (string, error) {
			c.model = to
			return "", nil
		}}, "x")
		if foot := m.status(); strings.Contains(foot, "first/one") || strings.Contains(foot, "other/one") != (to != "") {
			t.Errorf("model %q, and the foot is %q", to, foot)
		}
	}
}

func TestChatStops(t *testing.T) {
	s := played(80, 24, false)
	if w, _ := typed(s, "<c-c>"); w != wishInterrupt {
		t.Errorf("the first Ctrl-C: %d", w)
	}
	if w, _ := typed(s, "<c-c>"); w != wishQuit {
		t.Errorf("the second: %d", w)
	}
	s = played(80, 24, false)
	typed(s, "<c-c>")
	s.end(&event.Result{Kind: event.KindCancelled}, errors.New("x"))
	if w, _ := typed(s, "<c-c>"); w != wishNothing {
		t.Errorf("one behind the end of the turn: %d", w)
	}
}

func TestChatAnswers(t *testing.T) {
	for _, tc := range []struct {
		key    string
		always bool
		want   string
	}{{"y", false, "y"}, {"R", false, "r"}, {"n", false, "n"}, {"<esc>", false, "n"}, {"a", true, "a"}, {"a", false, ""}, {"x", true, ""}, {"<enter>", true, ""}} {
		s := newChatScreen(false)
		a := &asking{always: tc.always, reply: make(chan string, 1)}
		s.ask(a)
		typed(s, tc.key)
		got := ""
		select {
		case got = <-a.reply:
		default:
		}
		if got != tc.want || (s.asking == nil) != (tc.want != "") || s.input.value() != "" {
			t.Errorf("%s: answered %q, want %q", tc.key, got, tc.want)
		}
	}
}

// TestChatLong: what is over is not drawn again, however long the conversation is.
func TestChatLong(t *testing.T) {
	s := newChatScreen(true)
	s.size(100, 40)
	for range 2000 {
		s.say("a question")
		b := s.add(&chatBlock{kind: blockAnswer, agent: "lead"})
		b.say("An **answer** of some words.\n\n- with\n- a list")
		b.finish()
	}
	s.scroll = 1000
	s.lines()
	if n := testing.AllocsPerRun(10, func() { s.scroll = 0; s.lines() }); n > 2000 {
		t.Errorf("%.0f allocations for a frame", n)
	}
}
