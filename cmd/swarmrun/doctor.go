package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// probeTimeout bounds each question to a model server.
const probeTimeout = 5 * time.Second

type doctorAnswer struct {
	OK     bool    `json:"ok"`
	Checks []check `json:"checks"`
}

// check is one finding of doctor. State is ok, warn or fail.
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check what runs need: definitions, keys, model servers, programs",
		Long:  "Check what runs need: definitions, keys, model servers, programs.\n\nIt asks each model server that the workspace names for its list of models; nothing is generated and nothing costs. It starts each MCP server and ends it again.",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			r, err := a.report(cmd.Context())
			if err != nil {
				return err
			}
			v := doctorAnswer{OK: true, Checks: a.checks(cmd.Context(), r)}
			for _, c := range v.Checks {
				v.OK = v.OK && c.State != "fail"
			}
			if err := a.answer(v); err != nil {
				return err
			}
			if !v.OK {
				return told{1}
			}
			return nil
		},
	}
}

func (a *app) checks(ctx context.Context, r *loader.Report) []check {
	out := []check{checkDefinitions(r), checkState(r.Root)}
	out = append(out, checkProgram("git", "warn", "agents that look at history need it: apt install git, or brew install git"))
	out = append(out, checkProgram("rg", "ok", "Grep uses its own search without it; ripgrep is faster on large trees"))
	why, way := r.Unwatched()
	out = append(out, checkSandbox(r), checkWatch(why, way, os.ReadFile))
	out = append(out, checkProviders(ctx, r.Providers())...)
	return append(out, checkServers(ctx, r.Servers())...)
}

// checkServers starts all MCP servers side by side and asks for their tools.
func checkServers(ctx context.Context, servers []loader.ServerDetail) []check {
	var out []check
	for i, p := range probeServers(ctx, servers) {
		c := check{Name: "mcp " + servers[i].Name, State: "ok", Detail: "starts, " + plural(len(p.tools), "tool")}
		if p.err != nil {
			c.State, c.Detail, c.Fix = "warn", "does not start: "+p.err.Error(), "correct its definition, or install its program; runs go on without its tools"
			if servers[i].Server.Required {
				c.State, c.Fix = "fail", "correct its definition, or install its program; it is required"
			}
		}
		out = append(out, c)
	}
	return out
}

func checkDefinitions(r *loader.Report) check {
	errors, warnings := r.Diagnostics.Count(diag.Error), r.Diagnostics.Count(diag.Warning)
	c := check{Name: "definitions", State: "ok", Detail: fmt.Sprintf("%s, %s, %s in %s", plural(len(r.Definitions), "file"), plural(errors, "error"), plural(warnings, "warning"), r.Root)}
	if errors > 0 {
		c.State, c.Fix = "fail", "swarmrun validate"
	}
	return c
}

// checkState tries to write where sessions go.
func checkState(root string) check {
	dir := filepath.Join(root, stateDir)
	c := check{Name: "state", State: "ok", Detail: dir + " can be written"}
	probe := root
	if _, err := os.Stat(dir); err == nil {
		probe = dir
	}
	f, err := os.CreateTemp(probe, ".doctor-*")
	if err != nil {
		return check{"state", "fail", err.Error(), "make the folder writable, or use another workspace with -C"}
	}
	f.Close()
	os.Remove(f.Name())
	return c
}

// checkWatch tells whether the system says when files change, which dev, chat and mcp serve live by, and its limits.
func checkWatch(unwatched, way string, read func(path string) ([]byte, error)) check {
	c := check{Name: "changes", State: "ok", Detail: "the system tells when files change"}
	var limits []string
	for _, name := range []string{"max_user_watches", "max_user_instances"} {
		if text, err := read("/proc/sys/fs/inotify/" + name); err == nil {
			limits = append(limits, name+" "+strings.TrimSpace(string(text)))
		}
	}
	if limits != nil {
		c.Detail += " (" + strings.Join(limits, ", ") + ")"
	}
	if unwatched != "" {
		c.State, c.Detail, c.Fix = "warn", unwatched, way
	}
	return c
}

func checkProgram(name, state, fix string) check {
	path, err := exec.LookPath(name)
	if err != nil {
		return check{name, state, "not found", fix}
	}
	return check{name, "ok", path, ""}
}

// checkSandbox tells what holds for children, and what does not. It starts one to try.
func checkSandbox(r *loader.Report) check {
	l, access := r.Sandbox("")
	if l.Mode == sandbox.Off {
		return check{"sandbox", "warn", "sandbox.mode is off: children do what the user can", "take the line out of swarmrun.yaml"}
	}
	c := check{Name: "sandbox", State: "ok"}
	var parts []string
	for _, f := range l.Facts(access) {
		if f.What == "open" {
			continue // show agent has these
		}
		parts = append(parts, f.Text)
		if !f.Holds {
			c.State, c.Fix = "warn", "commands of agents run with what is said here; docs/sandbox.md has the ways out"
			if f.Wanted && l.Mode == sandbox.Require {
				c.State, c.Fix = "fail", "sandbox.mode is require: set it to auto to go without"
			}
		}
	}
	c.Detail = strings.Join(parts, "; ")
	return c
}

// checkProviders asks all providers side by side.
func checkProviders(ctx context.Context, ps []loader.ProviderDetail) []check {
	out := make([]check, len(ps))
	var wg sync.WaitGroup
	for i, p := range ps {
		wg.Go(func() { out[i] = checkProvider(ctx, p) })
	}
	wg.Wait()
	return out
}

func checkProvider(ctx context.Context, p loader.ProviderDetail) check {
	c := reach(ctx, p)
	if limits := limitsOf(p); limits != "" {
		c.Detail += "; " + limits
	}
	return c
}

// limitsOf says what all agents of a process share of a provider; "" without limits.
func limitsOf(p loader.ProviderDetail) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", tokens(n), what))
		}
	}
	add(p.Limits.Concurrency, "calls at once")
	add(p.Limits.RequestsPerMinute, "requests a minute")
	add(p.Limits.TokensPerMinute, "tokens a minute")
	if p.Breaker.Failures > 0 {
		parts = append(parts, fmt.Sprintf("a break of %s after %d failures in a row", p.Breaker.OpenFor, p.Breaker.Failures))
	}
	if len(parts) == 0 {
		return ""
	}
	return "limits: " + strings.Join(parts, ", ")
}

// reach looks for the key and asks the server.
func reach(ctx context.Context, p loader.ProviderDetail) check {
	c := check{Name: "provider " + p.Name, State: "ok"}
	if !p.HasKey && !p.Keyless {
		c.State, c.Detail = "fail", "no key"
		if len(p.KeyVars) > 0 {
			c.Fix = "export " + p.KeyVars[0] + "=…"
		} else {
			c.Fix = fmt.Sprintf("give providers.%s.api_key in swarmrun.yaml", p.Name)
		}
		return c
	}
	keyed := "a key is set, it is not tried here"
	if !p.HasKey {
		keyed = "needs no key"
	}
	status, err := probe(ctx, p.BaseURL)
	address := unsecret(p.BaseURL)
	if err != nil {
		c.State, c.Detail, c.Fix = "fail", keyed+"; "+address+" does not answer", "check the address and the network"
		if p.Keyless {
			c.Fix = "start the server at " + address
		}
		return c
	}
	c.Detail = fmt.Sprintf("%s; %s answers (HTTP %d)", keyed, address, status)
	return c
}

// probe asks for the list of models without a key: any answer shows that the server is there.
func probe(ctx context.Context, base string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(base, "/")+"/models", nil)
	if err != nil {
		return 0, err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}

func (v doctorAnswer) text(w io.Writer) error {
	for _, c := range v.Checks {
		sign := map[string]string{"ok": "✓", "warn": "!", "fail": "✗"}[c.State]
		if _, err := fmt.Fprintf(w, "%s %-20s %s\n", sign, c.Name, printable.Line(c.Detail)); err != nil {
			return err
		}
		if c.Fix != "" {
			if _, err := fmt.Fprintf(w, "  %-20s %s\n", "", printable.Line(c.Fix)); err != nil {
				return err
			}
		}
	}
	return nil
}
