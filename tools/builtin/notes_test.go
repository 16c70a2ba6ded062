package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools"
)

func TestThink(t *testing.T) {
	b := newBench(t)
	b.ok("Think", in{"thoughts": "first this, then that", "confidence": 0.9})
	b.refused("empty", "Think", in{"thoughts": "\n"})
}

func TestClock(t *testing.T) {
	want := "Date: 2026-11-29\nTime: 10:04:11 UTC\nWeekday: Sunday\nISO 8601: 2026-11-29T10:04:11Z"
	if diff := cmp.Diff(want, newBench(t).ok("Clock", in{})); diff != "" {
		t.Error(diff)
	}
}

func todo(status string) in {
	return in{"content": "Run the tests", "status": status, "activeForm": "Running the tests"}
}

func TestTodoWrite(t *testing.T) {
	tests := []struct {
		name  string
		input in
		want  string
		list  int
	}{
		{"one active", in{"todos": []in{todo("completed"), todo("in_progress"), todo("pending")}}, "Task list written: 1 pending, 1 in progress, 1 completed.", 3},
		{"as JSON", in{"todos_json": `[{"content":"a","status":"in_progress","activeForm":"b"}]`}, "Task list written: 0 pending, 1 in progress, 0 completed.", 1},
		{"all done", in{"todos": []in{todo("completed")}}, "Task list written: 0 pending, 0 in progress, 1 completed.", 1},
		{"two active", in{"todos": []in{todo("in_progress"), todo("in_progress")}}, "Task list written: 0 pending, 2 in progress, 0 completed.\nWarning: 2 tasks are in_progress; keep one at a time.", 2},
		{"none active", in{"todos": []in{todo("pending")}}, "Task list written: 1 pending, 0 in progress, 0 completed.\nWarning: no task is in_progress; mark the one you work on.", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			var events []tools.Event
			b.call.Report = func(e tools.Event) { events = append(events, e) }
			if diff := cmp.Diff(tt.want, b.ok("TodoWrite", tt.input)); diff != "" {
				t.Error(diff)
			}
			list := tools.Of[Todos](b.call.State).List()
			if len(list) != tt.list {
				t.Errorf("%d tasks are kept, want %d", len(list), tt.list)
			}
			if diff := cmp.Diff([]tools.Event{TodoChanged{Todos: list}}, events); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTodoWriteNamesAllFaults(t *testing.T) {
	b := newBench(t)
	b.ok("TodoWrite", in{"todos": []in{todo("in_progress")}})
	b.call.Report = func(e tools.Event) { t.Errorf("event %v of a refused list", e) }
	res := b.run("TodoWrite", in{"todos": []in{{"status": "done"}, todo("pending"), {"content": "x", "activeForm": " "}}})
	want := strings.Join([]string{
		"the task list was not changed:",
		"- task 1: content is missing",
		`- task 1: status "done" is none of pending, in_progress, completed`,
		"- task 1: activeForm is missing",
		"- task 3: status is missing",
		"- task 3: activeForm is missing",
	}, "\n")
	if diff := cmp.Diff(tools.Result{Content: want, IsError: true}, res); diff != "" {
		t.Error(diff)
	}
	b.refused("is empty", "TodoWrite", in{"todos": []in{}})
	b.refused("is empty", "TodoWrite", in{"todos_json": "[]"})
	b.refused("JSON list", "TodoWrite", in{"todos_json": "{}"})
	b.refused("not both", "TodoWrite", in{"todos": []in{todo("pending")}, "todos_json": "[]"})
	if n := len(tools.Of[Todos](b.call.State).List()); n != 1 {
		t.Errorf("%d tasks are kept after refusals, want the 1 from before", n)
	}
}

func TestTodoChangedJSON(t *testing.T) {
	e := TodoChanged{Todos: []Todo{{Content: "a", Status: "pending", ActiveForm: "b"}}}
	got, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"todos":[{"content":"a","status":"pending","activeForm":"b"}]}`; string(got) != want || e.Type() != "todo_changed" {
		t.Errorf("%s: got %s, want %s", e.Type(), got, want)
	}
}

func TestReport(t *testing.T) {
	b := newBench(t)
	var told []tools.Event
	b.call.Report = func(e tools.Event) { told = append(told, e) }
	b.ok("Report", in{"message": "m", "file": "a.go", "line": 3, "end_line": 4, "severity": "error", "rule": "nil"})
	b.ok("Report", in{"message": "m"})
	b.refused("is empty", "Report", in{"message": " "})
	b.refused("needs a file", "Report", in{"message": "m", "line": 3})
	b.refused("is before", "Report", in{"message": "m", "file": "a", "line": 3, "end_line": 2})
	want := []tools.Event{
		Finding{File: "a.go", Line: 3, EndLine: 4, Severity: "error", Rule: "nil", Message: "m"},
		Finding{Severity: "warning", Message: "m"},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}
