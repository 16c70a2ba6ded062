package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// opencodeInert are keys of opencode.json that say nothing about what agents may do.
var opencodeInert = []string{
	"$schema", "theme", "keybinds", "autoupdate", "share", "tui", "username", "layout", "formatter", "lsp", "snapshot", "small_model",
	"watcher", "provider", "disabled_providers", "enabled_providers", "instructions", "command", "plugin", "experimental", "compaction", "server",
}

// ReadOpencode reads what an opencode.json says about all agents of its tree: permissions, of which the last line that matches
// counts there, tools that are switched off, and the agent that a run begins with. Permissions that would come out weaker refuse
// the agents of the tree.
func ReadOpencode(src []byte, file string) (*TreeSettings, diag.List) {
	doc, ds := frontmatter.ParseJSON(src, file)
	if doc.Root == nil {
		return nil, ds
	}
	d := &decoder{doc: doc, known: knownKeys.Get(), foreign: true}
	s := &speaker{decoder: d, tongue: opencode(), to: newAgentFile()}
	out := &TreeSettings{Tree: FromOpencode}
	for i := 0; i+1 < len(doc.Root.Content); i += 2 {
		k, v := doc.Root.Content[i], doc.Root.Content[i+1]
		switch k.Value {
		case "permission":
			d.field(func() { s.permissionMap(k, v) }, true)
		case "tools":
			d.field(func() { s.switches(k, v) }, true)
		case "default_agent":
			if name, ok := text().read(d, v); ok {
				out.Agent = Value[string]{V: name, At: d.at(v), Key: d.at(k).Span()}
			}
		case "model":
			s.models(k, v)
			out.Model = s.to.Model
		case "agent", "mode", "mcp": // definitions
		default:
			if !slices.Contains(opencodeInert, k.Value) {
				d.add(diag.New("I-KEY-UNKNOWN", d.at(k), "this version does not act on %s", k.Value))
			}
		}
	}
	before := len(d.ds)
	d.field(s.decide, true)
	for _, x := range d.ds[before:] {
		if x.Severity == diag.Error {
			out.Refused.Add(x)
		}
	}
	d.ds = d.ds[:before]
	out.Permissions = s.to.Permissions
	out.Permissions.Deny = append(out.Permissions.Deny, s.to.DisallowedTools.V...)
	out.Only = s.to.Tools
	return out, d.ds
}

// AgentEntry is one agent of a file that holds several. Agent is nil when it is skipped; see Broken.
type AgentEntry struct {
	Agent       *Agent
	Definition  Definition
	Diagnostics diag.List // of this entry
}

// wholeFile is a value that stands for the text of a file.
var wholeFile = lazy.MustCompile(`^\s*\{file:([^{}\s]+)\}\s*$`)

// ReadOpencodeAgents reads the agents of an opencode.json. Entries without prompt and description change agents that opencode
// brings and that do not exist here. The list is what is wrong with the file as a whole, which ReadOpencode tells.
func ReadOpencodeAgents(src []byte, file string) ([]AgentEntry, diag.List) {
	doc, ds := frontmatter.ParseJSON(src, file)
	if doc.Root == nil {
		return nil, ds
	}
	var out []AgentEntry
	for _, key := range []string{"agent", "mode"} {
		list := child(doc.Root, key)
		if list == nil || list.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(list.Content); i += 2 {
			out = append(out, opencodeAgent(doc, list.Content[i], list.Content[i+1]))
		}
	}
	return out, nil
}

func opencodeAgent(doc *frontmatter.Document, k, v *yaml.Node) AgentEntry {
	own := *doc
	own.Root, own.Fence = v, doc.Range(k)
	d := &decoder{doc: &own, known: knownKeys.Get(), foreign: true}
	def := Definition{Kind: KindAgent, Name: k.Value, File: doc.File, Origin: FromOpencode, Status: Loaded, At: own.Fence}
	switch {
	case v.Kind != yaml.MappingNode:
		def.Status = Broken
		d.secured(func() { d.wrong(v, "a map with description and prompt") })
		return AgentEntry{Definition: def, Diagnostics: d.ds}
	case child(v, "description") == nil && child(v, "prompt") == nil:
		def.Status = Skipped
		d.add(diag.New("I-DOC", own.Fence, "no description and no prompt: the entry changes an agent of opencode that does not exist here"))
		return AgentEntry{Definition: def, Diagnostics: d.ds}
	}
	if p := child(v, "prompt"); p != nil {
		if m := wholeFile.Get().FindStringSubmatch(p.Value); m != nil {
			p.Value = "@" + m[1]
		} else if strings.Contains(p.Value, "{file:") || strings.Contains(p.Value, "{env:") {
			d.add(diag.New("W-VAR-UNSET", d.at(p), "{file:…} and {env:…} inside of a prompt stay as they are written").
				Suggest("write an agent file, or {file:PATH} alone"))
		}
	}
	e := AgentEntry{}
	e.Agent, e.Definition, e.Diagnostics = d.agent(def, FromOpencode)
	return e
}
