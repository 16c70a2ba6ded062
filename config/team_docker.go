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

// dockerTools are the names that permissions of docker-agent have for single tools.
var dockerTools = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		"shell": {"Bash"}, "read_file": {"Read"}, "read_multiple_files": {"Read"}, "list_directory": {"Glob"}, "directory_tree": {"Glob"},
		"search_files": {"Glob"}, "search_files_content": {"Grep"}, "write_file": {"Write"}, "edit_file": {"Edit", "MultiEdit"},
		"create_directory": {"Write"}, "fetch": {"WebFetch"}, "think": {"Think"}, "transfer_task": {"Agent"},
		"create_todo": {"TodoWrite"}, "create_todos": {"TodoWrite"}, "update_todo": {"TodoWrite"}, "list_todos": {"TodoWrite"},
	}
}}

// dockerAsking are the tools that docker-agent asks about unless its permissions allow them.
var dockerAsking = []string{"Bash", "Edit", "Write", "MultiEdit"}

// docker reads one file of docker-agent.
type docker struct {
	*decoder
	root *yaml.Node
	team Team
	perm Permissions
	bad  bool // of the agent that is being read
}

// ReadDockerAgents reads a team of docker-agent (cagent).
func ReadDockerAgents(src []byte, file string) (*Team, diag.List) {
	doc, ds := frontmatter.ParseYAML(src, file)
	if ds.HasErrors() {
		return nil, ds
	}
	d := &docker{decoder: &decoder{doc: doc, known: knownKeys.Get(), ds: ds}, root: doc.Root}
	names := child(doc.Root, "agents")
	if names == nil || names.Kind != yaml.MappingNode {
		d.add(diag.New("E-NOT-CARRIED", doc.Fence, "the file has no agents: of docker-agent").Suggest("name the format with --from"))
		return nil, d.ds
	}
	eachPair(doc.Root, func(k, v *yaml.Node) {
		switch k.Value {
		case "version", "agents", "models", "metadata":
		case "permissions":
			d.permissions(v)
		default:
			d.left(k, "%s has no counterpart here", k.Value)
		}
	})
	eachPair(names, d.agent)
	if child(names, "root") != nil {
		d.team.Default = "root"
	} else if len(d.team.Agents) > 0 {
		d.team.Default = d.team.Agents[0].Name
	}
	return &d.team, d.ds
}

// permissions reads the rules of the whole team.
func (d *docker) permissions(n *yaml.Node) {
	eachPair(n, func(k, v *yaml.Node) {
		to := map[string]*[]Ref{"allow": &d.perm.Allow, "ask": &d.perm.Ask, "deny": &d.perm.Deny}[k.Value]
		if to == nil || v.Kind != yaml.SequenceNode {
			d.left(k, "%s is no list of allow, ask or deny", k.Value)
			return
		}
		for _, item := range v.Content {
			rules, ok := dockerRule(item.Value, k.Value == "allow")
			if !ok {
				d.left(item, "the rule %s has no counterpart here", shown(item.Value))
			}
			for _, r := range rules {
				*to = append(*to, Ref{V: r, At: d.at(item)})
			}
		}
	})
}

// dockerRule turns shell:cmd=rm * into Bash(rm *). A condition that has no counterpart is dropped from what denies or asks,
// so that it does more; what allows is dropped whole.
func dockerRule(text string, allow bool) ([]string, bool) {
	tool, cond, has := strings.Cut(text, ":")
	names := dockerTools.Get()[tool]
	if tool == "*" {
		names = []string{"*"}
	}
	var out []string
	for _, n := range names {
		command, isCommand := strings.CutPrefix(cond, "cmd=")
		file, isFile := strings.CutPrefix(cond, "path=")
		specs, ok := []string{command}, isCommand && n == "Bash" && !strings.ContainsAny(command, "?()")
		if isFile && n != "Bash" && n != "*" {
			specs, ok = pathSpec(file)
		}
		switch {
		case !has || !ok && !allow:
			out = append(out, n)
		case ok:
			for _, s := range specs {
				out = append(out, n+"("+s+")")
			}
		}
	}
	return out, len(out) > 0
}

// agent reads one agent of the team.
func (d *docker) agent(k, v *yaml.Node) {
	if v.Kind != yaml.MappingNode {
		d.lost(k, "the agent %q is no map", k.Value)
		return
	}
	made := newAgent()
	a := &made
	a.Definition = Definition{Kind: KindAgent, Name: k.Value, At: d.at(k)}
	a.Tools = Value[[]Ref]{V: []Ref{}, At: d.at(k), Key: d.at(k).Span()}
	a.Summary = Value[string]{V: childText(v, "description"), At: d.at(k)}
	if a.Summary.V == "" {
		a.Summary.V = "The agent " + k.Value + "."
		d.left(k, "%q has no description; one was made up", k.Value)
	}
	d.bad = false
	eachPair(v, func(k, v *yaml.Node) { d.field(a, k, v) })
	d.ask(a)
	if !d.bad {
		d.team.Agents = append(d.team.Agents, a)
	}
}

func (d *docker) field(a *Agent, k, v *yaml.Node) {
	switch k.Value {
	case "description":
	case "instruction":
		a.Prompt = v.Value
	case "model":
		d.model(a, v)
	case "toolsets":
		for _, t := range v.Content {
			d.toolset(a, t)
		}
	case "sub_agents":
		for _, n := range v.Content {
			if child(child(d.root, "agents"), n.Value) == nil {
				d.left(n, "the agent %s is not in this file", shown(n.Value))
				continue
			}
			a.Delegates.V = append(a.Delegates.V, Delegate{Agent: d.ref(n)})
		}
	case "max_iterations":
		if n, err := strconv.Atoi(v.Value); err == nil && n > 0 {
			a.MaxTurns = Value[int]{V: n, At: d.at(v), Key: d.at(k).Span()}
		}
	case "structured_output":
		if s := child(v, "schema"); s != nil {
			if raw, ok := d.toJSON(s); ok && d.compiles(s, raw) {
				a.Output.V, a.Output.At = raw, d.at(s)
			}
		}
	case "fallback":
		if m := child(v, "models"); m != nil {
			for _, n := range m.Content {
				d.model(a, n)
			}
		}
	case "hooks":
		d.lost(k, "hooks have another protocol there, so what they guard in %q would go unguarded", a.Name)
		d.bad = true
	case "add_prompt_files":
		d.left(k, "add_prompt_files has no counterpart; name the files in lines of the form @path in the body")
	default:
		d.left(k, "%s has no counterpart here", k.Value)
	}
}

// model reads provider/id, a key of models:, or several with commas.
func (d *docker) model(a *Agent, n *yaml.Node) {
	for name := range strings.SplitSeq(n.Value, ",") {
		name = strings.TrimSpace(name)
		if m := child(child(d.root, "models"), name); m != nil {
			name = d.named(a, name, m)
		}
		if name != "" && name != "auto" {
			a.Model.V = append(a.Model.V, Ref{V: name, At: d.at(n)})
			a.Model.At = d.at(n)
		}
	}
}

// named reads an entry of models:.
func (d *docker) named(a *Agent, name string, n *yaml.Node) string {
	provider, model, base := childText(n, "provider"), childText(n, "model"), childText(n, "base_url")
	p := &a.Parameters.V
	eachPair(n, func(k, v *yaml.Node) {
		f, err := strconv.ParseFloat(v.Value, 64)
		switch {
		case slices.Contains([]string{"provider", "model", "base_url"}, k.Value):
		case k.Value == "temperature" && err == nil && f >= 0 && f <= 2:
			p.Temperature = &f
		case k.Value == "top_p" && err == nil && f >= 0 && f <= 1:
			p.TopP = &f
		case k.Value == "max_tokens" && err == nil && f >= 1:
			p.MaxTokens = int(f)
		default:
			d.left(k, "%s of the model %s has no counterpart here", k.Value, name)
		}
	})
	if base == "" {
		return provider + "/" + model
	}
	m := NamedModel{Name: strings.ReplaceAll(name, "/", "-"), Provider: provider, Model: model, BaseURL: base}
	if !slices.Contains(d.team.Models, m) {
		d.team.Models = append(d.team.Models, m)
	}
	return m.Name
}

// toolset reads one group of tools, or the part of it that tools: names.
func (d *docker) toolset(a *Agent, n *yaml.Node) {
	kind := childText(n, "type")
	names := ToolNames(FromDocker, kind)
	switch {
	case kind == "think":
		names = []string{"Think"}
	case kind == "mcp":
		d.left(n, "an MCP server is a file of its own here: write mcp/NAME.md and list the server under mcp:")
		return
	case names == nil:
		d.left(n, "the toolset %s has no counterpart here", shown(kind))
		return
	}
	if only := child(n, "tools"); only != nil {
		var kept []string
		for _, item := range only.Content {
			got := dockerTools.Get()[item.Value]
			if got == nil {
				d.left(item, "the tool %s has no counterpart here", shown(item.Value))
			}
			kept = append(kept, got...)
		}
		names = kept
	}
	eachPair(n, func(k, _ *yaml.Node) {
		if k.Value != "type" && k.Value != "tools" {
			d.left(k, "%s of the toolset %s has no counterpart here", k.Value, kind)
		}
	})
	for _, name := range names {
		if !slices.ContainsFunc(a.Tools.V, func(r Ref) bool { return r.V == name }) {
			a.Tools.V = append(a.Tools.V, Ref{V: name, At: d.at(n)})
		}
	}
}

// ask adds the rules of the team, and the questions that docker-agent asks about tools which it does not allow.
func (d *docker) ask(a *Agent) {
	a.Permissions.Allow = slices.Clone(d.perm.Allow)
	a.Permissions.Ask = slices.Clone(d.perm.Ask)
	a.Permissions.Deny = slices.Clone(d.perm.Deny)
	for _, t := range a.Tools.V {
		allowed := slices.ContainsFunc(d.perm.Allow, func(r Ref) bool { return r.V == t.V || r.V == "*" })
		if slices.Contains(dockerAsking, t.V) && !allowed {
			a.Permissions.Ask = append(a.Permissions.Ask, Ref{V: t.V, At: t.At})
		}
	}
	a.Permissions.Allow = slices.DeleteFunc(a.Permissions.Allow, func(r Ref) bool {
		tool, _, _ := strings.Cut(r.V, "(")
		return r.V == "*" || slices.ContainsFunc(a.Permissions.Ask, func(q Ref) bool { return q.V == tool }) // it would never be reached
	})
}
