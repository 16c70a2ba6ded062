package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/lazy"
	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

const (
	skillTimeout = 2 * time.Minute // of one command of a skill
	maxAttached  = 200_000         // bytes of one file
	shellTool    = "Bash"
)

// refusedCommand is a command of a skill that the rules do not let run.
type refusedCommand struct{ why string }

func (e *refusedCommand) Error() string { return "it is not run: " + e.why }

// shell runs the commands of a skill: as the agent's own Bash, under its rules and with what the skill allows. Nobody is
// asked: what would need that is refused.
func (x *exchange) shell(k *skills.Skill) skills.Shell {
	return func(ctx context.Context, line string) (string, error) {
		t := x.offered.shown[shellTool]
		if t == nil {
			return "", &refusedCommand{"the agent " + x.agent.Name + " has no tool " + shellTool}
		}
		commander, ok := t.Tool.(tools.Commander)
		if !ok {
			return "", &refusedCommand{"this " + shellTool + " runs no commands of skills"}
		}
		input, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			return "", err
		}
		call := x.newCall(providers.ToolCall{ID: "skill-" + k.Name, Name: shellTool, Args: input}, t)
		out := &outcome{began: x.run.r.o.Now()}
		defer func() { x.notice(out.Notices) }()
		if line, err = x.mayRun(ctx, k, call, t, out); err != nil {
			return "", err
		}
		text, exit, err := commander.Output(ctx, call, line, skillTimeout)
		switch {
		case err != nil:
			return "", err
		case exit != 0 && !(exit == 1 && answersByExit(line)):
			return "", fmt.Errorf("exit code %d: %s", exit, strings.TrimSpace(beginning(text, shownResult)))
		}
		out.Result = tools.Cut(text, tools.MaxText)
		x.after(ctx, call, t, out)
		return out.Result.Content, nil
	}
}

// mayRun lets hooks and rules decide about a command of a skill, and gives the line as hooks have left it.
func (x *exchange) mayRun(ctx context.Context, k *skills.Skill, call *tools.Call, t *Offered, out *outcome) (string, error) {
	said, why, ok := x.asked(ctx, call, t, out)
	if !ok {
		return "", x.refuseCommand(out)
	}
	d := x.decide(call, t, said, why, slices.Concat(x.approved(), parsedRules(k, k.Allowed)))
	switch d.Verdict {
	case tools.Deny:
		x.refuse(d, out)
		return "", x.refuseCommand(out)
	case tools.Ask:
		text := d.Text
		x.refuse(d.Refuse(tools.WhyNoTerminal), out)
		out.Result.Content = text + ". It would need approval, and about commands of a skill nobody is asked. A rule that allows it lets it run."
		return "", x.refuseCommand(out)
	}
	var in struct{ Command string }
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return "", err
	}
	return in.Command, nil
}

// refuseCommand tells of a command that is not run.
func (x *exchange) refuseCommand(out *outcome) error {
	if d := out.Denied; d != nil {
		x.say(&event.PermissionDenied{Tool: shellTool, Rule: d.Rule, Place: d.Place, Why: d.Why})
	}
	return &refusedCommand{out.Result.Content}
}

var separators = lazy.MustCompile(`[|;&\n]+`)

// answering are programs whose exit code 1 is an answer and no failure.
var answering = lazy.MustCompile(`^\s*(?:\S+=\S*\s+)*(?:[a-z]*grep|rg|diff|cmp|git\s+(?:diff|grep))(?:\s|$)`)

// answersByExit tells whether the last command of a line is one whose exit code 1 is no failure.
func answersByExit(line string) bool {
	parts := separators.Get().Split(strings.TrimRight(line, "; \n"), -1)
	return answering.Get().MatchString(parts[len(parts)-1])
}

// attach reads the files that a skill names as @path: in its own folder, or in the agent's directories, and as far as the
// rules let them be read.
func (x *exchange) attach(k *skills.Skill) skills.Attach {
	rules := tools.Rules{
		All: true, Removed: x.rules.Removed, Deny: x.rules.Deny, Ask: x.rules.Ask, Guarded: x.rules.Guarded, Allow: reading(k),
	}
	at := x.offered.roots
	readable := rules.Readable("Read", at)
	bases := []string{at.Dir}
	if k.Folder != "" {
		bases = []string{k.Folder, at.Dir}
	}
	return func(path string) (string, error) {
		if strings.HasPrefix(path, "~") {
			return "", errors.New("it lies outside the directories")
		}
		for _, base := range bases {
			full := path
			if !filepath.IsAbs(path) {
				full = filepath.Join(base, filepath.FromSlash(path))
			}
			info, err := os.Stat(full)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if !readable(full) {
				return "", errors.New("it lies outside the directories, or a rule keeps it from being read")
			}
			return attached(full, append([]string{k.Folder, at.Dir}, at.Dirs...))
		}
		return "", skills.ErrNoFile
	}
}

// attached reads a file through the folder that it lies in, so that a link which is changed meanwhile leads nowhere else.
func attached(path string, folders []string) (string, error) {
	for _, dir := range folders {
		rel, err := filepath.Rel(dir, path)
		if dir == "" || err != nil || !filepath.IsLocal(rel) {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		defer root.Close()
		data, err := wholefile.ReadIn(root, rel, maxAttached)
		if err != nil {
			return "", errors.New(reason(err))
		}
		if !utf8.Valid(data) || strings.ContainsRune(string(data), 0) {
			return "", errors.New("it is no text")
		}
		return string(data), nil
	}
	return "", errors.New("it lies outside the directories")
}
