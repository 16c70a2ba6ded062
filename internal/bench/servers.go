package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/mcp"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// servers is twenty MCP servers that start side by side until the first tool answered, against the slowest of them when a
// bare client starts the same twenty; and what a lazy one costs before its first call. A server is swarmrun itself after a
// pause such as programs of npm need.
func servers(ctx context.Context, b *bench) ([]row, error) {
	const many, pause = 20, "1"
	dir := filepath.Join(b.dir, "servers")
	if err := writeFiles(dir, map[string]string{
		"agents/a.md":   "---\ndescription: answers\nmodel: script/m\ntools: []\n---\nAnswer.\n",
		"models/m.yaml": "rules: [{reply: {text: ok}}]\n",
	}); err != nil {
		return nil, err
	}
	started := filepath.Join(b.dir, "started")
	script := fmt.Sprintf("echo x >>%q; sleep %s; exec %q -C %q mcp serve", started, pause, b.swarmrun, dir)
	server := func(i int) mcp.Server {
		return mcp.Server{Name: "s" + strconv.Itoa(i), Command: []string{"sh", "-c", script}, Env: map[string]string{"N": strconv.Itoa(i)}, Required: true}
	}
	var all []mcp.Server
	for i := range many {
		all = append(all, server(i))
	}
	o := mcp.Options{Launcher: sandbox.Launcher{}, Cache: filepath.Join(b.dir, "lists")}
	var together, slowest []time.Duration
	for range 3 { // alternately, so that both meet the same weather
		bare, err := slowestStart(ctx, many, script)
		if err != nil {
			return nil, err
		}
		ours, err := firstCall(ctx, o, dir, all)
		if err != nil {
			return nil, err
		}
		slowest, together = append(slowest, bare), append(together, ours)
	}
	slices.Sort(slowest)
	slices.Sort(together)
	before := count(started)
	lazy := server(0)
	lazy.Required, lazy.Lazy = false, true
	took, err := opened(ctx, o, dir, lazy)
	if err != nil {
		return nil, err
	}
	return []row{
		{"20 MCP servers at once, until the first tool answered", ms(together[1]), ms(slowest[1]), ratio(together[1], slowest[1]), "1.2"},
		{"a lazy MCP server before its first call", ms(took), "", "", ""},
		{"… processes", strconv.Itoa(count(started) - before), "", "", "0"},
	}, nil
}

// slowestStart starts n servers at once and is the time until the last of them has named its tools.
func slowestStart(ctx context.Context, n int, script string) (time.Duration, error) {
	began := time.Now()
	errs := make(chan error, n)
	for range n {
		go func() { errs <- namesTools(ctx, script) }()
	}
	var first error
	for range n {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return time.Since(began), first
}

// namesTools starts a server, speaks the least that the protocol allows until its tools are there, and ends it.
func namesTools(ctx context.Context, script string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		in.Close()
		cmd.Process.Kill() //nolint:errcheck // it may have ended with its input
		cmd.Wait()         //nolint:errcheck // killed
	}()
	lines := bufio.NewReader(out)
	for _, say := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	} {
		if _, err := fmt.Fprintln(in, say); err != nil {
			return err
		}
		if !strings.Contains(say, `"id"`) {
			continue
		}
		answer, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		if !strings.Contains(answer, `"result"`) {
			return fmt.Errorf("the server said %s", answer)
		}
	}
	return nil
}

func count(file string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	return strings.Count(string(data), "\n")
}

// open opens servers as a run does; close ends them.
func open(ctx context.Context, o mcp.Options, dir string, servers []mcp.Server) (ts []tools.Tool, end func() error, err error) {
	hub := &mcp.Hub{}
	var uses []mcp.Use
	var clients []*mcp.Client
	for _, s := range servers {
		c := hub.Client(s, o, dir)
		clients = append(clients, c)
		uses = append(uses, mcp.Use{Client: c, Server: s})
	}
	ts, release, err := mcp.NewSet(uses, nil).Open(ctx, tools.Roots{Workspace: dir, Dir: dir})
	return ts, func() error {
		if release != nil {
			release()
		}
		return mcp.CloseAll(clients)
	}, err
}

// firstCall is the time from nothing to the answer of a tool.
func firstCall(ctx context.Context, o mcp.Options, dir string, servers []mcp.Server) (time.Duration, error) {
	began := time.Now()
	ts, end, err := open(ctx, o, dir, servers)
	if err == nil {
		var r tools.Result
		r, err = ts[0].Call(ctx, &tools.Call{Input: json.RawMessage(`{"prompt":"x"}`)})
		if err == nil && r.IsError {
			err = fmt.Errorf("the first call failed: %s", r.Content)
		}
	}
	took := time.Since(began)
	if closing := end(); err == nil {
		err = closing
	}
	return took, err
}

// opened is the time in which a run has the tools of a server.
func opened(ctx context.Context, o mcp.Options, dir string, s mcp.Server) (time.Duration, error) {
	began := time.Now()
	_, end, err := open(ctx, o, dir, []mcp.Server{s})
	took := time.Since(began)
	if closing := end(); err == nil {
		err = closing
	}
	return took, err
}
