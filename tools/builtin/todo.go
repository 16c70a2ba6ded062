package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/tools"
)

// Todo is one entry of an agent's task list.
type Todo struct {
	Content    string `json:"content"`    // what is to be done, such as "Run the tests"
	Status     string `json:"status"`     // pending, in_progress or completed
	ActiveForm string `json:"activeForm"` // the same while it is done, such as "Running the tests"
}

// Todos is the task list of a conversation: tools.Of[Todos](state). The zero Todos is empty; it is safe for concurrent use.
type Todos struct {
	mu   sync.Mutex
	list []Todo
}

// List returns a copy of the list.
func (t *Todos) List() []Todo {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.list)
}

// Set replaces the list, as when a session is loaded.
func (t *Todos) Set(list []Todo) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = slices.Clone(list)
}

// TodoChanged is the event of a task list that was written. Its JSON form is that of todo_changed.
type TodoChanged struct {
	Todos []Todo `json:"todos"`
}

// Type is todo_changed.
func (TodoChanged) Type() string { return "todo_changed" }

type todoInput struct {
	Todos     []Todo `json:"todos"`
	TodosJSON string `json:"todos_json"`
}

const todoSchema = `{"type":"object","additionalProperties":false,"properties":{
"todos":{"type":"array","description":"The whole list","items":{"type":"object","properties":{
"content":{"type":"string","description":"What is to be done: Run the tests"},
"status":{"type":"string","description":"pending, in_progress or completed"},
"activeForm":{"type":"string","description":"The same while it is done: Running the tests"}}}},
"todos_json":{"type":"string","description":"The same list as JSON text, instead of todos"}}}`

func newTodoWrite() tools.Tool {
	return &tool[todoInput]{
		spec: spec("TodoWrite", "Replaces your task list. Use it for work of three steps or more; keep exactly one task in_progress and mark each completed as soon as it is done.", todoSchema, true),
		run: func(_ context.Context, c *tools.Call, in todoInput) (tools.Result, error) {
			list, err := in.list()
			if err != nil {
				return tools.Result{}, err
			}
			tools.Of[Todos](c.State).Set(list)
			if c.Report != nil {
				c.Report(TodoChanged{Todos: list})
			}
			return text("%s", summary(list)), nil
		},
	}
}

// list is the tasks, however they were given, or all their faults.
func (in todoInput) list() ([]Todo, error) {
	list := in.Todos
	if in.TodosJSON != "" {
		if len(list) > 0 {
			return nil, errors.New("give either todos or todos_json, not both")
		}
		if err := json.Unmarshal([]byte(in.TodosJSON), &list); err != nil {
			return nil, fmt.Errorf("todos_json must be a JSON list of {content, status, activeForm}: %w", err)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the task list is empty; to close it write it once more with every task completed")
	}
	var faults []string
	for i, t := range list {
		faults = append(faults, t.faults(i+1)...)
	}
	if len(faults) > 0 {
		return nil, errors.New("the task list was not changed:\n- " + strings.Join(faults, "\n- "))
	}
	return list, nil
}

func (t Todo) faults(n int) (faults []string) {
	if strings.TrimSpace(t.Content) == "" {
		faults = append(faults, fmt.Sprintf("task %d: content is missing", n))
	}
	switch t.Status {
	case "pending", "in_progress", "completed":
	case "":
		faults = append(faults, fmt.Sprintf("task %d: status is missing", n))
	default:
		faults = append(faults, fmt.Sprintf("task %d: status %q is none of pending, in_progress, completed", n, t.Status))
	}
	if strings.TrimSpace(t.ActiveForm) == "" {
		faults = append(faults, fmt.Sprintf("task %d: activeForm is missing", n))
	}
	return faults
}

// summary counts the tasks, and warns when not exactly one of them is being worked on.
func summary(list []Todo) string {
	count := map[string]int{}
	for _, t := range list {
		count[t.Status]++
	}
	s := fmt.Sprintf("Task list written: %d pending, %d in progress, %d completed.", count["pending"], count["in_progress"], count["completed"])
	switch active := count["in_progress"]; {
	case active > 1:
		s += fmt.Sprintf("\nWarning: %d tasks are in_progress; keep one at a time.", active)
	case active == 0 && count["pending"] > 0:
		s += "\nWarning: no task is in_progress; mark the one you work on."
	}
	return s
}
