package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/tools"
)

// Tools that reach what a server has besides tools. Names of the server's own tools win.
const (
	listResources = "list_resources"
	readResource  = "read_resource"
	listPrompts   = "list_prompts"
	getPrompt     = "get_prompt"
)

// maxListed is how many resources or prompts are listed.
const maxListed = 500

// extraNames are the names, as in an allow list, of what the server has besides tools.
func (o *opened) extraNames() []string {
	var out []string
	if o.listing.Resources {
		out = append(out, listResources, readResource)
	}
	if o.listing.Prompts {
		out = append(out, listPrompts, getPrompt)
	}
	return out
}

// extras are the tools for resources and prompts. With an allow list they are there when it names them.
func (o *opened) extras() []*tool {
	var out []*tool
	for _, name := range o.extraNames() {
		taken := false
		for _, r := range o.listing.Tools {
			taken = taken || o.use.Server.ToolName(r.Name) == o.use.Server.ToolName(name)
		}
		if taken || !o.use.Server.wants(name) || o.use.Server.Bare && o.use.Server.Tools == nil {
			continue
		}
		out = append(out, o.extraTool(name))
	}
	return out
}

func (o *opened) extraTool(name string) *tool {
	server := o.use.Server.Name
	t := &tool{opened: o}
	spec := func(text, input string) {
		t.spec = tools.NewSpec(o.use.Server.ToolName(name), text, json.RawMessage(input), true)
	}
	const none = `{"type":"object","properties":{},"additionalProperties":false}`
	switch name {
	case listResources:
		spec("Lists the resources of the MCP server "+server+".", none)
		t.extra = resources
	case readResource:
		spec("Reads a resource of the MCP server "+server+" by its URI.", `{"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"],"additionalProperties":false}`)
		t.extra = resource
	case listPrompts:
		spec("Lists the prompts of the MCP server "+server+" with their arguments.", none)
		t.extra = prompts
	case getPrompt:
		spec("Gets a prompt of the MCP server "+server+".", `{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["name"],"additionalProperties":false}`)
		t.extra = prompt
	}
	return t
}

// lines is a list for a model, bounded.
type lines struct {
	b strings.Builder
	n int
}

func (l *lines) add(format string, args ...any) bool {
	if l.n++; l.n > maxListed {
		fmt.Fprintf(&l.b, "(more are left out after %d)\n", maxListed)
		return false
	}
	fmt.Fprintf(&l.b, format+"\n", args...)
	return true
}

func (l *lines) result() tools.Result {
	if l.n == 0 {
		return tools.Result{Content: "(none)"}
	}
	return tools.Result{Content: strings.TrimRight(l.b.String(), "\n")}
}

func resources(ctx context.Context, cs *sdk.ClientSession, _ json.RawMessage) (tools.Result, error) {
	var l lines
	for r, err := range cs.Resources(ctx, nil) {
		if err != nil {
			return tools.Result{}, err
		}
		if !l.add("%s: %s", short(r.URI, 500), short(r.Name+" "+r.Description, 300)) {
			return l.result(), nil
		}
	}
	for r, err := range cs.ResourceTemplates(ctx, nil) {
		if err != nil {
			break // many servers with resources have no templates, and say so by a fault
		}
		if !l.add("%s: %s", short(r.URITemplate, 500), short(r.Name+" "+r.Description, 300)) {
			break
		}
	}
	return l.result(), nil
}

func resource(ctx context.Context, cs *sdk.ClientSession, input json.RawMessage) (tools.Result, error) {
	var in struct{ URI string }
	if err := json.Unmarshal(input, &in); err != nil {
		return failed("The input does not fit: %v", err), nil
	}
	got, err := cs.ReadResource(ctx, &sdk.ReadResourceParams{URI: in.URI})
	if err != nil {
		return tools.Result{}, err
	}
	var p parts
	for _, c := range got.Contents {
		p.resource(c)
	}
	return p.result(false), nil
}

func prompts(ctx context.Context, cs *sdk.ClientSession, _ json.RawMessage) (tools.Result, error) {
	var l lines
	for p, err := range cs.Prompts(ctx, nil) {
		if err != nil {
			return tools.Result{}, err
		}
		var args []string
		for _, a := range p.Arguments {
			name := short(a.Name, 100)
			if !a.Required {
				name += "?"
			}
			args = append(args, name)
		}
		if !l.add("%s(%s): %s", short(p.Name, 200), strings.Join(args, ", "), short(p.Description, 300)) {
			break
		}
	}
	return l.result(), nil
}

func prompt(ctx context.Context, cs *sdk.ClientSession, input json.RawMessage) (tools.Result, error) {
	var in struct {
		Name      string
		Arguments map[string]string
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return failed("The input does not fit: %v", err), nil
	}
	got, err := cs.GetPrompt(ctx, &sdk.GetPromptParams{Name: in.Name, Arguments: in.Arguments})
	if err != nil {
		return tools.Result{}, err
	}
	var p parts
	for _, m := range got.Messages {
		p.say("%s:", m.Role)
		p.add(m.Content)
	}
	return p.result(false), nil
}
