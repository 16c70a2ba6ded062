package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/internal/schema"
)

// listing is what a server offers, bounded and cleaned.
type listing struct {
	Version   int      `json:"version"` // of the stored form
	Tools     []remote `json:"tools"`
	Resources bool     `json:"resources,omitempty"`
	Prompts   bool     `json:"prompts,omitempty"`

	refused []string // tools that are left out, and why
}

// remote is a tool of a server.
type remote struct {
	Name        string          `json:"name"` // as the server calls it
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// list asks a server what it offers.
func list(ctx context.Context, cs *sdk.ClientSession) (*listing, error) {
	out := &listing{Version: listingVersion, Tools: []remote{}}
	caps := cs.InitializeResult().Capabilities
	if caps == nil {
		caps = &sdk.ServerCapabilities{}
	}
	out.Resources, out.Prompts = caps.Resources != nil, caps.Prompts != nil
	if caps.Tools == nil {
		return out, nil
	}
	cursor, seen := "", 0
	for range maxPages {
		page, err := cs.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, fmt.Errorf("list of tools: %w", err)
		}
		for _, t := range page.Tools {
			if t == nil {
				continue
			}
			if seen++; seen > maxTools {
				out.refuse(fmt.Sprintf("all tools after the first %d", maxTools), "there are too many")
				return out.unique(), nil
			}
			raw, err := json.Marshal(t.InputSchema)
			if err != nil {
				raw = nil
			}
			out.add(t.Name, cmp.Or(t.Description, t.Title), raw)
		}
		if cursor = page.NextCursor; cursor == "" {
			return out.unique(), nil
		}
	}
	out.refuse("more tools", fmt.Sprintf("the list has more than %d pages", maxPages))
	return out.unique(), nil
}

func (l *listing) refuse(what, why string) { l.refused = append(l.refused, what+": "+why) }

// add takes a tool in, if it can be called.
func (l *listing) add(name, description string, input json.RawMessage) {
	shown := fmt.Sprintf("the tool %q", short(name, 80))
	if name == "" || len(name) > 256 {
		l.refuse(shown, "a name has 1 to 256 characters")
		return
	}
	fit, why := fitting(input)
	if why != "" {
		l.refuse(shown, why)
		return
	}
	l.Tools = append(l.Tools, remote{Name: name, Description: short(cmp.Or(description, "MCP tool: "+name), maxDescription), Schema: fit})
}

// fitting is a schema that models take: an object of the current draft that compiles. One of an older draft is rewritten, one of
// a dialect that is not known is refused, since nobody could tell what it means.
func fitting(input json.RawMessage) (json.RawMessage, string) {
	if len(input) > maxSchema {
		return nil, fmt.Sprintf("its schema has more than %d KiB", maxSchema>>10)
	}
	input, err := schema.Upgrade(input)
	if err != nil {
		return nil, invalid(err)
	}
	var m map[string]json.RawMessage
	if trimmed := bytes.TrimSpace(input); len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null")) {
		m = map[string]json.RawMessage{}
	} else if err := json.Unmarshal(input, &m); err != nil {
		return nil, "its schema is no object"
	}
	delete(m, "$schema") // of the current draft, which not all endpoints of models pass over
	if m["type"] == nil {
		m["type"] = json.RawMessage(`"object"`)
	}
	if string(m["type"]) != `"object"` {
		return nil, "its input is no object"
	}
	if m["properties"] == nil {
		m["properties"] = json.RawMessage(`{}`)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, "its schema cannot be read"
	}
	if _, err := schema.Compile(raw); err != nil {
		return nil, invalid(err)
	}
	return json.RawMessage(printable.Unstyled(string(raw))), ""
}

func invalid(err error) string { return "its schema is not valid: " + short(err.Error(), 200) }

// unique leaves out tools that share their name.
func (l *listing) unique() *listing {
	count := map[string]int{}
	for _, t := range l.Tools {
		count[t.Name]++
	}
	l.Tools = slices.DeleteFunc(l.Tools, func(t remote) bool { return count[t.Name] > 1 })
	for name, n := range count {
		if n > 1 {
			l.refuse(fmt.Sprintf("the tool %q", short(name, 80)), fmt.Sprintf("the server lists it %d times", n))
		}
	}
	slices.Sort(l.refused)
	return l
}

// digests are the tools by the server's names, with what each is described by.
func (l *listing) digests() map[string]string {
	out := make(map[string]string, len(l.Tools))
	for i := range l.Tools {
		out[l.Tools[i].Name] = l.Tools[i].digest()
	}
	return out
}

// names are the tools by the server's names, sorted.
func (l *listing) names() []string {
	out := make([]string, len(l.Tools))
	for i, t := range l.Tools {
		out[i] = t.Name
	}
	slices.Sort(out)
	return out
}
