package config

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// gooseTools are the tools of goose's developer extension.
var gooseTools = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		"shell": {"Bash"}, "text_editor": {"Read", "Edit", "Write"}, "read": {"Read"}, "write": {"Write"}, "edit": {"Edit"},
		"tree": {"Glob"}, "list": {"Glob"}, "analyze": {"Read", "Grep", "Glob"},
	}
}}

// ReadRecipe reads a recipe of goose: one agent, whose parameters are variables of its prompt.
func ReadRecipe(src []byte, file string) (*Team, diag.List) {
	doc, ds := frontmatter.ParseYAML(src, file)
	if ds.HasErrors() {
		return nil, ds
	}
	d := &decoder{doc: doc, known: knownKeys.Get(), ds: ds}
	root := doc.Root
	if inner := child(root, "recipe"); inner != nil && inner.Kind == yaml.MappingNode {
		root = inner
	}
	if childText(root, "title") == "" || childText(root, "instructions")+childText(root, "prompt") == "" {
		d.add(diag.New("E-NOT-CARRIED", doc.Fence, "the file has no title and instructions of a recipe").Suggest("name the format with --from"))
		return nil, d.ds
	}
	a := newAgent()
	g := recipe{decoder: d, root: root, agent: &a}
	if !g.read() {
		return nil, d.ds
	}
	return &Team{Agents: []*Agent{g.agent}, Default: g.agent.Name}, d.ds
}

// recipe reads one recipe.
type recipe struct {
	*decoder
	root     *yaml.Node
	agent    *Agent
	declared []string
}

var (
	slugGap   = lazy.MustCompile(`[^a-z0-9]+`)
	jinjaWord = lazy.MustCompile(`\{\{-?\s*([A-Za-z_][A-Za-z0-9_]*)\s*-?\}\}`)
)

func (g *recipe) read() bool {
	a := g.agent
	title := child(g.root, "title")
	a.Kind, a.Name, a.At = KindAgent, strings.Trim(slugGap.Get().ReplaceAllString(strings.ToLower(title.Value), "-"), "-"), g.at(title)
	if a.Name == "" {
		a.Name = "recipe"
	}
	a.Summary = Value[string]{V: childText(g.root, "description"), At: a.At}
	if a.Summary.V == "" {
		a.Summary.V = title.Value
	}
	eachPair(g.root, func(k, v *yaml.Node) { g.field(k, v) })
	return g.prompt()
}

func (g *recipe) field(k, v *yaml.Node) {
	a := g.agent
	switch k.Value {
	case "title", "description", "instructions", "prompt", "version", "author":
	case "parameters":
		g.parameters(v)
	case "extensions":
		a.Tools = Value[[]Ref]{V: []Ref{}, At: g.at(k), Key: g.at(k).Span()}
		for _, n := range v.Content {
			g.extension(n)
		}
	case "response":
		if s := child(v, "json_schema"); s != nil {
			if raw, ok := g.toJSON(s); ok && g.compiles(s, raw) {
				a.Output.V, a.Output.At = raw, g.at(s)
			}
		}
	case "settings":
		g.settings(v)
	default:
		g.left(k, "%s has no counterpart here", k.Value)
	}
}

func (g *recipe) parameters(n *yaml.Node) {
	a := g.agent
	for _, p := range n.Content {
		key := childText(p, "key")
		g.declared = append(g.declared, key)
		if a.Vars.V == nil {
			a.Vars.V = map[string]string{}
		}
		if def := child(p, "default"); def != nil {
			a.Vars.V[key] = def.Value
		}
		if o := child(p, "options"); o != nil {
			g.left(o, "the options of %s are not checked here", key)
		}
	}
}

func (g *recipe) extension(n *yaml.Node) {
	kind, name := childText(n, "type"), childText(n, "name")
	if kind != "builtin" && kind != "platform" || name != "developer" && name != "todo" {
		g.left(n, "the extension %s (%s) has no counterpart here; a server is a file mcp/NAME.md", shown(name), kind)
		return
	}
	names := []string{"Read", "Grep", "Glob", "Edit", "Write", "Bash"}
	if name == "todo" {
		names = []string{"TodoWrite"}
	}
	if only := child(n, "available_tools"); only != nil && name == "developer" {
		names = nil
		for _, item := range only.Content {
			if gooseTools.Get()[item.Value] == nil {
				g.left(item, "the tool %s has no counterpart here", shown(item.Value))
			}
			names = append(names, gooseTools.Get()[item.Value]...)
		}
	}
	for _, t := range names {
		if !slices.ContainsFunc(g.agent.Tools.V, func(r Ref) bool { return r.V == t }) {
			g.agent.Tools.V = append(g.agent.Tools.V, Ref{V: t, At: g.at(n)})
		}
	}
}

func (g *recipe) settings(n *yaml.Node) {
	a := g.agent
	provider, model := childText(n, "goose_provider"), childText(n, "goose_model")
	if model != "" {
		if provider != "" {
			model = provider + "/" + model
		}
		a.Model = Value[[]Ref]{V: []Ref{{V: model, At: g.at(n)}}, At: g.at(n), Key: g.at(n).Span()}
	}
	eachPair(n, func(k, v *yaml.Node) {
		f, err := strconv.ParseFloat(v.Value, 64)
		switch {
		case k.Value == "goose_provider" || k.Value == "goose_model":
		case k.Value == "temperature" && err == nil && f >= 0 && f <= 2:
			a.Parameters.V.Temperature = &f
		case k.Value == "max_turns" && err == nil && f >= 1:
			a.MaxTurns = Value[int]{V: int(f), At: g.at(v), Key: g.at(k).Span()}
		default:
			g.left(k, "%s has no counterpart here", k.Value)
		}
	})
}

// prompt turns the text into a body: {{ key }} of a declared parameter is a variable. Statements of Jinja are refused.
func (g *recipe) prompt() bool {
	text := child(g.root, "instructions")
	task := child(g.root, "prompt")
	at, body := text, ""
	if text != nil {
		body = text.Value
	}
	if task != nil && body == "" {
		at, body = task, task.Value
	} else if task != nil {
		body += "\n\n" + task.Value
	}
	if strings.Contains(body, "{%") || strings.Contains(body, "{#") {
		g.lost(at, "the text holds statements of Jinja ({%% … %%})")
		return false
	}
	used := false
	body = jinjaWord.Get().ReplaceAllStringFunc(body, func(m string) string {
		key := jinjaWord.Get().FindStringSubmatch(m)[1]
		if !slices.Contains(g.declared, key) {
			return m
		}
		used = true
		return "\x00" + key + "\x01"
	})
	if strings.Contains(body, "{{") {
		g.lost(at, "the text holds expressions of Jinja that are no declared parameter")
		return false
	}
	if used {
		body = strings.NewReplacer("\x00", "{{ .Vars.", "\x01", " }}").Replace(body)
		g.agent.Template = Value[bool]{V: true, At: g.at(at)}
	} else {
		g.agent.Vars.V = nil
	}
	g.agent.Prompt = body
	return true
}
