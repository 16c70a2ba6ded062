package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// sandboxJSON is how children of an agent are confined.
type sandboxJSON struct {
	Mode    string   `json:"mode"`
	Network string   `json:"network"`
	Sockets bool     `json:"sockets"`
	Read    []string `json:"read"`
	Write   []string `json:"write"`
	Env     []string `json:"env"`
	Hidden  []string `json:"hidden"`  // what children cannot read although it lies in what they can
	Kept    []string `json:"kept"`    // what they cannot change although it lies in what they can
	Holds   []string `json:"holds"`   // what this system enforces
	Missing []string `json:"missing"` // what it does not, and what no path names

	absent []string // of Missing: what does not exist yet and can be made, by name
	others []string // the rest
}

// sandboxOf is how the children of an agent would run here.
func sandboxOf(r *loader.Report, agent string) *sandboxJSON {
	s := r.Settings.Sandbox
	l, access := r.Sandbox(agent)
	v := &sandboxJSON{
		Mode: s.Mode.Or("auto"), Network: s.Network.Or("host"), Sockets: l.Sockets, Read: words(s.Read), Write: words(s.Write), Env: words(s.Env),
		Hidden: within(r.Root, access.Hide), Kept: within(r.Root, access.Keep), Holds: []string{}, Missing: []string{},
	}
	for _, f := range l.Facts(access) {
		switch {
		case f.Holds:
			v.Holds = append(v.Holds, f.Text)
		case f.What != "open":
			v.others = append(v.others, f.Text)
		}
	}
	v.Missing = append([]string{}, v.others...)
	if l.Mode == sandbox.Off {
		return v
	}
	for _, g := range access.Open {
		v.Missing = append(v.Missing, g.String())
		if g.Absent {
			v.absent = append(v.absent, g.Name)
		} else {
			v.others = append(v.others, g.String())
		}
	}
	return v
}

// within names paths from the workspace's root on, where they lie in it.
func within(root string, paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = path
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			out[i] = filepath.ToSlash(rel)
		}
	}
	return out
}

// text tells it to a person.
func (v *sandboxJSON) text(w io.Writer) {
	if v == nil {
		return
	}
	fmt.Fprintf(w, "\nSANDBOX %s, network %s\n", v.Mode, v.Network)
	for _, line := range v.Holds {
		fmt.Fprintf(w, "  ✓ %s\n", printable.Line(line))
	}
	for _, line := range v.others {
		fmt.Fprintf(w, "  ✗ %s\n", printable.Line(line))
	}
	for _, part := range []struct {
		title string
		names []string
	}{{"✗ do not exist yet and can be made", v.absent}, {"hidden", v.Hidden}, {"kept", v.Kept}} {
		if len(part.names) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", part.title, printable.Line(strings.Join(part.names, ", ")))
		}
	}
}
