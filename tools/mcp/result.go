package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/tools"
)

// maxBlobs bounds the binary parts of one result, in bytes.
const maxBlobs = 8 << 20

// parts collects what a result of a server is made of.
type parts struct {
	text  []string
	blobs []tools.Blob
	size  int
}

// resultOf is a result as models take it: texts joined, images beside them, structured content where there is no text.
func resultOf(r *sdk.CallToolResult) tools.Result {
	var p parts
	for _, c := range r.Content {
		p.add(c)
	}
	if len(p.text) == 0 && r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			p.text = append(p.text, string(raw))
		}
	}
	return p.result(r.IsError)
}

func (p *parts) result(isError bool) tools.Result {
	text := printable.Unstyled(strings.Join(p.text, "\n\n"))
	if strings.TrimSpace(text) == "" && len(p.blobs) == 0 {
		text = "(no content)"
	}
	return tools.Result{Content: text, Blobs: p.blobs, IsError: isError}
}

func (p *parts) say(format string, args ...any) {
	p.text = append(p.text, fmt.Sprintf(format, args...))
}

// add takes one part of a result in.
func (p *parts) add(c sdk.Content) {
	switch c := c.(type) {
	case *sdk.TextContent:
		p.text = append(p.text, c.Text)
	case *sdk.ImageContent:
		p.blob(c.MIMEType, c.Data)
	case *sdk.AudioContent:
		p.say("[audio of type %s, %d bytes]", short(c.MIMEType, 60), len(c.Data))
	case *sdk.ResourceLink:
		p.say("[resource %s: %s]", short(c.URI, 500), short(c.Name+" "+c.Description, 500))
	case *sdk.EmbeddedResource:
		p.resource(c.Resource)
	}
}

// resource takes the content of a resource in.
func (p *parts) resource(r *sdk.ResourceContents) {
	switch {
	case r == nil:
	case len(r.Blob) > 0:
		p.blob(r.MIMEType, r.Blob)
	default:
		p.text = append(p.text, r.Text)
	}
}

// image tells whether bytes of a type are an image that models take.
func image(kind string) bool {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// blob keeps an image; other bytes are told.
func (p *parts) blob(kind string, data []byte) {
	switch {
	case !image(kind):
		p.say("[%d bytes of type %s]", len(data), short(kind, 60))
	case p.size+len(data) > maxBlobs:
		p.say("[image of %d bytes left out: results hold %d MiB of images at most]", len(data), maxBlobs>>20)
	default:
		p.size += len(data)
		p.blobs = append(p.blobs, tools.Blob{MediaType: kind, Data: data})
	}
}
