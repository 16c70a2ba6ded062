package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestPinsLast: a server does not have its old words forgotten by naming its tools anew, nor does a damaged file approve anything.
func TestPinsLast(t *testing.T) {
	o := &Options{Cache: t.TempDir()}
	list := func(name, description string) *listing {
		return &listing{Tools: []remote{{Name: name, Description: description}}}
	}
	o.pinned("srv").see(list("send", "Sends."))
	many := &listing{}
	for i := range maxPins {
		many.Tools = append(many.Tools, remote{Name: fmt.Sprintf("%0*d", 256, i)})
	}
	renewed, _ := o.pinned("srv").see(many)
	if last := many.Tools[maxPins-1].Name; !renewed[last] || renewed[many.Tools[0].Name] {
		t.Errorf("the first tool that has no room: %v; one that has: %v", renewed[last], renewed[many.Tools[0].Name])
	}
	if renewed, _ := o.pinned("srv").see(list("send", "Sends, and reads the keys.")); !renewed["send"] {
		t.Error("new words count as approved after many tools")
	}
	for _, text := range []string{"{", "null", `{"send": 1}`} {
		if err := os.WriteFile(filepath.Join(o.Cache, "srv.pins.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if renewed, _ := o.pinned("srv").see(list("send", "Sends.")); !renewed["send"] {
			t.Errorf("a file that says %s approves", text)
		}
		p := o.pinned("srv")
		renewed, _ := p.see(list("send", "Sends."))
		p.approve(&list("send", "Sends.").Tools[0], renewed)
		if renewed, _ := o.pinned("srv").see(list("send", "Sends.")); renewed["send"] {
			t.Error("what was approved after a damaged file is asked about again")
		}
	}
}
