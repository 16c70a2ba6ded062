package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/internal/printable"
)

// completeAgents completes the first argument with the agents of the workspace.
func (a *app) completeAgents(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.names(cmd, config.KindAgent), cobra.ShellCompDirectiveNoFileComp
}

// completeServed completes agents and tools, as many as there are.
func (a *app) completeServed(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return append(a.names(cmd, config.KindAgent), a.names(cmd, config.KindTool)...), cobra.ShellCompDirectiveNoFileComp
}

// completeRun completes agents, then skills and commands where a slash begins the word.
func (a *app) completeRun(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if !strings.HasPrefix(word, "/") || len(args) > 1 {
		return a.completeAgents(cmd, args, word)
	}
	var out []string
	for _, kind := range []config.Kind{config.KindSkill, config.KindCommand} {
		for _, name := range a.names(cmd, kind) {
			out = append(out, "/"+name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeShow completes a kind, then a name of that kind.
func (a *app) completeShow(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return append(kindWords(), "config"), cobra.ShellCompDirectiveNoFileComp
	case 1:
		if kind, err := kindNamed(args[0]); err == nil && kind != "" {
			return a.names(cmd, kind), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeSessions completes the ids of sessions, one or as many as the command takes.
func (a *app) completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if cmd.Name() == "list" || len(args) > 0 && cmd.Name() != "rm" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.sessionIDs(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeSession completes the flag --session.
func (a *app) completeSession(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.sessionIDs(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// sessionIDs are the sessions of the workspace, the latest first.
func (a *app) sessionIDs() []string {
	dir, err := a.sessionDir()
	if err != nil {
		return nil
	}
	list, err := dir.List()
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s\t%s, %s, %s", s.ID, cut(printable.Line(s.Target), 40), s.Updated.Local().Format(time.DateTime), plural(s.Turns, "turn")))
	}
	return out
}

// names are the definitions of a kind. A workspace that cannot be read completes nothing.
func (a *app) names(cmd *cobra.Command, kind config.Kind) []string {
	r, err := a.report(cmd.Context())
	if err != nil {
		return nil
	}
	var out []string
	for _, d := range r.List(kind) {
		out = append(out, d.Name+"\t"+cut(printable.Line(d.Description), 60))
	}
	return out
}
