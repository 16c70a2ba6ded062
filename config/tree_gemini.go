package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// geminiClasses are the names of Gemini's tools in its program, which settings may hold too.
var geminiClasses = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"ShellTool": "run_shell_command", "ReadFileTool": "read_file", "ReadManyFilesTool": "read_many_files", "LSTool": "list_directory",
		"WriteFileTool": "write_file", "EditTool": "replace", "GlobTool": "glob", "GrepTool": "search_file_content", "RipGrepTool": "search_file_content",
		"WebFetchTool": "web_fetch", "WebSearchTool": "google_web_search", "WriteTodosTool": "write_todos",
	}
}}

// geminiMode is one of Gemini's words for permission modes in ours; yolo, which takes questions away, is left to whoever runs
// swarmrun, and is "" as any other word.
func geminiMode(word string) string {
	switch word {
	case "plan":
		return "plan"
	case "default", "auto_edit":
		return "default"
	}
	return ""
}

// geminiSettings reads a settings.json of Gemini.
type geminiSettings struct {
	*decoder
	to *TreeSettings
}

// ReadGemini reads what a settings.json of Gemini says about all agents of its tree: tools that are taken away, that go without
// asking or that are the only ones, and servers.
func ReadGemini(src []byte, file string) (*TreeSettings, diag.List) {
	doc, ds := frontmatter.ParseJSON(src, file)
	if doc.Root == nil {
		return nil, ds
	}
	s := &geminiSettings{&decoder{doc: doc, known: knownKeys.Get(), foreign: true}, &TreeSettings{Tree: FromGemini}}
	for i := 0; i+1 < len(doc.Root.Content); i += 2 {
		k, v := doc.Root.Content[i], doc.Root.Content[i+1]
		s.key("", k, v)
	}
	return s.to, s.ds
}

// geminiSections are the objects whose keys are settings of their own.
var geminiSections = []string{"tools", "mcp", "security", "general", "model"}

// key reads one setting; section is the object that it stands in. The older flat names are understood.
func (s *geminiSettings) key(section string, k, v *yaml.Node) {
	if section == "" && slices.Contains(geminiSections, k.Value) {
		if v.Kind != yaml.MappingNode {
			s.secured(func() { s.wrong(v, "a map") })
			return
		}
		for i := 0; i+1 < len(v.Content); i += 2 {
			s.key(k.Value, v.Content[i], v.Content[i+1])
		}
		return
	}
	switch strings.TrimPrefix(section+"."+k.Value, ".") {
	case "tools.exclude", "excludeTools":
		s.to.Permissions.Deny = append(s.to.Permissions.Deny, s.rules(v, true)...)
	case "tools.allowed", "allowedTools":
		s.to.Permissions.Allow = append(s.to.Permissions.Allow, s.rules(v, false)...)
	case "tools.core", "coreTools":
		s.to.Only = Value[[]Ref]{V: append(s.rules(v, false), Ref{V: "mcp__*", At: s.at(k)}), At: s.at(v), Key: s.at(k).Span()}
	case "mcp.excluded", "excludeMCPServers":
		s.to.MCPOff = append(s.to.MCPOff, s.names(v)...)
	case "mcp.allowed", "allowMCPServers":
		s.to.MCPOnly = Value[[]Ref]{V: s.names(v), At: s.at(v), Key: s.at(k).Span()}
	case "security.disableYoloMode":
		s.field(func() {
			if on, ok := boolean().read(s.decoder, v); ok {
				s.to.NoBypass = on
			}
		}, true)
	case "general.defaultApprovalMode":
		if native := geminiMode(v.Value); native != "" {
			s.to.Mode = Value[string]{V: native, At: s.at(v), Key: s.at(k).Span()}
			return
		}
		s.add(diag.New("I-INACTIVE", s.at(v), "the mode %s of a settings file is not taken over; an agent or --permission-mode may set it", shown(v.Value)))
	case "tools.sandbox", "sandbox":
		s.add(diag.New("I-INACTIVE", s.at(k), "children run in the sandbox of this program, which %s says more about", "sandbox: of swarmrun.yaml"))
	}
}

// names is a list of texts in a setting that restricts.
func (s *geminiSettings) names(v *yaml.Node) []Ref {
	refs := []Ref{}
	s.secured(func() {
		if v.Kind != yaml.SequenceNode {
			s.wrong(v, "a list of texts")
			return
		}
		s.items(v, false, false, &refs)
	})
	return refs
}

// geminiCalls is a tool with what its calls begin with.
var geminiCalls = lazy.MustCompile(`^([A-Za-z_]\w*)\((.*)\)$`)

// rules are tools in Gemini's words as rules in ours. One without counterpart is told: nothing here has it.
func (s *geminiSettings) rules(v *yaml.Node, takes bool) []Ref {
	out := []Ref{}
	for _, r := range s.names(v) {
		name, prefix := r.V, ""
		if m := geminiCalls.Get().FindStringSubmatch(name); m != nil {
			name, prefix = m[1], strings.TrimSpace(m[2])
		}
		if same := geminiClasses.Get()[name]; same != "" {
			name = same
		}
		natives := ToolNames(FromGemini, name)
		if natives == nil {
			s.add(diag.New("W-TOOL-UNKNOWN", r.At, "%s of Gemini has no counterpart here", shown(r.V)).
				Suggest("write the rule under permissions: of swarmrun.yaml, or remove the entry"))
			continue
		}
		if name == "replace" && takes {
			natives = append(slices.Clip(natives), "MultiEdit")
		}
		for _, n := range natives {
			switch {
			case prefix == "":
				out = append(out, Ref{V: n, At: r.At, Key: r.Key})
			case n == "Bash" && !strings.ContainsAny(prefix, "()*"):
				out = append(out, Ref{V: "Bash(" + prefix + " *)", At: r.At, Key: r.Key})
			case takes: // fewer calls cannot be told apart, so all of them go
				out = append(out, Ref{V: n, At: r.At, Key: r.Key})
			default:
				s.add(diag.New("W-RULE-UNUSED", r.At, "calls of %s cannot be told apart by %s, so it allows nothing", n, shown(prefix)).
					Suggest("write a rule under permissions: of swarmrun.yaml"))
			}
		}
	}
	return out
}
