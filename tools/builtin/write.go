package builtin

import (
	"bytes"
	"context"

	"github.com/swarmrun/swarmrun/tools"
)

type writeInput struct {
	FilePath string `json:"file_path"`
	Content  string `json:"content"`
}

const writeSchema = `{"type":"object","additionalProperties":false,"required":["file_path","content"],"properties":{
"file_path":{"type":"string","description":"File to write; a relative path starts at the working directory"},
"content":{"type":"string","description":"The whole new content"}}}`

func newWrite(f *files) tools.Tool {
	return &tool[writeInput]{
		spec: spec("Write", "Writes a whole file, replacing what was there; missing folders are made. A file that exists must have been read before. To change part of a file use Edit.", writeSchema, false),
		touches: func(in writeInput, at tools.Roots) ([]tools.Touch, error) {
			return f.paths.touch(tools.TouchWrite, in.FilePath, at)
		},
		run: func(_ context.Context, c *tools.Call, in writeInput) (tools.Result, error) {
			verb := "Replaced"
			path, err := f.change(c, in.FilePath, func(_ string, old []byte) ([]byte, error) {
				if old == nil {
					verb = "Created"
				}
				return []byte(in.Content), nil
			})
			if err != nil {
				return tools.Result{}, err
			}
			return text("%s %s: %s, %s.", verb, path, plural(lines([]byte(in.Content)), "line"), plural(len(in.Content), "byte")), nil
		},
	}
}

// lines counts lines; one without a final line break counts too.
func lines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
