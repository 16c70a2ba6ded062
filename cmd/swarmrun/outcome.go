package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// outcome tells on stderr how a run ended: one line with its price, or what went wrong and the way out.
func (a *app) outcome(res *event.Result, cause error) {
	if res.OK {
		a.note("%s", summary(res))
		return
	}
	var list *diag.ListError
	if errors.As(cause, &list) {
		a.diagnostics(list.List)
		fmt.Fprintln(a.stderr, "swarmrun: the run cannot start before the errors above are mended")
		return
	}
	fmt.Fprintf(a.stderr, "swarmrun: %s\n", failureText(res, cause))
	if way := wayOut(res.Kind, cause); way != "" {
		fmt.Fprintf(a.stderr, "  help: %s\n", way)
	}
	if res.Session != "" && res.Turns > 1 { // a first turn that failed has done nothing
		a.note("session %s has what was done; --session %s goes on with it", res.Session, res.Session)
	}
}

// failureText is the kind and the message, whose further lines are indented.
func failureText(res *event.Result, cause error) string {
	text := strings.ReplaceAll(strings.TrimSpace(printable.Text(res.Message)), "\n", "\n  ")
	if failed, ok := errors.AsType[*providers.Error](cause); ok && failed.Attempts > 1 {
		text += fmt.Sprintf(", after %d attempts", failed.Attempts)
	}
	if res.Kind == event.KindUsage || strings.Contains(text, res.Kind) {
		return text
	}
	return strings.ReplaceAll(res.Kind, "_", " ") + ": " + text
}

func summary(res *event.Result) string {
	parts := []string{plural(res.Turns, "turn")}
	if n := res.Usage.Tokens(); n > 0 {
		parts = append(parts, tokens(n)+" tokens", money(res.Usage))
	}
	parts = append(parts, took(res.Duration.Milliseconds()))
	if res.Session != "" {
		parts = append(parts, "session "+res.Session)
	}
	return strings.Join(parts, " · ")
}

// wayOut is what a person can do about a kind of failure, unless the failure says it itself.
func wayOut(kind string, cause error) string {
	if own, ok := errors.AsType[*providers.Error](cause); ok && own.Hint != "" {
		return "" // the message says it
	}
	if errors.Is(cause, session.ErrNotFound) {
		return "`swarmrun sessions list` shows the ids"
	}
	switch kind {
	case event.KindTurnLimit:
		return "raise max_turns in the agent's file, or give --max-turns"
	case event.KindCostLimit, event.KindTokenLimit:
		return "raise budget in the agent's file or in swarmrun.yaml, or give --budget"
	case event.KindDeadline:
		return "raise timeout in the agent's file, or give --timeout; deadlines of model calls stand under retry in swarmrun.yaml"
	case event.KindLoopGuard:
		return "the agent repeated the same call with the same result; say in its prompt when it is done"
	case event.KindContextOverflow:
		return "begin a new session, or use a model with a larger window"
	case "transport":
		return "check the network and the model's base_url; `swarmrun doctor` asks each server"
	case "timeout", "overloaded", "server", "rate_limit":
		return "try again later; a second model in the agent's model list answers when the first cannot"
	case "auth":
		return "check that the key is right and may use this model; `swarmrun doctor` shows which keys are there"
	}
	return ""
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
