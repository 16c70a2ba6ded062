package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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
	"github.com/swarmrun/swarmrun/tools"
)

func (a *app) mcpServeCommand() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:   "serve [TARGET…]",
		Short: "Serve agents, or tools as they are, to an MCP client, on stdin and stdout or behind HTTP",
		Long: "Serve agents, or tools as they are, to an MCP client, on stdin and stdout or behind HTTP.\n\n" +
			"Without targets every agent that can be started is a tool. Each takes a prompt and gives the answer; steps of the run are\n" +
			"progress notifications. A target that is no agent is an entry as under tools: of an agent, such as Read or 'Bash(git *)': that\n" +
			"tool is served as it is, held to the permissions, folders, hooks and sandbox of the workspace. Nobody can be asked for\n" +
			"permission, so what would ask is refused. Messages go to stderr.\n\n" +
			"With --http on an address that other machines reach, clients need a token: that of SWARMRUN_MCP_TOKEN, else the one that is\n" +
			"printed at the start. On this machine a token is asked for where the variable is set.",
		ValidArgsFunction: a.completeServed,
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
	targets, single, err := a.servedTargets(ctx, targets)
	if err != nil {
		return err
	}
	w, err := a.openServed(ctx, single)
	if err != nil {
		return err
	}
	defer w.close()
	served, caller := targets, ""
	if len(single) > 0 {
		caller = loader.Caller
		served = append(slices.Clip(served), caller)
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
	s, err := serve.New(r, w.graph, targets, &serve.Options{Version: buildVersion().Version, Sink: a.servedEvent, Caller: caller})
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

// servedTargets tells agents from entries about tools.
func (a *app) servedTargets(ctx context.Context, names []string) (targets, single []string, err error) {
	if len(names) == 0 {
		return nil, nil, nil
	}
	r, err := a.report(ctx)
	if err != nil {
		return nil, nil, err
	}
	named := func(kind config.Kind) (all []string) {
		for _, d := range r.List(kind) {
			all = append(all, d.Name)
		}
		return all
	}
	theAgents, theTools := named(config.KindAgent), named(config.KindTool)
	for _, name := range names {
		if slices.Contains(theAgents, name) {
			targets = append(targets, name)
			continue
		}
		rule, err := tools.ParseRule(name, tools.Native, diag.Range{})
		if err != nil && strings.Contains(name, "(") {
			return nil, nil, usagef("%v", err)
		}
		if err != nil || !slices.Contains(theTools, rule.Tool) {
			return nil, nil, usagef("no agent and no tool named %q", name).near(name, slices.Concat(theAgents, theTools), "agents and tools here")
		}
		single = append(single, name)
	}
	return targets, single, nil
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
	case *event.ToolResult:
		if e.Header.Agent == loader.Caller {
			a.note("%s: %s", printable.Line(e.Tool), word(e.Blocked == "", took(e.DurationMS), "refused by "+e.Blocked))
		}
	case *event.Warning:
		a.note("%s: %s", printable.Line(e.Header.Agent), printable.Line(e.Message))
	}
}
