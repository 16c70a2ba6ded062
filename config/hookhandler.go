package config

import (
	"runtime"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// hookHandler reads one handler in any of the shapes that are met.
func (d *decoder) hookHandler(n *yaml.Node) (HookHandler, bool) {
	h := HookHandler{Type: "command", At: d.at(n)}
	if n.Kind != yaml.MappingNode {
		d.wrong(n, "a map with type and command")
		return h, false
	}
	before := len(d.ds)
	decode(d, n, handlerTable.Get(), &h)
	for _, x := range d.ds[before:] {
		if x.Severity == diag.Error {
			return h, false
		}
	}
	d.handlerForms(n, &h)
	var lacks string
	switch {
	case h.Type == "command" && strings.TrimSpace(h.Command) == "":
		lacks = "command"
	case h.Type == "http" && h.URL == "":
		lacks = "url"
	case h.Type == "mcp_tool" && (h.Server == "" || h.Tool == ""):
		lacks = "server and tool"
	case (h.Type == "prompt" || h.Type == "agent") && strings.TrimSpace(h.Prompt) == "":
		lacks = "prompt"
	}
	if lacks != "" {
		d.wrong(n, "a handler of type "+h.Type+" with "+lacks)
		return h, false
	}
	d.quoting(h)
	return h, true
}

// handlerForms brings the spellings of other programs into the handler's own fields.
func (d *decoder) handlerForms(n *yaml.Node, h *HookHandler) {
	told := func(key string) {
		if v := child(n, key); v != nil {
			d.add(diag.New("I-HOOK-FORM", d.at(v), "%s is another spelling, and is understood", key))
		}
	}
	own := map[string]string{"windows": h.windows, "linux": h.linux, "darwin": h.osx}[runtime.GOOS]
	switch {
	case own != "":
		h.Command = own
	case h.Command == "" && h.bash != "":
		h.Command, h.Shell = h.bash, "bash"
		told("bash")
	case h.Command == "" && h.powershell != "":
		h.Command, h.Shell = h.powershell, "powershell"
		told("powershell")
	}
	told("timeoutSec")
	if h.CommandAt.IsZero() {
		h.CommandAt = h.At
	}
	if h.Rewake.V {
		h.Async = h.Rewake
	}
	if h.Async.V && h.Type != "command" {
		d.add(diag.New("I-HOOK-FORM", h.Async.KeyAt(), "async has no effect on a handler of type %s: it is waited for", h.Type))
		h.Async.V = false
	}
}

// placeholders are the variables whose values are paths.
var placeholders = []string{
	"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "SWARMRUN_WORKSPACE", "SWARMRUN_TOOL_FILE", "SWARM_SDK_PROJECT_DIR",
}

// quoting warns of a path in a shell line that falls apart at its blanks.
func (d *decoder) quoting(h HookHandler) {
	if h.Type != "command" || h.Args != nil {
		return
	}
	if name := unquoted(h.Command); name != "" {
		d.add(diag.New("W-HOOK-QUOTING", h.CommandAt, "$%s stands without quotes, so a path with blanks falls apart", name).
			Suggest("write \"$%s\" with the quotes", name))
	}
}

// unquoted is the first placeholder of a shell line outside quotes; "" = none.
func unquoted(line string) string {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == '$' && quote == 0:
			rest := strings.TrimPrefix(line[i+1:], "{")
			for _, name := range placeholders {
				if tail, ok := strings.CutPrefix(rest, name); ok && !startsName(tail) {
					return name
				}
			}
		}
	}
	return ""
}

// startsName tells whether a name of a variable goes on.
func startsName(tail string) bool {
	return tail != "" && (tail[0] == '_' || tail[0] >= 'A' && tail[0] <= 'Z' || tail[0] >= 'a' && tail[0] <= 'z' || tail[0] >= '0' && tail[0] <= '9')
}
