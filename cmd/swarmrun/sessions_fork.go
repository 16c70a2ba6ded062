package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

func (a *app) sessionForkCommand() *cobra.Command {
	var turn int
	cmd := a.sessionCommand("fork ID", "Begin a session as a copy of another one", exactArgs("ID"), func(ctx context.Context, dir *session.Dir, args []string) error {
		return a.forkSession(dir, session.Origin{ID: args[0], Turn: turn})
	})
	cmd.Long = cmd.Short + ", and print its id.\n\nThe other session stays as it is; it may be at work. `sessions show` numbers the turns for --at."
	inner := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("at") && turn < 1 {
			return usagef("--at takes a turn from 1 on, not %d", turn)
		}
		return inner(cmd, args)
	}
	cmd.Flags().IntVar(&turn, "at", 0, "copy up to the end of `turn` N, in place of all there is")
	return cmd
}

type forkedAnswer struct {
	OK bool   `json:"ok"`
	ID string `json:"id"`
}

func (a *app) forkSession(dir *session.Dir, from session.Origin) error {
	now := time.Now()
	id := runner.NewID(now)
	err := dir.Fork(from, id, event.Time{Time: now.UTC()})
	if missing, ok := errors.AsType[*session.TurnError](err); ok {
		return usagef("--at: %v", missing).hint("`swarmrun sessions show %s` numbers them", from.ID)
	}
	if err != nil {
		return sessionError(from.ID, err)
	}
	return a.answer(forkedAnswer{true, id})
}

func (v forkedAnswer) text(w io.Writer) error {
	_, err := fmt.Fprintln(w, v.ID)
	return err
}

// forkedFrom says in words where a copy came from.
func forkedFrom(from *session.Origin) string {
	text := "forked from " + printable.Line(from.ID)
	if from.Turn > 0 {
		text += fmt.Sprintf(" after turn %d", from.Turn)
	}
	return text
}
