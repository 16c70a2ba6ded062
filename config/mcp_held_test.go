package config

import (
	"testing"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Several settings speak of the servers of one .mcp.json: a refusal of any counts, an approval of any, and of a word about all
// the nearest.
func TestUnapprovedServer(t *testing.T) {
	at := diag.At(".claude/settings.json", 2, 3, 1)
	off := &TreeSettings{Tree: FromClaude, MCPOff: []Ref{{V: "git", At: at}}}
	on := &TreeSettings{Tree: FromClaude, MCPOn: []Ref{{V: "git", At: at}}}
	all := &TreeSettings{Tree: FromClaude, AllMCP: Value[bool]{V: true, At: at}}
	none := &TreeSettings{Tree: FromClaude, AllMCP: Value[bool]{V: false, At: at}}
	gemini := &TreeSettings{Tree: FromGemini, MCPOff: []Ref{{V: "git", At: at}}}
	for _, tt := range []struct {
		name, server string
		settings     []*TreeSettings
		held         bool
	}{
		{"nobody says anything", "git", nil, false},
		{"switched off", "git", []*TreeSettings{off}, true},
		{"switched off by one", "git", []*TreeSettings{on, all, off}, true},
		{"named", "git", []*TreeSettings{on}, false},
		{"another is named", "web", []*TreeSettings{on}, true},
		{"another is named, and all may", "web", []*TreeSettings{on, all}, false},
		{"not all may", "web", []*TreeSettings{none}, true},
		{"not all may, and it is named elsewhere", "git", []*TreeSettings{none, on}, false},
		{"the nearest says all", "web", []*TreeSettings{all, none}, false},
		{"the nearest says not all", "web", []*TreeSettings{none, all}, true},
		{"another program", "git", []*TreeSettings{gemini}, false},
	} {
		if why := UnapprovedServer(tt.settings, tt.server); (why != "") != tt.held {
			t.Errorf("%s: %q", tt.name, why)
		}
	}
}
