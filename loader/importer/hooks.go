package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/hookevent"
	"github.com/swarmrun/swarmrun/tools"
)

// foreignHookTime is how long a command of Claude Code may take that says nothing.
const foreignHookTime = 10 * time.Minute

// treeHooks carries hooks of settings as files. A gate that cannot be carried leaves the agents of the tree out: the import would
// run without it.
func (b *builder) treeHooks(groups []config.HookGroup) {
	for _, g := range groups {
		name, _ := hookevent.Lookup(g.Event.V)
		for _, h := range g.Handlers {
			why := carries(name, h)
			if why == "" {
				b.hookFiles++
				file := fmt.Sprintf("hooks/%s-%d.md", kebab(g.Event.V), b.hookFiles)
				b.extra = append(b.extra, File{Path: file, From: h.At.File, Data: hookText(g, h)})
				b.guards = append(b.guards, file)
				if strings.Contains(h.Command, "CLAUDE_PROJECT_DIR") {
					b.left.Add(diag.New("W-NOT-CARRIED", h.At, "the script that the hook of %s runs is not copied", g.Event.V).
						Suggest("copy it to the same place of the new workspace"))
				}
				continue
			}
			if name.Gate {
				b.denied = true
				b.left.Add(diag.New("E-NOT-CARRIED", h.At, "a hook of %s guards the agents of the tree and is not imported: %s", g.Event.V, why).
					Suggest("write it as a file below hooks/, take it out of this file, and import again"))
				continue
			}
			b.left.Add(diag.New("W-NOT-CARRIED", h.At, "the hook of %s is not carried: %s", g.Event.V, why))
		}
	}
}

// carries says why a handler has no counterpart as a hook file; "" = it has.
func carries(name hookevent.Name, h config.HookHandler) string {
	switch {
	case len(name.On) == 0:
		return "the event does not occur here"
	case h.Type != "command":
		return "it is of type " + h.Type
	case h.Args != nil || h.Shell == "powershell" || h.Dir != "" || h.Once || h.Async.V:
		return "it has args, cwd, once, async or a shell of its own"
	case strings.Contains(h.Command, "CLAUDE_PLUGIN_"):
		return "it belongs to a plugin"
	}
	if h.If.Set() {
		rule, err := tools.ParseRule(h.If.V, tools.Claude, h.If.At)
		if err != nil || rule.Specifier != "" && rule.Tool != "Bash" {
			return "its rule may mean something else in a native file"
		}
	}
	return ""
}

// hookText is a handler as a hook file. There a gate that fails denies.
func hookText(g config.HookGroup, h config.HookHandler) []byte {
	var t strings.Builder
	fmt.Fprintf(&t, "---\nevent: %s\n", g.Event.V)
	if g.Matcher.V != "" && g.Matcher.V != "*" {
		fmt.Fprintf(&t, "match: %s\n", quote(g.Matcher.V))
	}
	if h.If.Set() {
		fmt.Fprintf(&t, "if: %s\n", quote(h.If.V))
	}
	limit := h.Timeout
	if limit <= 0 {
		limit = foreignHookTime
	}
	fence := "```"
	for strings.Contains(h.Command, fence) {
		fence += "`"
	}
	shell := h.Shell
	if shell == "" {
		shell = "sh"
	}
	if len(h.Env) > 0 {
		t.WriteString("env:\n")
		for _, name := range slices.Sorted(maps.Keys(h.Env)) {
			fmt.Fprintf(&t, "  %s: %s\n", quote(name), quote(h.Env[name]))
		}
	}
	fmt.Fprintf(&t, "timeout: %s\n---\n%s%s\n%s\n%s\n", limit, fence, shell, strings.TrimRight(h.Command, "\n"), fence)
	return []byte(t.String())
}

// kebab is PreToolUse as pre-tool-use.
func kebab(name string) string {
	var out strings.Builder
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				out.WriteByte('-')
			}
			c += 'a' - 'A'
		}
		if c == '_' {
			c = '-'
		}
		out.WriteRune(c)
	}
	return out.String()
}
