package loader

import (
	"context"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
)

// parsed is a file with what it says. At most one of agent, skill, tool, script and job is set; of a broken file it is what could
// be read, which is resolved and validated like any other and never compiled.
type parsed struct {
	*file
	def    config.Definition
	agent  *config.Agent
	skill  *config.Skill // or a command
	tool   *config.Tool
	script *config.Script
	job    *config.Job
	mcp    *config.MCP
	hook   *config.Hook
	groups []config.HookGroup // of a file of hooks
	more   []*parsed          // further definitions of the same file
	shelf  bool               // it is settings, which hold definitions
	rule   *config.Rule
	model  providers.Model // of script; nil = it is broken
	brief  bool            // the body of the agent was not kept
	diags  diag.List
	on     *agent  // that came of it, on its way into the graph; nil = none
	was    *parsed // as parseFile made it, while this one is worked on; the same for as long as the file is; nil = it is that itself
}

// project is a tree whose files were read, in the order of the tree.
type project struct {
	*tree
	files    []*parsed
	distinct bool // no two files have the same name
}

// parse reads all files side by side; references in YAML files stand for the variables of o. An error means that ctx ended.
func parse(ctx context.Context, t *tree, o *settled) (*project, diag.List, error) {
	p := &project{tree: t, files: make([]*parsed, len(t.files))}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(t.files)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(t.files) {
					return
				}
				p.files[i] = o.sources.definition(i, t.files[i], o.environ)
				if o.brief {
					p.files[i].shorten()
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	var ds diag.List
	files := p.files
	p.files = make([]*parsed, 0, len(files))
	for _, f := range files {
		if !f.shelf && len(f.more) == 0 || len(f.diags) > 0 {
			p.files = append(p.files, f)
		}
		p.files = append(p.files, f.more...)
	}
	for _, f := range p.files {
		ds.Add(f.diags...)
	}
	return p, ds, nil
}

// parseFile makes of a file's content, or of the error in place of it, what its kind says.
func parseFile(f *file, src []byte, err error, env []string) *parsed {
	p := &parsed{file: f}
	if err != nil {
		at := diag.At(f.name, 1, 1, 0)
		p.def = config.Definition{Status: config.Broken, At: at}
		p.diags.Add(config.Unreadable(at, "the file", err))
	} else {
		switch f.kind {
		case config.KindAgent:
			if p.readAgents(src) {
				break
			}
			p.agent, p.def, p.diags = config.ReadAgent(src, f.name, f.tree)
		case config.KindSkill:
			p.skill, p.def, p.diags = config.ReadSkill(src, f.name, f.tree)
			p.stranger()
		case config.KindCommand:
			p.skill, p.def, p.diags = config.ReadCommand(src, f.name, f.tree)
			p.editorPrompt()
		case config.KindTool:
			p.tool, p.def, p.diags = config.ReadTool(src, f.name, f.origin)
		case config.KindModel:
			p.script, p.def, p.diags = config.ReadScript(src, f.name, env)
		case config.KindJob:
			p.job, p.def, p.diags = config.ReadJob(src, f.name, env)
		case config.KindRule:
			p.readRule(src)
		case config.KindMCP:
			p.readServers(src, env)
		case config.KindHook:
			p.readHooks(src)
		default:
			p.inactive()
		}
	}
	p.def.Kind, p.def.File, p.def.Origin = f.kind, f.name, f.origin
	if p.def.Name == "" && p.def.Status != config.Skipped {
		p.def.Name = stem(f)
	}
	p.ofPlugin()
	return p
}

// fresh is a copy that the stages after parse may change. The agent is copied once it is known that it is needed: see collect.
func (p *parsed) fresh() *parsed {
	c := *p
	c.was = p
	c.diags = slices.Clip(c.diags)
	c.skill, c.tool, c.script, c.mcp, c.rule = copied(p.skill), copied(p.tool), copied(p.script), copied(p.mcp), copied(p.rule)
	c.more = nil
	for _, m := range p.more {
		c.more = append(c.more, m.fresh())
	}
	return &c
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// server is the server of the file, where that can be used; nil = none.
func (p *parsed) server() *config.MCP {
	if p.def.Status == config.Broken {
		return nil
	}
	return p.mcp
}

// reread is a file whose body was not kept.
func reread(f *file) *parsed {
	src, err := readFile(f.path)
	return parseFile(f, src, err, nil)
}

// shorten drops the body of an agent that nothing but its text can be told of: bodies are most of what a workspace weighs.
func (p *parsed) shorten() {
	if p.agent != nil && !p.agent.Template.V && len(config.Includes(p.agent.Prompt)) == 0 {
		p.agent.Prompt, p.brief = "", true
	}
	if p.skill != nil {
		p.skill.Text, p.brief = "", true
	}
}

// stranger refuses a file outside of the workspace that does not say itself that it is a skill: a link could make any file
// one, and its first lines would be told to a model.
func (p *parsed) stranger() {
	if !p.outside || p.skill == nil || p.skill.Summary.Written() {
		return
	}
	p.def.Status = config.Broken
	p.diags.Add(diag.New("E-NO-DESCRIPTION", diag.At(p.name, 1, 1, 0), "a link leads to this file outside of the workspace, and it has no description: it is taken for no skill").
		Suggest("add name: and description: to it, or remove the link"))
}

// stem is the name that a file has without saying one.
func stem(f *file) string {
	if f.kind == config.KindSkill {
		return path.Base(path.Dir(f.name))
	}
	return config.Stem(f.name)
}

// readHooks reads a hook, or the hooks of a plugin or of .github/hooks.
func (p *parsed) readHooks(src []byte) {
	if path.Ext(p.name) != ".json" {
		p.hook, p.def, p.diags = config.ReadHook(src, p.name, p.origin)
		return
	}
	form := config.ClaudeHooks
	if p.tree != config.FromClaude {
		form = config.GitHubHooks
	}
	f, ds := config.ReadHooks(src, p.name, form)
	p.groups, p.diags = f.Groups, ds
	p.def = config.Definition{Name: stem(p.file), Status: config.Loaded, At: diag.At(p.name, 1, 1, 0)}
	if p.plugin.Name != "" {
		p.def.Name = p.plugin.Name + ":" + p.def.Name
	}
	switch {
	case ds.HasErrors():
		p.def.Status = config.Broken
	case f.Off:
		p.groups = nil
	}
}

// inactive is for kinds that this version does not act on.
func (p *parsed) inactive() {
	at := diag.At(p.name, 1, 1, 0)
	p.def = config.Definition{Name: stem(p.file), Status: config.Skipped, At: at}
	switch {
	case p.rank == rankWorkspace || p.origin == config.User && p.rank == rankUser:
		p.diags.Add(diag.New("W-INACTIVE", at, "this version does not use files of kind %s", p.kind))
	default:
		p.diags.Add(diag.New("I-INACTIVE", at, "this version does not use files of kind %s", p.kind))
	}
}

// readAgents reads the agents of a settings file; false = it is a file of one agent.
func (p *parsed) readAgents(src []byte) bool {
	if !strings.HasSuffix(p.name, ".json") && !strings.HasSuffix(p.name, ".jsonc") {
		return false
	}
	entries, _ := config.ReadOpencodeAgents(src, p.name) // what is wrong with the file is told where its settings are read
	p.shelf, p.def = true, config.Definition{Name: path.Base(p.name), Status: config.Skipped, At: diag.At(p.name, 1, 1, 0)}
	for _, e := range entries {
		p.more = append(p.more, &parsed{file: p.file, def: e.Definition, agent: e.Agent, diags: e.Diagnostics})
	}
	return true
}

// readServers reads a server, or the servers of a .mcp.json.
func (p *parsed) readServers(src []byte, env []string) {
	if p.tree == config.FromGemini || p.tree == config.FromOpencode {
		p.shelf, p.def = true, config.Definition{Name: path.Base(p.name), Status: config.Skipped, At: diag.At(p.name, 1, 1, 0)}
		for _, e := range config.ReadTreeServers(src, p.name, p.tree, env) {
			p.more = append(p.more, &parsed{file: p.file, def: e.Definition, mcp: e.Server, diags: e.Diagnostics})
		}
		return
	}
	if path.Ext(p.name) != ".json" {
		p.mcp, p.def, p.diags = config.ReadMCP(src, p.name, p.origin, env)
		return
	}
	for name, value := range pluginVariables(p.plugin) {
		env = append(slices.Clip(env), name+"="+value)
	}
	entries, ds := config.ReadMCPFile(src, p.name, p.origin, env, p.plugin.Name != "")
	p.diags = ds
	p.def = config.Definition{Name: path.Base(p.name), Status: config.Skipped, At: diag.At(p.name, 1, 1, 0)}
	if ds.HasErrors() {
		p.def.Status = config.Broken
	}
	for _, e := range entries {
		one := &parsed{file: p.file, def: e.Definition, mcp: e.Server, diags: e.Diagnostics}
		if p.plugin.Name != "" {
			one.def.Name = p.plugin.Name + ":" + one.def.Name
		}
		p.more = append(p.more, one)
	}
}
