package toolstest

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/tools"
)

// Case is what the suite needs to know about a tool.
type Case struct {
	Tool  tools.Tool
	Roots tools.Roots     // where calls work; give it a folder of the test
	Good  json.RawMessage // an input that succeeds
	Bad   json.RawMessage // one that fits the schema and fails; nil = there is none
	Slow  json.RawMessage // one that runs until it is cancelled; nil = there is none
}

// patience is how long a cancelled call may take.
const patience = 3 * time.Second

// Run tests the tool: its specification, that its own failures are results and not errors, that it does not panic on an
// input that was not checked, that calls may run side by side, that cancellation ends a call and that no goroutine is left.
func Run(t *testing.T, c Case) {
	t.Run("spec", func(t *testing.T) { spec(t, c) })
	before := runtime.NumGoroutine()
	t.Run("good", func(t *testing.T) { good(t, c) })
	t.Run("bad", func(t *testing.T) { bad(t, c) })
	t.Run("unchecked", func(t *testing.T) { unchecked(t, c) })
	t.Run("side by side", func(t *testing.T) { sideBySide(t, c) })
	t.Run("cancelled", func(t *testing.T) { cancelled(t, c) })
	t.Run("touches", func(t *testing.T) { touches(t, c) })
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines are left, there were %d before", runtime.NumGoroutine(), before)
		}
	}
}

func (c Case) call(input json.RawMessage) *tools.Call {
	return &tools.Call{ID: "call_1", Tool: c.Tool.Spec().Name, Agent: "tester", Input: input, Roots: c.Roots, State: &tools.State{}}
}

func spec(t *testing.T, c Case) {
	s := c.Tool.Spec()
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString(s.Name) {
		t.Errorf("name %q: providers take 1 to 64 letters, digits, _ and -", s.Name)
	}
	if strings.TrimSpace(s.Description) == "" {
		t.Error("no description: a model cannot know when to call the tool")
	}
	var shape struct{ Type string }
	if err := json.Unmarshal(s.Schema, &shape); err != nil || shape.Type != "object" {
		t.Errorf("schema: type %q, want an object (%v)", shape.Type, err)
	}
	if err := s.Check(c.Good); err != nil {
		t.Errorf("the good input: %v", err)
	}
	if err := s.Check(json.RawMessage(`["no object"]`)); err == nil {
		t.Error("a list passes the schema")
	}
	if c.Bad != nil {
		if err := s.Check(c.Bad); err != nil {
			t.Errorf("the bad input should fit the schema: %v", err)
		}
	}
	if err := new(tools.Registry).Register(c.Tool); err != nil {
		t.Error(err)
	}
}

func good(t *testing.T, c Case) {
	got, err := c.Tool.Call(t.Context(), c.call(c.Good))
	if err != nil || got.IsError {
		t.Errorf("%+v, error %v", got, err)
	}
}

func bad(t *testing.T, c Case) {
	if c.Bad == nil {
		t.Skip("every input that fits succeeds")
	}
	got, err := c.Tool.Call(t.Context(), c.call(c.Bad))
	if err != nil {
		t.Errorf("a failure of the tool came as a Go error, which ends the run: %v", err)
	}
	if !got.IsError || strings.TrimSpace(got.Content) == "" {
		t.Errorf("%+v, want IsError and a text", got)
	}
}

// unchecked inputs never reach a tool in a run; a program that calls it directly must not be brought down by them.
func unchecked(t *testing.T, c Case) {
	for _, input := range []string{``, `{`, `null`, `[]`, `7`, `"x"`, `{"command":7,"file_path":7}`, "{\"\x00\":1}"} {
		got, err := c.Tool.Call(t.Context(), c.call(json.RawMessage(input)))
		if err != nil {
			t.Errorf("%q: %v", input, err)
		}
		if got.IsError && got.Content == "" {
			t.Errorf("%q: an error without a text", input)
		}
	}
}

func sideBySide(t *testing.T, c Case) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := c.Tool.Call(t.Context(), c.call(c.Good)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func cancelled(t *testing.T, c Case) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := within(t, ctx, c, c.Good); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before it began: %v", err)
	}
	if c.Slow == nil {
		return
	}
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := within(t, ctx, c, c.Slow); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled on its way: %v, want the error of the context", err)
	}
}

func within(t *testing.T, ctx context.Context, c Case, input json.RawMessage) (tools.Result, error) {
	t.Helper()
	began := time.Now()
	got, err := c.Tool.Call(ctx, c.call(input))
	if took := time.Since(began); took > patience {
		t.Errorf("the call took %s after it was cancelled", took)
	}
	return got, err
}

func touches(t *testing.T, c Case) {
	toucher, ok := c.Tool.(tools.Toucher)
	if !ok {
		t.Skip("is no Toucher")
	}
	got, err := toucher.Touches(c.Good, c.Roots)
	if err != nil {
		t.Fatal(err)
	}
	for _, touch := range got {
		switch touch.Kind {
		case tools.TouchRead, tools.TouchSearch, tools.TouchWrite:
			if !strings.HasPrefix(touch.Value, "/") || strings.Contains(touch.Value, "/../") {
				t.Errorf("%q is not absolute and cleaned", touch.Value)
			}
		case tools.TouchCommand, tools.TouchHost, tools.TouchAgent, tools.TouchSkill:
		default:
			t.Errorf("unknown kind %d", touch.Kind)
		}
	}
}
