package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
)

// export writes the conversation with the agent at hand to a file that is not there yet.
func (c *chat) export(name string) (string, error) {
	if c.session == nil {
		return "", usagef("/export: nothing was said yet")
	}
	path := c.exportPath(name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", usagef("/export: %s exists already", path).hint("name another file")
	}
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(c.transcript())
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return "Written to `" + path + "`.", nil
}

// transcript is the conversation as Markdown.
func (c *chat) transcript() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Conversation with %s\n\nsession %s\n", c.target, c.session.ID())
	for _, m := range c.messages() {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case providers.Text:
				fmt.Fprintf(&b, "\n## %s\n\n%s\n", word(m.Role == providers.User, "You", c.target), p.Text)
			case providers.ToolCall, providers.ToolResult, providers.Blob:
				fmt.Fprintf(&b, "\n%s\n", fenced(partText(p)))
			}
		}
	}
	return b.String()
}

// fenced is text in a fence that nothing in it closes.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// exportPath is where a conversation goes when nobody says where.
func (c *chat) exportPath(name string) string {
	if name == "" {
		return filepath.Join(c.w.root, "chat-"+c.session.ID()+".md")
	}
	return c.app.path(name)
}

// messages are those of the agent at hand. No turn may be going on.
func (c *chat) messages() []providers.Message {
	if c.session == nil {
		return nil
	}
	conv := c.session.Take(c.target, false)
	defer c.session.Release(conv)
	return slices.Clone(conv.Messages)
}
