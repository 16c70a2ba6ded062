package config

import (
	"runtime"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// hookHandler reads one handler in any of the shapes that are met.
func (d *decoder) hookHandler(n *yaml.Node) (HookHandler, bool) {
	h, before := HookHandler{Type: "command", At: d.at(n)}, len(d.ds)
	if n.Kind != yaml.MappingNode {
		d.wrong(n, "a map with type and command")
		return h, false
	}
	if decode(d, n, handlerTable.Get(), &h); d.unread(n, "type") {
		h.Type = ""
	}
	d.handlerForms(n, &h)
	if lacks := d.handlerLacks(n, &h); lacks != "" {
		d.wrong(n, "a handler of type "+h.Type+" with "+lacks)
		return h, false
	}
	d.quoting(h)
	h.Broken = d.failed(before)
	return h, true
}

// handlerLacks is what a handler of its type must say and nobody wrote; "" = nothing. Of one whose type is an error nobody knows.
func (d *decoder) handlerLacks(n *yaml.Node, h *HookHandler) string {
	without := func(text string, keys ...string) bool {
		return strings.TrimSpace(text) == "" && !slices.ContainsFunc(keys, func(k string) bool { return d.unread(n, k) })
	}
	switch h.Type {
	case "command":
		if without(h.Command, "command", "bash", "powershell", "windows", "linux", "osx") {
			return "command"
		}
	case "http":
		if without(h.URL, "url") {
			return "url"
		}
	case "mcp_tool":
		if without(h.Server, "server") || without(h.Tool, "tool") {
			return "server and tool"
		}
	case "prompt", "agent":
		if without(h.Prompt, "prompt") {
			return "prompt"
		}
	}
	return ""
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
	if h.Async.V && h.Type != "command" && h.Type != "" {
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
