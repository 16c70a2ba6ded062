package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

func (a *app) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "Past runs: list, show, export, fork, remove",
	}
	group(cmd)
	cmd.AddCommand(
		a.sessionCommand("list", "List sessions, the latest first", noArgs, a.listSessions),
		a.sessionShowCommand(),
		a.sessionCommand("export ID", "Write a session's records to stdout as JSON lines", exactArgs("ID"), a.exportSession),
		a.sessionForkCommand(),
		a.sessionCommand("rm ID…", "Remove sessions", someIDs, a.removeSessions),
	)
	return cmd
}

func (a *app) sessionCommand(use, short string, args cobra.PositionalArgs, run func(context.Context, *session.Dir, []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: args, ValidArgsFunction: a.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			dir, err := a.sessionDir()
			if err != nil {
				return err
			}
			for _, id := range args {
				if err := session.CheckID(id); err != nil {
					return usagef("%v", err).hint("`swarmrun sessions list` shows the ids")
				}
			}
			return run(cmd.Context(), dir, args)
		},
	}
}

// sessionDir holds the sessions of the workspace, which need not load for that.
func (a *app) sessionDir() (*session.Dir, error) {
	if err := a.checkDir(); err != nil {
		return nil, err
	}
	root, err := loader.Root(a.dir)
	if err != nil {
		return nil, err
	}
	return sessionsOf(root), nil
}

func sessionsOf(root string) *session.Dir {
	return session.NewDir(filepath.Join(root, stateDir, "sessions"))
}

type sessionsAnswer struct {
	OK       bool              `json:"ok"`
	Sessions []session.Summary `json:"sessions"`
}

func (a *app) listSessions(_ context.Context, dir *session.Dir, _ []string) error {
	list, err := dir.List()
	if err != nil {
		return err
	}
	if list == nil {
		list = []session.Summary{}
	}
	return a.answer(sessionsAnswer{true, list})
}

func (v sessionsAnswer) text(w io.Writer) error {
	if len(v.Sessions) == 0 {
		_, err := fmt.Fprintln(w, "no sessions yet")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tTARGET\tUPDATED\tRUNS\tTURNS\tTOKENS\tSTATE")
	for _, s := range v.Sessions {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%s\t%s\n", s.ID, printable.Line(s.Target), s.Updated.Local().Format(time.DateTime), s.Runs, s.Turns, tokens(s.Usage.Tokens()), s.State)
	}
	return t.Flush()
}

type sessionAnswer struct {
	OK       bool             `json:"ok"`
	Session  session.Head     `json:"session"`
	Messages []sessionMessage `json:"messages"`
}

type sessionMessage struct {
	Time    event.Time        `json:"time"`
	Run     string            `json:"run"`
	Agent   string            `json:"agent"`
	Turn    int               `json:"turn,omitempty"` // of an answer, from 1, as fork counts; 0 = a delegate's, or no answer
	Message providers.Message `json:"message"`
}

func (a *app) sessionShowCommand() *cobra.Command {
	var format *formatFlag
	cmd := a.sessionCommand("show ID", "Show the messages of a session", exactArgs("ID"), func(_ context.Context, dir *session.Dir, args []string) error {
		return a.showSession(dir, args[0], format.chosen)
	})
	show := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := format.take(a, cmd); err != nil {
			return err
		}
		return show(cmd, args)
	}
	format = addFormat(cmd, formatText, formatHTML, formatJSON)
	return cmd
}

func (a *app) showSession(dir *session.Dir, id, format string) error {
	stored, err := dir.Read(id)
	if err != nil {
		return sessionError(id, err)
	}
	if format == formatHTML {
		return writeSessionPage(a.stdout, stored)
	}
	v := sessionAnswer{OK: true, Session: stored.Head, Messages: []sessionMessage{}}
	turns := 0
	for _, r := range stored.Records {
		if m := spoken(r); m != nil {
			said := sessionMessage{Time: r.Time, Run: r.Run, Agent: r.Agent, Message: *m}
			if r.Answer() {
				turns++
				said.Turn = turns
			}
			v.Messages = append(v.Messages, said)
		}
	}
	return a.answer(v)
}

// spoken is what a record adds to the conversation as a person reads it; nil for the bookkeeping between.
func spoken(r session.Record) *providers.Message {
	switch r.Type {
	case session.Message:
		return r.Message
	case session.ToolResult:
		return &providers.Message{Role: providers.Tool, Parts: []providers.Part{
			providers.ToolResult{CallID: r.ToolCallID, Name: r.Tool, Content: r.Content, IsError: r.IsError},
		}}
	}
	return nil
}

func (v sessionAnswer) text(w io.Writer) error {
	if from := v.Session.ForkedFrom; from != nil {
		if _, err := fmt.Fprintln(w, forkedFrom(from)); err != nil {
			return err
		}
	}
	for _, m := range v.Messages {
		turn := ""
		if m.Turn > 0 {
			turn = fmt.Sprintf(" · turn %d", m.Turn)
		}
		if _, err := fmt.Fprintf(w, "── %s · %s · %s%s\n", m.Time.Local().Format(time.DateTime), printable.Line(m.Agent), m.Message.Role, turn); err != nil {
			return err
		}
		for _, p := range m.Message.Parts {
			if text := partText(p); text != "" {
				if _, err := fmt.Fprintln(w, printable.Text(text)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// partText is a part of a message for a person.
func partText(p providers.Part) string {
	switch p := p.(type) {
	case providers.Text:
		return p.Text
	case providers.Reasoning:
		return p.Text
	case providers.ToolCall:
		return fmt.Sprintf("→ %s %s", p.Name, p.Args)
	case providers.ToolResult:
		return fmt.Sprintf("← %s %s", p.Name, p.Content)
	case providers.Blob:
		return fmt.Sprintf("[%s, %d bytes]", p.MediaType, len(p.Data))
	}
	return ""
}

// exportAnswer says where the records are: in JSON an answer is one object, which JSON lines are not.
type exportAnswer struct {
	OK   bool   `json:"ok"`
	Path string `json:"path"`
}

func (a *app) exportSession(_ context.Context, dir *session.Dir, args []string) error {
	data, err := dir.Export(args[0])
	if err != nil {
		return sessionError(args[0], err)
	}
	if a.output == formatJSON {
		return writeJSON(a.stdout, exportAnswer{true, dir.Path(args[0])})
	}
	_, err = a.stdout.Write(data)
	return err
}

// someIDs asks for one id or more.
func someIDs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("missing argument ID").hint("usage: %s", cmd.UseLine())
	}
	return nil
}

type removedAnswer struct {
	OK  bool     `json:"ok"`
	IDs []string `json:"ids"`
}

func (a *app) removeSessions(_ context.Context, dir *session.Dir, ids []string) error {
	for _, id := range ids {
		if err := dir.Remove(id); err != nil {
			return sessionError(id, err)
		}
	}
	return a.answer(removedAnswer{true, ids})
}

func (v removedAnswer) text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "removed %s\n", plural(len(v.IDs), "session"))
	return err
}

// sessionError makes a usage error of an id that is nowhere.
func sessionError(id string, err error) error {
	if errors.Is(err, session.ErrNotFound) {
		return usagef("no session %q", id).hint("`swarmrun sessions list` shows the ids")
	}
	return err
}
