package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools/mcp"
)

func (a *app) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "Serve agents and tools to MCP clients; look at the tools of MCP servers"}
	cmd.AddCommand(a.mcpServeCommand(), a.mcpToolsCommand(), a.mcpLoginCommand())
	group(cmd)
	return cmd
}

type mcpToolsAnswer struct {
	OK       bool          `json:"ok"`
	Tools    []mcpToolJSON `json:"tools"`
	Kind     string        `json:"kind,omitempty"`
	Message  string        `json:"message,omitempty"`
	ExitCode int           `json:"exit_code,omitempty"`
}

type mcpToolJSON struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	InputSchema any    `json:"input_schema"`
	Server      string `json:"server"`
}

func (a *app) mcpToolsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tools [SERVER…]",
		Short: "Start the MCP servers of the workspace and list their tools",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			servers, err := a.mcpServers(cmd.Context(), args)
			if err != nil {
				return err
			}
			v := mcpToolsAnswer{OK: true, Tools: []mcpToolJSON{}}
			var failed []string
			for i, p := range probeServers(cmd.Context(), servers) {
				if p.err != nil {
					failed = append(failed, fmt.Sprintf("the MCP server %s does not start: %v", servers[i].Name, p.err))
				}
				for _, t := range p.tools {
					v.Tools = append(v.Tools, mcpToolJSON{t.Name, t.Description, t.Schema, servers[i].Name})
				}
			}
			if len(failed) > 0 {
				v.OK, v.Kind, v.Message, v.ExitCode = false, event.KindMCPRequired, strings.Join(failed, "\n"), event.ExitCode(event.KindMCPRequired)
			}
			if err := a.answer(v); err != nil {
				return err
			}
			for _, f := range failed {
				fmt.Fprintln(a.stderr, "swarmrun: "+printable.Text(f))
			}
			if !v.OK {
				return told{v.ExitCode}
			}
			return nil
		},
	}
}

func (v mcpToolsAnswer) text(w io.Writer) error {
	for _, t := range v.Tools {
		if _, err := fmt.Fprintf(w, "%-40s %s\n", printable.Line(t.Name), cut(printable.Line(t.Description), 100)); err != nil {
			return err
		}
	}
	return nil
}

// mcpServers are the servers that arguments name, or all.
func (a *app) mcpServers(ctx context.Context, names []string) ([]loader.ServerDetail, error) {
	r, err := a.report(ctx)
	if err != nil {
		return nil, err
	}
	a.summary(r.Diagnostics)
	all := r.Servers()
	if len(names) == 0 {
		return all, nil
	}
	var out []loader.ServerDetail
	for _, name := range names {
		i := slices.IndexFunc(all, func(s loader.ServerDetail) bool { return s.Name == name })
		if i < 0 {
			return nil, noServer(r, all, name)
		}
		if !slices.ContainsFunc(out, func(s loader.ServerDetail) bool { return s.Name == name }) {
			out = append(out, all[i])
		}
	}
	return out, nil
}

func noServer(r *loader.Report, all []loader.ServerDetail, name string) error {
	for _, d := range r.List(config.KindMCP) {
		if d.Name == name && d.Status == config.Broken {
			return usagef("the MCP server %q is broken", d.Name).hint("`swarmrun validate %s` says why", d.At.File)
		}
	}
	var have []string
	for _, s := range all {
		have = append(have, s.Name)
	}
	return usagef("no MCP server named %q", name).near(name, have, "MCP servers here")
}

// probed is what a server said when it was started.
type probed struct {
	tools []mcp.Listed
	err   error
}

// probeServers starts all servers side by side, asks for their tools and ends them.
func probeServers(ctx context.Context, servers []loader.ServerDetail) []probed {
	out := make([]probed, len(servers))
	var wg sync.WaitGroup
	for i, s := range servers {
		wg.Go(func() { out[i].tools, out[i].err = mcp.Probe(ctx, s.Server, s.Options, s.Home) })
	}
	wg.Wait()
	return out
}

func (a *app) mcpLoginCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "login SERVER",
		Short: "Sign in to an MCP server behind HTTP with a browser, and keep the token for runs",
		Args:  exactArgs("SERVER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText); err != nil {
				return err
			}
			servers, err := a.mcpServers(cmd.Context(), args)
			if err != nil {
				return err
			}
			s := servers[0]
			err = mcp.Login(cmd.Context(), s.Server, s.Options, func(address string) {
				fmt.Fprintf(a.stderr, "Open this address in a browser on this machine:\n\n  %s\n\n", printable.Text(address))
			})
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			a.note("signed in to %s", s.Name)
			return nil
		},
	}
}
