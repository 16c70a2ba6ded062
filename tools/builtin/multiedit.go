package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/tools"
)

type multiEditInput struct {
	FilePath  string        `json:"file_path"`
	Edits     []replacement `json:"edits"`
	EditsJSON string        `json:"edits_json"`
}

const multiEditSchema = `{"type":"object","additionalProperties":false,"required":["file_path"],"properties":{
"file_path":{"type":"string","description":"File to change; a relative path starts at the working directory"},
"edits":{"type":"array","minItems":1,"description":"Changes in order; each sees the result of those before it","items":{"type":"object","additionalProperties":false,"required":["old_string","new_string"],"properties":{
"old_string":{"type":"string"},"new_string":{"type":"string"},"replace_all":{"type":"boolean","default":false}}}},
"edits_json":{"type":"string","description":"The same list as JSON text, instead of edits"}}}`

func newMultiEdit(f *files) tools.Tool {
	return &tool[multiEditInput]{
		spec: spec("MultiEdit", "Makes several replacements in one file that has been read before: all of them or, when one fails, none. Each follows the rules of Edit.", multiEditSchema, false),
		touches: func(in multiEditInput, at tools.Roots) ([]tools.Touch, error) {
			return f.paths.touch(tools.TouchWrite, in.FilePath, at)
		},
		run: func(_ context.Context, c *tools.Call, in multiEditInput) (tools.Result, error) {
			edits, err := in.list()
			if err != nil {
				return tools.Result{}, err
			}
			total := 0
			path, err := f.change(c, in.FilePath, func(name string, old []byte) ([]byte, error) {
				content, err := editable(name, old)
				if err != nil {
					return nil, err
				}
				content, total, err = applyAll(edits, content)
				if err != nil {
					return nil, fmt.Errorf("%s: %w; nothing was changed", name, err)
				}
				return []byte(content), nil
			})
			if err != nil {
				return tools.Result{}, err
			}
			return text("Made %s in %s (%s replaced).", plural(len(edits), "edit"), path, plural(total, "occurrence")), nil
		},
	}
}

// list is the edits, however they were given.
func (in multiEditInput) list() ([]replacement, error) {
	edits := in.Edits
	if in.EditsJSON != "" {
		if len(edits) > 0 {
			return nil, errors.New("give either edits or edits_json, not both")
		}
		var err error
		if edits, err = parseEdits(in.EditsJSON); err != nil {
			return nil, err
		}
	}
	if len(edits) == 0 {
		return nil, errors.New("the list of edits is empty")
	}
	return edits, nil
}

// parseEdits reads edits_json and names every fault in it by the number of its edit.
func parseEdits(s string) ([]replacement, error) {
	var items []json.RawMessage
	if err := json.Unmarshal([]byte(s), &items); err != nil {
		return nil, fmt.Errorf("edits_json must be a JSON list of {old_string, new_string, replace_all}: %w", err)
	}
	edits, faults := make([]replacement, len(items)), []string{}
	for i, item := range items {
		var e struct {
			Old *string `json:"old_string"`
			New *string `json:"new_string"`
			All bool    `json:"replace_all"`
		}
		switch err := json.Unmarshal(item, &e); {
		case err != nil:
			faults = append(faults, fmt.Sprintf("edit %d: %v", i+1, err))
		case e.Old == nil:
			faults = append(faults, fmt.Sprintf("edit %d: old_string is missing", i+1))
		case e.New == nil:
			faults = append(faults, fmt.Sprintf("edit %d: new_string is missing", i+1))
		default:
			edits[i] = replacement{Old: *e.Old, New: *e.New, All: e.All}
		}
	}
	if len(faults) > 0 {
		return nil, errors.New("edits_json: " + strings.Join(faults, "; "))
	}
	return edits, nil
}

// applyAll makes the edits one after the other; total counts the occurrences replaced.
func applyAll(edits []replacement, content string) (text string, total int, err error) {
	for i, e := range edits {
		done, err := e.apply(content)
		if err != nil {
			return "", 0, fmt.Errorf("edit %d of %d: %w", i+1, len(edits), err)
		}
		content = done.text
		total += done.count
	}
	return content, total, nil
}
