package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/serve"
	"github.com/swarmrun/swarmrun/tools/mcp"
)

func (a *app) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "Serve agents to MCP clients; look at the tools of MCP servers"}
	cmd.AddCommand(a.mcpServeCommand(), a.mcpToolsCommand(), a.mcpLoginCommand())
	group(cmd)
	return cmd
}

func (a *app) mcpServeCommand() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:   "serve [TARGET…]",
		Short: "Serve agents as tools to an MCP client, on stdin and stdout or behind HTTP",
		Long: "Serve agents as tools to an MCP client, on stdin and stdout or behind HTTP.\n\n" +
			"Without targets every agent that can be started is a tool. Each takes a prompt and gives the answer; steps of the run are\n" +
			"progress notifications. Nobody can be asked for permission, so what would ask is refused. Messages go to stderr.\n\n" +
			"With --http on an address that other machines reach, clients need a token: that of SWARMRUN_MCP_TOKEN, else the one that is\n" +
			"printed at the start. On this machine a token is asked for where the variable is set.",
		ValidArgsFunction: a.completeAgents,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText); err != nil {
				return err
			}
			return a.mcpServe(cmd.Context(), args, address)
		},
	}
	cmd.Flags().StringVar(&address, "http", "", "listen on `address`, such as 127.0.0.1:8808; a port alone is on this machine only")
	return cmd
}

// mcpServe serves until the client goes or the program is told to end. stdout is the client's: all else goes to stderr.
func (a *app) mcpServe(ctx context.Context, targets []string, address string) error {
	out := a.stdout
	a.stdout = a.stderr
	w, err := a.openWorkspace(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	served := targets
	for _, t := range targets {
		if err := w.checkTarget(t); err != nil {
			return err
		}
	}
	if len(served) == 0 {
		for _, agent := range w.graph.Agents() {
			served = append(served, agent.Name)
		}
	}
	for _, t := range served {
		if err := w.demanded(t); err != nil {
			return err
		}
	}
	a.diagnostics(visible(w.live.Report().Diagnostics, a.verbose))
	r := runner.New(w.live, &runner.Options{Sessions: w.sessions, Home: a.env("HOME"), Environ: a.environ})
	s, err := serve.New(r, w.graph, targets, &serve.Options{Version: buildVersion().Version, Sink: a.servedEvent})
	if err != nil {
		return a.notServed(err)
	}
	w.release() // of the first generation: calls lease the one that is served
	watching, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		err := w.live.Watch(watching, func(c agents.Change) { a.servedChange(w, s, r, c) }, &loader.WatchOptions{Note: func(text string) { a.note("%s", text) }})
		if err != nil && watching.Err() == nil {
			a.note("saves are not seen any more, start again to serve them: %v", err)
		}
	})
	if address == "" {
		err = s.Stdio(ctx, a.stdin, out)
	} else {
		err = a.mcpListen(ctx, s, address)
	}
	stop()
	watcher.Wait()
	if errors.Is(err, context.Canceled) || ctx.Err() != nil {
		return nil // ended as asked
	}
	return err
}

// servedChange offers clients what a save made, or says why nothing comes of it.
func (a *app) servedChange(w *workspace, s *serve.Server, r *runner.Runner, c agents.Change) {
	r.Reloaded(c)
	if !c.Published {
		a.diagnostics(visible(c.Diagnostics, a.verbose))
		return
	}
	g, release, err := w.live.Acquire()
	if err != nil {
		return // closed meanwhile
	}
	defer release()
	if err := s.Follow(g); err != nil {
		a.note("clients keep their list of tools: %v", err)
		return
	}
	a.note("generation %d is served", c.Generation)
}

// notServed says why a target cannot be served.
func (a *app) notServed(err error) error {
	list, ok := errors.AsType[*diag.ListError](err)
	switch {
	case ok:
		a.diagnostics(list.List)
		return told{event.ExitCode(event.KindDefinitions)}
	case errors.Is(err, agents.ErrNoTarget):
		return usagef("%v", err).hint("`swarmrun list agents` shows what there is")
	}
	return usagef("%v", err)
}

func (a *app) mcpListen(ctx context.Context, s *serve.Server, address string) error {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return usagef("--http takes an address such as 127.0.0.1:8808, not %q", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return usagef("--http: %v", err)
	}
	door := &serve.Door{Token: a.env(tokenVariable)}
	if net.ParseIP(host) == nil {
		door.Host = host
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && door.Token == "" {
		door.Token = rand.Text()
		fmt.Fprintf(a.stderr, "swarmrun: clients need the header \"Authorization: Bearer %s\"; %s sets a token of your own\n", door.Token, tokenVariable)
	}
	fmt.Fprintf(a.stderr, "swarmrun: MCP server at http://%s%s\n", l.Addr(), serve.Path)
	return s.HTTP(ctx, l, door)
}

// tokenVariable holds the token that clients of mcp serve --http need.
const tokenVariable = "SWARMRUN_MCP_TOKEN"

// servedEvent tells of the runs of clients.
func (a *app) servedEvent(e event.Event) {
	switch e := e.(type) {
	case *event.RunStop:
		if e.Header.Depth > 0 {
			return
		}
		text := summary(e.Result)
		if !e.Result.OK {
			text = failureText(e.Result, nil)
		}
		a.note("%s: %s", printable.Line(e.Header.Agent), text)
	case *event.Warning:
		a.note("%s: %s", printable.Line(e.Header.Agent), printable.Line(e.Message))
	}
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
