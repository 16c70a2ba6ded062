package tools

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/tools/internal/shell"
)

// reaches lists what a call reaches, commands taken apart. A tool that tells nothing reaches one nameless thing, which
// rules about names and parameters fit.
func reaches(t Tool, c *Call, g *Ground) ([]reach, error) {
	toucher, ok := t.(Toucher)
	if !ok {
		return []reach{{}}, nil
	}
	touches, err := toucher.Touches(c.Input, c.Roots)
	if err != nil {
		return nil, err
	}
	var out []reach
	for _, touch := range touches {
		switch touch.Kind {
		case TouchCommand:
			out = append(out, commandReaches(touch.Value, g)...)
		case TouchRead, TouchSearch, TouchWrite:
			r, err := fileReach(touch.Kind, touch.Value, g)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		default:
			out = append(out, reach{kind: touch.Kind, text: touch.Value})
		}
	}
	if len(out) == 0 {
		out = append(out, reach{})
	}
	return out, nil
}

func fileReach(kind TouchKind, path string, g *Ground) (reach, error) {
	if !filepath.IsAbs(path) {
		return reach{}, fmt.Errorf("path %q is not absolute", path)
	}
	p, err := g.locate(path)
	if err != nil {
		return reach{}, fmt.Errorf("path %s cannot be followed: %w", path, err)
	}
	return reach{kind: kind, text: path, path: p}, nil
}

// commandReaches takes a command line apart: its commands, and the files that it opens.
func commandReaches(line string, g *Ground) []reach {
	s := shell.Parse(line)
	var out []reach
	if s.Opaque != "" {
		out = append(out, reach{kind: TouchCommand, text: line, veiled: s.Opaque})
	}
	for _, c := range s.Commands {
		text := c.Source
		if text == "" {
			text = strings.Join(c.Sets, "= ") + "="
		}
		out = append(out, reach{kind: TouchCommand, text: text, cmd: c})
	}
	for _, f := range s.Files {
		if r, ok := openedReach(f, s.Moves, g); ok {
			out = append(out, r)
		}
	}
	return out
}

// openedReach is a file that the shell opens. The devices of a process's own streams reach nothing.
func openedReach(f shell.File, moves bool, g *Ground) (reach, bool) {
	r := reach{kind: TouchRead, text: shell.Plain(f.Path), byShell: true}
	if f.Write {
		r.kind = TouchWrite
	}
	path := r.text
	switch {
	case path == "/dev/null", path == "/dev/stdin", path == "/dev/stdout", path == "/dev/stderr", path == "/dev/tty":
		return r, false
	case !shell.Known(f.Path):
		r.veiled = "the path " + r.text + " is not known before the command runs"
		return r, true
	case strings.HasPrefix(path, "/dev/tcp/"), strings.HasPrefix(path, "/dev/udp/"):
		r.veiled = path + " is a network connection"
		return r, true
	case moves && !filepath.IsAbs(path):
		r.veiled = "the command changes its folder, so " + path + " may lie anywhere"
		return r, true
	case !filepath.IsAbs(path):
		path = filepath.Join(g.dir[0], path)
	}
	p, err := g.locate(path)
	if err != nil {
		r.veiled = "the path " + path + " cannot be followed"
	}
	r.path = p
	return r, true
}
