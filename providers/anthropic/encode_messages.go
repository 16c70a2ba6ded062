package anthropic

import (
	"strings"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/internal/wire"
)

// messages writes the history: user and tool messages that follow each other become one turn, and the last block that can
// be is marked for the cache.
func messages(b *wire.Body, req *providers.Request, provider string) {
	w := &writer{b: b, provider: provider}
	w.markMessage, w.markPart = lastCacheable(req.Messages)
	b.Raw("[")
	for i, m := range req.Messages {
		role := "user"
		if m.Role == providers.Assistant {
			role = "assistant"
		}
		for j, p := range m.Parts {
			w.part(role, p, i == w.markMessage && j == w.markPart)
		}
	}
	w.close()
	b.Raw("]")
}

// lastCacheable is the place of the last block that may carry a cache mark: thinking may not, empty text may not.
func lastCacheable(ms []providers.Message) (message, part int) {
	for i := len(ms) - 1; i >= 0; i-- {
		for j := len(ms[i].Parts) - 1; j >= 0; j-- {
			switch p := ms[i].Parts[j].(type) {
			case providers.Text:
				if strings.TrimSpace(p.Text) != "" {
					return i, j
				}
			case providers.Blob, providers.ToolCall, providers.ToolResult:
				return i, j
			}
		}
	}
	return -1, -1
}

type writer struct {
	b           *wire.Body
	provider    string
	role        string // of the open turn; "" = none
	turns       bool   // a turn was written before
	markMessage int
	markPart    int
}

func (w *writer) close() {
	if w.role != "" {
		w.b.Raw("]}")
		w.role, w.turns = "", true
	}
}

// block begins a block in a turn of the role.
func (w *writer) block(role string) {
	if w.role == role {
		w.b.Raw(",")
		return
	}
	w.close()
	if w.turns {
		w.b.Raw(",")
	}
	w.role = role
	w.b.Raw(`{"role":"` + role + `","content":[`)
}

func (w *writer) part(role string, p providers.Part, mark bool) {
	switch p := p.(type) {
	case providers.Text:
		if strings.TrimSpace(p.Text) == "" { // refused by the API
			return
		}
		w.block(role)
		w.text(p.Text, mark)
	case providers.Reasoning:
		if p.Provider == w.provider && p.Raw != nil {
			w.block(role)
			w.b.Bytes(p.Raw)
		}
	case providers.Opaque:
		if p.Provider == w.provider {
			w.block(role)
			w.b.Bytes(p.Raw)
		}
	case providers.Blob:
		w.block(role)
		w.blob(p, mark)
	case providers.ToolCall:
		w.block(role)
		w.b.Raw(`{"type":"tool_use","id":`)
		w.b.String(p.ID)
		w.b.Raw(`,"name":`)
		w.b.String(p.Name)
		w.b.Raw(`,"input":`)
		w.b.Bytes(p.Args)
		w.end(mark)
	case providers.ToolResult:
		w.block(role)
		w.result(p, mark)
	}
}

func (w *writer) end(mark bool) {
	if mark {
		w.b.Raw(ephemeral)
	}
	w.b.Raw("}")
}

func (w *writer) text(s string, mark bool) {
	w.b.Raw(`{"type":"text","text":`)
	w.b.String(s)
	w.end(mark)
}

func (w *writer) blob(p providers.Blob, mark bool) {
	kind := "image"
	if !strings.HasPrefix(p.MediaType, "image/") && p.MediaType != "" {
		kind = "document"
	}
	w.b.Raw(`{"type":"` + kind + `","source":`)
	if p.URL != "" {
		w.b.Raw(`{"type":"url","url":`)
		w.b.String(p.URL)
	} else {
		w.b.Raw(`{"type":"base64","media_type":`)
		w.b.String(p.MediaType)
		w.b.Raw(`,"data":`)
		w.b.Base64("", p.Data)
	}
	w.b.Raw("}")
	w.end(mark)
}

func (w *writer) result(r providers.ToolResult, mark bool) {
	w.b.Raw(`{"type":"tool_result","tool_use_id":`)
	w.b.String(r.CallID)
	w.b.Raw(`,"content":`)
	if len(r.Blobs) == 0 {
		w.b.String(r.Content)
	} else {
		w.b.Raw("[")
		if strings.TrimSpace(r.Content) != "" {
			w.text(r.Content, false)
			w.b.Raw(",")
		}
		for i, blob := range r.Blobs {
			if i > 0 {
				w.b.Raw(",")
			}
			w.blob(blob, false)
		}
		w.b.Raw("]")
	}
	if r.IsError {
		w.b.Raw(`,"is_error":true`)
	}
	w.end(mark)
}
